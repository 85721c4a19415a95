import type { ServiceError } from '../../errors.js'
import { unknownPrompt } from '../../prompts/unknown-prompt.js'
import type { AgentDefinition } from '../../registry/agent-definition.js'
import { findTool } from '../../registry/find-tool.js'
import { examplesOf } from '../../registry/prompt-examples.js'
import type { Snapshot } from '../../registry/snapshot.js'
import type { EnvironAnswer } from '../../schema/api.js'
import type { ReadonlyStatic } from '../../schema/readonly-static.js'
import { documentKey } from '../../store/document-key.js'
import type { Kind } from '../../store/store.js'
import { unknownName } from '../../util/errors/unknown-name.js'
import { type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { memberOf, valueAt } from '../../util/json/json-path.js'
import { type ShownDiagnostic, showDiagnostic } from '../answers/shown-diagnostics.js'
import { ENVIRONS, type Entry, type Shelf } from './shelf.js'

/** A document as it is shown: its own fields, and what decides about all of them. */
export interface ShownEntry {
  readonly id: string
  readonly revision: string | null
  /** Of a tool: the name that templates and models call it by. */
  readonly function?: string
  readonly diagnostics?: readonly ShownDiagnostic[]
  readonly [field: string]: unknown
}

/** An extension as it was written, with what is wrong with it. */
export function showExtension(snapshot: Snapshot, id: string): ShownEntry | undefined {
  const entry = snapshot.extensions.get(id)
  return (
    entry && { ...entry.document, id, revision: entry.revision, ...diagnosticsOf(snapshot, 'extensions', id) }
  )
}

/** A prompt as it was written, with what was read from it. */
export function showPrompt(snapshot: Snapshot, id: string): ShownEntry | undefined {
  const entry = snapshot.prompts.get(id)
  return (
    entry && {
      ...entry.document,
      id,
      origin: entry.origin,
      ...(entry.extension === undefined ? {} : { extension: entry.extension }),
      kind: entry.definition.body.kind,
      engine: entry.definition.engine,
      // Both forms an author may write come out as the JSON Schema that requests are checked against.
      schema: entry.definition.parameters,
      ...shownExamples(entry.document),
      revision: entry.revision,
      ...diagnosticsOf(snapshot, 'templates', id),
    }
  )
}

/** Only what is a set of variables: programs fill forms with it. */
function shownExamples(document: JsonObject): { readonly examples?: JsonObject } {
  if (own(document, 'examples') === undefined) return {}
  return { examples: Object.fromEntries(examplesOf(document)) }
}

/** A tool by its id or function name. */
export function showTool(snapshot: Snapshot, id: string): ShownEntry | undefined {
  const entry = findTool(snapshot, id)
  return (
    entry && {
      ...entry.document,
      id: entry.id,
      function: entry.functionName,
      origin: entry.origin,
      revision: entry.revision,
      ...diagnosticsOf(snapshot, 'tools', entry.id),
    }
  )
}

/** An agent as it works: what its document does not say has its default. */
export function showAgent(snapshot: Snapshot, id: string): ShownEntry | undefined {
  const entry = snapshot.agents.get(id)
  return (
    entry && {
      ...entry.document,
      ...shownDefinition(entry.definition),
      id,
      revision: entry.revision,
      ...diagnosticsOf(snapshot, 'agents', id),
    }
  )
}

function shownDefinition({ parameters, agentRole, ...definition }: AgentDefinition): object {
  // Both forms an author may write come out as the JSON Schema that variables are checked against.
  return { ...definition, role: agentRole, schema: parameters }
}

/** A shared variable as it is shown. */
export type ShownEnviron = Omit<ReadonlyStatic<typeof EnvironAnswer>, 'value'> & {
  /** Absent where the document has no good version. */
  readonly value?: JsonValue
}

/** An environ by its own id, by the path of something inside it, or the subtree of all below a path. */
export function showEnviron(snapshot: Snapshot, id: string): ShownEnviron {
  const entry = snapshot.environs.get(id)
  const value = valueAt(snapshot.context, id.split('.'), memberOf) ?? entry?.value
  if (value === undefined) return broken(snapshot, ENVIRONS, id)
  const revision = entry === undefined ? {} : { revision: entry.revision }
  return { id, ...revision, value, ...diagnosticsOf(snapshot, 'environs', id) }
}

/** A document that has no good version. */
export interface BrokenEntry extends ShownEntry {
  readonly revision: null
  /** What is written there, where it is not too long. */
  readonly source?: string
}

/** What there is to say about a document that has no good version: what is wrong with it, or that it is unknown. */
export function broken<Item extends Entry>(snapshot: Snapshot, shelf: Shelf<Item>, id: string): BrokenEntry {
  const found = diagnosticsOf(snapshot, shelf.kind, id)
  if (found.diagnostics === undefined) throw unknown(snapshot, shelf, id)
  const source = snapshot.brokenTexts.get(documentKey({ kind: shelf.kind, path: id.split('.') }))
  return { id, revision: null, ...(source !== undefined && { source }), ...found }
}

/** The failure of a request for something that is not there; near ids are suggested. */
export function unknown<Item extends Entry>(
  snapshot: Snapshot,
  shelf: Shelf<Item>,
  id: string,
): ServiceError {
  if (shelf.kind === 'templates') return unknownPrompt(snapshot, id)
  const problem = `No ${shelf.noun} has the id ${JSON.stringify(id)}`
  return unknownName(`${shelf.noun}_not_found`, problem, id, shelf.items(snapshot).ids(), 'id')
}

function diagnosticsOf(
  { diagnostics }: Snapshot,
  kind: Kind,
  id: string,
): { readonly diagnostics?: readonly ShownDiagnostic[] } {
  const found = diagnostics.filter(
    (diagnostic) =>
      (diagnostic.kind === kind && diagnostic.id === id) ||
      // Diagnostics of an extension's prompt belong to the extension's document.
      (kind === 'templates' && diagnostic.prompt === id),
  )
  return found.length === 0 ? {} : { diagnostics: found.map((each) => showDiagnostic(each)) }
}
