import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pause } from '../slices/pause.js'

const CLIENT = '@modelcontextprotocol/client'
const CORE = '@modelcontextprotocol/core'
const ZOD = 'zod/v4'

/** Modules in an order in which each needs few that were not read before; a name that ends in `*` begins those of its folder. */
const PARTS = [
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
  [CORE, 'auth-*', 'schemas-*', 'internal.mjs'],
  [CLIENT, 'ajvProvider-*', 'src-*', 'public-*', 'index.mjs', 'stdio.mjs'],
] as const

/**
 * Reads the modules of the MCP client one by one, giving way to others in between: Node.js runs a module together with
 * all that it imports, here three hundred files. A later import finds them read.
 */
export async function readMcpClient(): Promise<void> {
  const directories = directoriesOf()
  if (directories === undefined) return
  for (const [name, ...patterns] of PARTS) {
    for (const file of patterns.flatMap((pattern) => filesOf(directories[name], pattern))) {
      // Another release has other files: then its first use reads more at once.
      await import(pathToFileURL(file).href).catch(() => {})
      await pause()
    }
  }
}

/** Each package is looked for from the one that imports it; its CommonJS files lie beside its modules. */
function directoriesOf() {
  try {
    const client = createRequire(import.meta.url).resolve(CLIENT)
    const core = createRequire(client).resolve(CORE)
    const zod = createRequire(core).resolve(ZOD)
    return { [CLIENT]: dirname(client), [CORE]: dirname(core), [ZOD]: dirname(zod) }
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
