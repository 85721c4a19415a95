import type { Access } from '../access/access.js'
import { mayRead } from '../access/may-read.js'
import { jsonPieces } from '../registry/json-pieces.js'
import type { EnvironEntry, PromptEntry, Snapshot } from '../registry/snapshot.js'
import { type JsonValue, valueAt } from '../util/json.js'
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

/** `resources/read`. @throws McpFailure for what is not there, or not for the caller */
export async function readResource(
  snapshot: Snapshot,
  access: Access,
  uri: string,
): Promise<{ contents: ResourceText[] }> {
  const value = findResource(snapshot, access, uri)
  if (value === undefined)
    throw new McpFailure(
      RESOURCE_NOT_FOUND,
      'environ_not_found',
      `There is no resource ${JSON.stringify(uri)}`,
      { uri },
    )
  return { contents: [{ uri, mimeType: mimeTypeOf(value), text: await textOf(value) }] }
}

function findResource(snapshot: Snapshot, access: Access, uri: string): JsonValue | undefined {
  const name = parseResourceUri(uri)
  if (name === undefined) return undefined
  if (name.kind === 'environ') return environAt(snapshot, access, name.id)
  return mayRead(access, 'templates', name.id) ? snapshot.prompts.get(name.id)?.document : undefined
}

/** A shared variable by its id, or something inside one: the longest id that the path begins with counts. */
function environAt({ environs }: Snapshot, access: Access, path: string): JsonValue | undefined {
  const names = path.split('.')
  for (let length = names.length; length > 0; length -= 1) {
    const id = names.slice(0, length).join('.')
    const environ = environs.get(id)
    if (environ !== undefined)
      return mayRead(access, 'environs', id) ? valueAt(environ.value, names.slice(length)) : undefined
  }
  return undefined
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

/** Large values are written out between other work. */
async function textOf(value: JsonValue): Promise<string> {
  if (typeof value === 'string') return value
  let text = ''
  for await (const piece of jsonPieces(value)) text += piece
  return text
}
