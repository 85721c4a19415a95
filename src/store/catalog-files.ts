import { constants, type Dirent } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import nodePath, { join, relative, sep } from 'node:path'
import { at } from '../util/at.js'
import { errorCode, errorMessage } from '../util/errors/error-message.js'
import { contentOf, tooLargeDocument, unreadable } from './document-content.js'
import { MAX_DOCUMENT_BYTES } from './limits.js'
import { type DocumentAddress, KINDS, type StoredDocument } from './store.js'

/** Extensions of documents; of two files for one document the one whose extension comes first is read. */
export const DOCUMENT_EXTENSIONS: readonly string[] = ['.json', '.yaml', '.yml']

const LEADS_OUT = 'a symbolic link out of the catalog is not followed unless CATALOG_FOLLOW_LINKS is true'

/** A file of the catalog and what distinguishes one content of it from the next. */
export interface CatalogFile {
  readonly path: string
  readonly address: DocumentAddress
  readonly signature: string
}

/** True for what editors and deployment tools leave beside the documents. */
export function isIgnored(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~') || name.startsWith('#')
}

/** True for a file below one of the catalog's folders. */
export function isInFolder(root: string, file: string): boolean {
  const [folder] = relative(root, file).split(sep)
  return KINDS.some((name) => name === folder)
}

/**
 * The document that a file of the catalog holds; undefined for other files.
 *
 * @param paths how paths are written. Default: as on this machine
 */
export function addressOf(
  root: string,
  file: string,
  { relative, sep, extname }: Pick<typeof nodePath, 'relative' | 'sep' | 'extname'> = nodePath,
): DocumentAddress | undefined {
  const parts = relative(root, file).split(sep)
  const extension = extname(file)
  const kind = KINDS.find((name) => name === parts[0])
  if (kind === undefined || parts.length < 2) return undefined
  if (!DOCUMENT_EXTENSIONS.some((known) => known === extension)) return undefined
  const last = at(parts, -1).slice(0, -extension.length)
  // Archives of macOS decompose letters: nobody types an id that way.
  // A colon in a name separates parts, as it does in a Redis key.
  return { kind, path: [...parts.slice(1, -1), last].flatMap((part) => part.normalize('NFC').split(':')) }
}

/** The file as it is now; undefined when it is gone or holds no document. */
export async function lookAt(root: string, path: string): Promise<CatalogFile | undefined> {
  const address = addressOf(root, path)
  if (address === undefined) return undefined
  const facts = await stat(path).catch(() => undefined)
  if (facts === undefined || !facts.isFile()) return undefined
  return { path, address, signature: `${facts.mtimeMs} ${facts.ctimeMs} ${facts.size} ${facts.ino}` }
}

/** Reads a file's document, unless it is outside of the fence. Returns undefined for a file that vanished meanwhile. */
export async function readCatalogFile(
  file: CatalogFile,
  fence: string | undefined,
): Promise<StoredDocument | undefined> {
  const { path, address } = file
  const format = path.endsWith('.json') ? 'json' : 'yaml'
  try {
    const real = await realpath(path)
    if (!(await isWithin(fence, real))) return { ...address, location: path, content: unreadable(LEADS_OUT) }
    // Not blocking: what replaced the file meanwhile may be a pipe that nobody writes to; nor a link by now.
    const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const { size } = await handle.stat()
      const content =
        size > MAX_DOCUMENT_BYTES
          ? unreadable(tooLargeDocument(size))
          : contentOf(await handle.readFile(), format)
      return { ...address, location: path, content }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (isMissing(error)) return undefined
    return { ...address, location: path, content: unreadable(errorMessage(error)) }
  }
}

/** The contents of a directory: subdirectories, and files that may be documents. */
export interface Listing {
  readonly directories: readonly string[]
  readonly files: readonly string[]
}

/**
 * Lists one directory; symbolic links count as what they point to, but directories beyond the fence are left out.
 * Undefined when it is not there.
 */
export async function listDirectory(
  directory: string,
  fence: string | undefined,
): Promise<Listing | undefined> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (entries === undefined) return undefined
  const directories: string[] = []
  const files: string[] = []
  for (const entry of entries) {
    if (isIgnored(entry.name)) continue
    const path = join(directory, entry.name)
    const kind = await kindOf(entry, path, fence)
    if (kind === 'directory') directories.push(path)
    if (kind === 'file') files.push(path)
  }
  return { directories, files }
}

/** The real path of a directory, which distinguishes a circle of links from a new place. */
export async function identityOf(directory: string): Promise<string | undefined> {
  return realpath(directory).catch(() => undefined)
}

/** True if the real path is below the fence's own, which is resolved each time because deployments replace it. */
async function isWithin(fence: string | undefined, real: string): Promise<boolean> {
  return fence === undefined || real.startsWith(`${await realpath(fence)}${sep}`)
}

async function kindOf(
  entry: Dirent,
  path: string,
  fence: string | undefined,
): Promise<'directory' | 'file' | 'other'> {
  const isLink = entry.isSymbolicLink()
  const facts = isLink ? await stat(path).catch(() => undefined) : entry
  if (facts === undefined) return 'other'
  // An unreadable file is reported when it is read; a directory may contain anything.
  if (isLink && facts.isDirectory() && !(await isWithin(fence, await realpath(path)))) return 'other'
  return facts.isDirectory() ? 'directory' : facts.isFile() ? 'file' : 'other'
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
}
