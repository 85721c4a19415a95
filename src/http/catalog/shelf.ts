import { contributedTo } from '../../registry/contributed-to.js'
import type {
  AgentEntry,
  EnvironEntry,
  ExtensionEntry,
  PromptEntry,
  Snapshot,
  SnapshotMap,
  ToolEntry,
} from '../../registry/snapshot.js'
import type { Kind } from '../../store/store.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { listField, textsOf } from '../../util/json/json-fields.js'

/** What a shelf holds. */
export type Entry = ExtensionEntry | PromptEntry | EnvironEntry | ToolEntry | AgentEntry

/** How one of the four kinds is listed and shown. */
export interface Shelf<Item extends Entry> {
  readonly noun: 'extension' | 'prompt' | 'environ' | 'tool' | 'agent'
  /** An id that the bundled catalog has. */
  readonly example: string
  readonly kind: Kind
  readonly items: (snapshot: Snapshot) => SnapshotMap<Item>
  readonly summary: (item: Item) => JsonObject
  readonly supports: (item: Item) => readonly string[] | undefined
}

/** Extensions, with the prompts they contribute. */
export const EXTENSIONS: Shelf<ExtensionEntry> = {
  noun: 'extension',
  example: 'evaluator',
  kind: 'extensions',
  items: ({ extensions }) => extensions,
  summary: ({ document }) => ({
    ...pick(document, ['name', 'displayName', 'description', 'version', 'publisher']),
    prompts: contributed(document).map((prompt) => own(prompt, 'name') ?? null),
  }),
  supports: ({ document }) => [
    ...new Set(contributed(document).flatMap((prompt) => textsOf(listField(prompt, 'supports')))),
  ],
}

/** Agents, by the names under which they are listed. */
export const AGENTS: Shelf<AgentEntry> = {
  noun: 'agent',
  example: 'project.researcher',
  kind: 'agents',
  items: ({ agents }) => agents,
  summary: ({ definition: { name, description, model, tools, protocol, agentRole } }) => ({
    ...{ name, description, tools, protocol, role: agentRole },
    ...(model !== undefined && { model }),
  }),
  supports: () => undefined,
}

/** Prompts, registered directly or contributed. */
export const PROMPTS: Shelf<PromptEntry> = {
  noun: 'prompt',
  example: 'review.code_review',
  kind: 'templates',
  items: ({ prompts }) => prompts,
  summary: ({ origin, extension, definition }) => ({
    name: definition.name,
    description: definition.description,
    kind: definition.body.kind,
    origin,
    ...(extension === undefined ? {} : { extension }),
    supports: definition.supports,
    ...(definition.examples.length > 0 && { examples: definition.examples }),
  }),
  supports: ({ definition }) => definition.supports,
}

/** Shared variables. */
export const ENVIRONS: Shelf<EnvironEntry> = {
  noun: 'environ',
  example: 'vscode.programming_language',
  kind: 'environs',
  items: ({ environs }) => environs,
  summary: ({ value }) => ({ type: typeOf(value) }),
  supports: () => undefined,
}

/** Tools, from documents or mounted. */
export const TOOLS: Shelf<ToolEntry> = {
  noun: 'tool',
  example: 'codebase.lookup_ref',
  kind: 'tools',
  items: ({ tools }) => tools,
  summary: ({ functionName, definition }) => ({
    name: definition.name,
    function: functionName,
    module: definition.module,
    type: definition.connection.type,
    readOnly: definition.readOnly,
    description: definition.description,
    supports: definition.supports,
  }),
  supports: ({ definition }) => definition.supports,
}

function contributed(document: JsonObject): readonly JsonObject[] {
  return contributedTo(document, 'prompts').filter(isJsonObject)
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  const found = names.flatMap((name) => {
    const value = own(object, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found)
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'bigint' ? 'number' : typeof value
}
