import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { collectYoung } from '../slices/collect-young.js'
import { pause } from '../slices/pause.js'
import { readFetch } from './read-fetch.js'

const CLIENT = '@modelcontextprotocol/client'
const SERVER = '@modelcontextprotocol/server'
const CORE = '@modelcontextprotocol/core'
const ZOD = 'zod/v4'

/** Versions of the protocol: for each of them the SDK has schemas of its own. */
const VERSIONS = ['2025-11-25', '2026-07-28'] as const

/** A message that is right: one that is not has its mistakes worded, which takes as long again. */
const CANCELLED = { method: 'notifications/cancelled', params: { requestId: 1 } }

/** Modules in an order in which each needs few that were not read before; a name that ends in `*` begins those of its folder. */
type Parts = readonly (readonly [name: string, ...patterns: readonly string[]])[]

/** Evaluated, these make thousands of objects that stay, in one piece. */
const SCHEMAS = 'schemas-*'

/** What both sides of the protocol stand on. */
const BASE: Parts = [
  [
    ZOD,
    'core/util.js',
    'core/core.js',
    'core/schemas.js',
    'core/to-json-schema.js',
    'locales/*',
    'core/index.js',
  ],
  [ZOD, 'classic/schemas.js', 'classic/external.js', 'index.js'],
  [CORE, 'auth-*', SCHEMAS, 'internal.mjs'],
]
const CLIENT_PARTS: Parts = [
  ...BASE,
  [CLIENT, 'ajvProvider-*', 'src-*', 'public-*', 'index.mjs', 'stdio.mjs'],
]
const SERVER_PARTS: Parts = [
  ...BASE,
  [SERVER, 'ajvProvider-*', 'src-*', 'mcp-*', 'listenRouter-*', 'index.mjs'],
]

/**
 * Reads the modules of the MCP client one by one, giving way to others in between: Node.js runs a module together with
 * all that it imports, here three hundred files. A later import finds them read.
 */
export function readMcpClient(): Promise<void> {
  return readParts(CLIENT, CLIENT_PARTS)
}

/** Reads the MCP server with all that it imports, as `readMcpClient` reads the client. */
export function readMcpServer(): Promise<void> {
  return readParts(SERVER, SERVER_PARTS)
}

async function readParts(entry: string, parts: Parts): Promise<void> {
  await readFetch()
  const directories = directoriesOf(entry)
  if (directories === undefined) return
  const read: unknown[] = []
  for (const [name, ...patterns] of parts) {
    const directory = directories.get(name)
    if (directory === undefined) continue
    for (const pattern of patterns) {
      if (pattern === SCHEMAS) await collectYoung()
      read.push(...(await readFiles(filesOf(directory, pattern))))
    }
  }
  await buildSchemas(read)
}

async function readFiles(files: readonly string[]): Promise<readonly unknown[]> {
  const read: unknown[] = []
  for (const file of files) {
    // Another release has other files: then its first use reads more at once.
    read.push(await import(pathToFileURL(file).href).catch(() => ({})))
    await pause()
  }
  return read
}

/**
 * The schemas of each version of the protocol in a turn of their own: the SDK builds them when it looks at a message first,
 * and its `preloadSchemas` those of all versions in one.
 */
async function buildSchemas(modules: readonly unknown[]): Promise<void> {
  const codecOf = modules.flatMap((module) => Object.values(Object(module))).find(isCodecOf)
  if (codecOf === undefined) return
  for (const version of VERSIONS) {
    try {
      codecOf(version).validateNotification(CANCELLED.method, CANCELLED)
    } catch {
      // Another release has other functions: then its first use builds more at once.
    }
    await pause()
  }
}

/** What reads and writes the messages of a version of the protocol, inside of the SDK. */
type CodecOf = (version: string) => {
  readonly validateNotification: (method: string, raw: unknown) => unknown
}

function isCodecOf(found: unknown): found is CodecOf {
  return typeof found === 'function' && found.name === 'codecForVersion'
}

/** Each package is looked for from the one that imports it; its CommonJS files lie beside its modules. */
function directoriesOf(entry: string): ReadonlyMap<string, string> | undefined {
  try {
    const side = createRequire(import.meta.url).resolve(entry)
    const core = createRequire(side).resolve(CORE)
    const zod = createRequire(core).resolve(ZOD)
    return new Map([
      [entry, dirname(side)],
      [CORE, dirname(core)],
      [ZOD, dirname(zod)],
    ])
  } catch {
    return undefined
  }
}

function filesOf(directory: string, pattern: string): readonly string[] {
  if (!pattern.endsWith('*')) return [join(directory, pattern)]
  const begin = join(directory, pattern.slice(0, -1))
  const folder = pattern.endsWith('/*') ? begin : dirname(begin)
  return readdirSync(folder)
    .filter((name) => /\.m?js$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => path.startsWith(begin))
}
