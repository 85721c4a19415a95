import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress, gzip } from 'node:zlib'
import { loadOnce } from '../../util/load-once.js'

/** One file of the page, as it is sent. */
export interface PageFile {
  readonly type: string
  readonly etag: string
  /** Of the styles inside a page, as a policy names them: `'sha256-…'`. */
  readonly styleHashes: readonly string[]
  readonly body: Buffer
  /** The body, compressed with Brotli. */
  readonly brotli: Buffer
  /** For browsers that take no Brotli from a server without TLS. */
  readonly gzipped: () => Promise<Buffer>
}

/** The files of the page by name. Empty where the page was not built. */
export type PageFiles = ReadonlyMap<string, PageFile>

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** How every file is kept in the page's folder. */
const KEPT_AS = '.br'

const decompress = promisify(brotliDecompress)
const compress = promisify(gzip)

/** Reads the page's folder when somebody first asks, and keeps it: it is small, and never changes while we run. */
export function createPageFiles(directory: string): () => Promise<PageFiles> {
  return loadOnce(async () => {
    const files = await readdir(directory).catch(() => [])
    const names = files.filter((file) => file.endsWith(KEPT_AS)).map((file) => basename(file, KEPT_AS))
    const known = names.filter((name) => Object.hasOwn(TYPES, extname(name)))
    return new Map(
      await Promise.all(known.map(async (name) => [name, await readPageFile(directory, name)] as const)),
    )
  })
}

async function readPageFile(directory: string, name: string): Promise<PageFile> {
  const brotli = await readFile(join(directory, `${name}${KEPT_AS}`))
  const body = await decompress(brotli)
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`
  return {
    ...{ type, etag },
    styleHashes: extname(name) === '.html' ? styleHashesOf(body.toString()) : [],
    body,
    brotli,
    gzipped: loadOnce(() => compress(body)),
  }
}

function styleHashesOf(html: string): readonly string[] {
  const styles = html.split('<style>').slice(1)
  return styles.map((rest) => {
    const [css = ''] = rest.split('</style>', 1)
    return `'sha256-${createHash('sha256').update(css).digest('base64')}'`
  })
}
