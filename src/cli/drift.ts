import { showAgent, showEnviron, showExtension, showPrompt, showTool } from '../http/catalog/details.js'
import { AGENTS, ENVIRONS, EXTENSIONS, PROMPTS, TOOLS } from '../http/catalog/shelf.js'
import type { Snapshot } from '../registry/snapshot.js'
import { canonicalJson } from '../util/json/canonical-json.js'
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  own,
  parseJson,
  stringifyJson,
} from '../util/json/json.js'
import { listField, textField } from '../util/json/json-fields.js'
import { counted } from '../util/text/counted.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { openCatalog } from './catalog-source.js'
import { type Command, EXIT, UsageError } from './command.js'
import { ServerConnection } from './server-connection.js'
import { SERVER_OPTIONS, serverOption } from './server-option.js'

/** One document that the catalog and the service do not have alike. */
interface Drift {
  readonly kind: string
  readonly id: string
  readonly change: 'differs' | 'only in the catalog' | 'only in the service'
}

/** What is compared, with how the service lists and shows it. */
const KINDS = [
  { shelf: EXTENSIONS, path: 'extensions', show: showExtension },
  { shelf: PROMPTS, path: 'prompts', show: showPrompt },
  { shelf: ENVIRONS, path: 'environs', show: showEnviron },
  { shelf: TOOLS, path: 'tools', show: showTool },
  { shelf: AGENTS, path: 'agents', show: showAgent },
] as const

/** `drift`: what a running service has otherwise than a catalog. */
export const drift: Command = {
  usage: ['drift --url <server> [options]'],
  about: `Compares a catalog, such as a checkout of git, with what a running service serves, and lists the documents that differ.
How they are formatted does not count. Exits with code 1 if something differs. Needs a key with the scope read.`,
  options: {
    ...CATALOG_OPTION,
    ...SERVER_OPTIONS,
    json: { type: 'boolean', help: 'print one JSON object' },
  },
  examples: ['drift --catalog my-prompts --url https://prompts.example.com'],
  positionals: [0, 0],
  async run(_words, values, context) {
    const server = serverOption(values, context)
    if (server === undefined) throw new UsageError('name the service to compare with: --url <server>')
    const connection = new ServerConnection(server)
    const shell = await openCatalog(context, catalogOption(values))
    try {
      const found: Drift[] = []
      for (const kind of KINDS) found.push(...(await driftOf(kind, shell.registry.current, connection)))
      const lines = found.map(({ kind, id, change }) => `${kind} ${id}: ${change}`)
      const summary = `${counted(found.length, 'document')} ${found.length === 1 ? 'differs' : 'differ'}`
      context.stdout(
        values['json'] === true
          ? `${stringifyJson({ drift: found.map((each) => ({ ...each })) }, 2)}\n`
          : `${[...lines, summary].join('\n')}\n`,
      )
      return found.length === 0 ? EXIT.ok : EXIT.failed
    } finally {
      await shell.close()
    }
  },
}

async function driftOf(
  { shelf, path, show }: (typeof KINDS)[number],
  snapshot: Snapshot,
  connection: ServerConnection,
): Promise<readonly Drift[]> {
  const here = new Map([...shelf.items(snapshot)].map(([id, { revision }]) => [id, revision]))
  const there = await listed(connection, path)
  const found: Drift[] = []
  for (const id of [...new Set([...here.keys(), ...there.keys()])].sort()) {
    const revision = there.get(id)
    if (revision === undefined || !here.has(id)) {
      found.push({
        kind: shelf.noun,
        id,
        change: here.has(id) ? 'only in the catalog' : 'only in the service',
      })
    } else if (revision !== here.get(id)) {
      const shown = await connection.json(`/api/${path}/${encodeURIComponent(id)}`)
      const own: JsonValue = parseJson(stringifyJson({ ...show(snapshot, id) }))
      if (contentOf(shown) !== contentOf(own)) found.push({ kind: shelf.noun, id, change: 'differs' })
    }
  }
  return found
}

/** Ids with their revisions. */
async function listed(connection: ServerConnection, path: string): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>()
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: JsonObject = await connection.json(`/api/${path}?limit=500${query}`)
    for (const item of listField(page, 'items')) {
      const id = isJsonObject(item) ? textField(item, 'id') : undefined
      if (id !== undefined && isJsonObject(item)) all.set(id, textField(item, 'revision') ?? '')
    }
    cursor = textField(page, 'next_cursor')
  }
  return all
}

/** What a document says, whatever it is written in and wherever it is stored. */
const NOT_CONTENT = new Set(['revision', 'diagnostics', 'labels', 'newest_version'])

function contentOf(shown: JsonValue): string {
  if (!isJsonObject(shown)) return ''
  const members = Object.keys(shown)
    .filter((name) => !NOT_CONTENT.has(name))
    .map((name) => [name, own(shown, name) ?? null] as const)
  return canonicalJson(Object.fromEntries(members))
}
