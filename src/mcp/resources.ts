import type { Access } from '../access/access.js'
import { mayRead } from '../access/may-read.js'
import type { EnvironEntry, PromptEntry, Snapshot } from '../registry/snapshot.js'
import type { JsonValue } from '../util/json/json.js'
import { valueAt } from '../util/json/json-path.js'
import { writtenJson } from '../util/json/json-pieces.js'
import { pause } from '../util/slices/pause.js'
import { quoted } from '../util/text/quoted.js'
import { McpFailure } from './mcp-failure.js'
import { catalogSection, pageOf } from './page.js'
import { environUri, parseResourceUri, promptUri } from './resource-uri.js'

/** A document as MCP lists it. */
export interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mimeType: string
  readonly _meta: Record<string, string>
}

/** What a resource holds: a text is itself, everything else is JSON. */
export interface ResourceText {
  readonly uri: string
  readonly mimeType: string
  readonly text: string
}

/** A longer text takes a while to be put into a message. */
const LONG_TEXT = 65_536
/** Of the two protocol eras, both understand this one for what is not there. */
const RESOURCE_NOT_FOUND = -32602

/** The two kinds of addresses, for clients that fill them in. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'prompt://{id}',
    name: 'prompt',
    description: 'The document of a prompt: its templates and the variables it declares',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'environ://{path}',
    name: 'environ',
    description: 'A shared variable, or a value inside one by its dotted path',
  },
]

/** One page of `resources/list`: prompts, then shared variables. */
export async function listResources(
  { prompts, environs }: Snapshot,
  access: Access,
  cursor: string | undefined,
): Promise<{ resources: ListedResource[]; nextCursor?: string }> {
  const { rows, ...rest } = await pageOf<ListedResource>(
    [
      catalogSection('prompts', prompts, (prompt: PromptEntry, id) =>
        mayRead(access, 'templates', id) ? toPromptResource(prompt) : undefined,
      ),
      catalogSection('environs', environs, (environ: EnvironEntry, id) =>
        mayRead(access, 'environs', id) ? toEnvironResource(environ) : undefined,
      ),
    ],
    cursor,
  )
  return { resources: rows, ...rest }
}

/**
 * `resources/read`.
 *
 * @param inSlice does what the uri may make long
 * @throws McpFailure for what is not there, or not for the caller
 */
export async function readResource(
  snapshot: Snapshot,
  access: Access,
  uri: string,
  inSlice: <Result>(work: () => Result) => Result,
): Promise<{ contents: ResourceText[] }> {
  const value = inSlice(() => findResource(snapshot, access, uri))
  if (value === undefined)
    throw new McpFailure(RESOURCE_NOT_FOUND, 'environ_not_found', `There is no resource ${quoted(uri)}`, {
      uri,
    })
  return { contents: [{ uri, mimeType: mimeTypeOf(value), text: await textOf(value) }] }
}

function findResource(snapshot: Snapshot, access: Access, uri: string): JsonValue | undefined {
  const name = parseResourceUri(uri)
  if (name === undefined) return undefined
  if (name.kind === 'environ') return environAt(snapshot, access, name.id)
  return mayRead(access, 'templates', name.id) ? snapshot.prompts.get(name.id)?.document : undefined
}

/** Longest id that is looked for: no route takes a longer one. */
const MAX_ID_LENGTH = 2_048

/** A shared variable by its id, or something inside one: the longest id that the path begins with counts. */
function environAt({ environs }: Snapshot, access: Access, path: string): JsonValue | undefined {
  for (const id of beginningsOf(path)) {
    const environ = environs.get(id)
    if (environ === undefined) continue
    const rest = path.slice(id.length + 1)
    if (!mayRead(access, 'environs', id)) return undefined
    return rest === '' && id === path ? environ.value : valueAt(environ.value, rest.split('.'))
  }
  return undefined
}

/** The parts of a path up to its end and up to each dot, the longest first; of a long path only what an id may be. */
function* beginningsOf(path: string): Generator<string> {
  if (path.length <= MAX_ID_LENGTH) yield path
  for (let dot = path.lastIndexOf('.', MAX_ID_LENGTH); dot > 0; dot = path.lastIndexOf('.', dot - 1))
    yield path.slice(0, dot)
}

function toPromptResource({ id, revision, definition }: PromptEntry): ListedResource {
  const { description } = definition
  return {
    uri: promptUri(id),
    name: id,
    ...(description !== '' && { description }),
    mimeType: 'application/json',
    _meta: { 'ai-prompt-shell/revision': revision },
  }
}

function toEnvironResource({ id, revision, value }: EnvironEntry): ListedResource {
  return {
    uri: environUri(id),
    name: id,
    mimeType: mimeTypeOf(value),
    _meta: { 'ai-prompt-shell/revision': revision },
  }
}

function mimeTypeOf(value: JsonValue): string {
  return typeof value === 'string' ? 'text/plain' : 'application/json'
}

/** Large values are written out between other work; what the protocol makes of a long text has a turn of its own. */
async function textOf(value: JsonValue): Promise<string> {
  const text = typeof value === 'string' ? value : await writtenJson(value)
  if (text.length > LONG_TEXT) await pause()
  return text
}
