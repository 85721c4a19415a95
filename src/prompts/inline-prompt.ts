import { createHash } from 'node:crypto'
import { ServiceError } from '../errors.js'
import { DocumentError } from '../registry/fault.js'
import { normalisePrompt } from '../registry/normalise-prompt.js'
import { checkTexts, countActions } from '../registry/prompt-bounds.js'
import type { Reach } from '../registry/reach.js'
import type { CompiledPrompt, Registry } from '../registry/registry.js'
import type { PromptDefinition, PromptEntry, Snapshot } from '../registry/snapshot.js'
import { type JsonObject, stringifyJson } from '../util/json/json.js'
import type { Turns } from '../util/slices/turns.js'

/** A prompt that a request brought along, ready to render. */
export interface InlinePrompt {
  readonly definition: PromptDefinition
  readonly compiled: CompiledPrompt
  /** What it reaches; undefined for everything. */
  readonly reach?: Reach | undefined
}

/** Reads and compiles a prompt that a request brings along. @throws ServiceError `invalid_prompt`, and TemplateError */
export type CompileInline = (
  snapshot: Snapshot,
  document: JsonObject,
  reach?: Reach,
) => InlinePrompt | Promise<InlinePrompt>

/** The name of what a request brings along, in messages and logs. */
export const INLINE = 'inline'
/** Up to here a prompt is compiled at once. */
const FEW_ACTIONS = 300

/**
 * Reads and compiles a prompt given in a request. Equal documents share one compilation while it is in the cache. A
 * prompt with many actions is compiled in turns and comes as a promise.
 *
 * @throws ServiceError `invalid_prompt`, and TemplateError
 */
export function compileInlinePrompt(
  registry: Registry,
  snapshot: Snapshot,
  document: JsonObject,
  turns: Turns,
  reach?: Reach,
): InlinePrompt | Promise<InlinePrompt> {
  const definition = read(document, registry.maxTemplateBytes)
  const content = stringifyJson(document) + (reach === undefined ? '' : `\n${reach.name}`)
  const revision = createHash('sha256').update(content).digest('hex').slice(0, 24)
  const entry: PromptEntry = {
    id: INLINE,
    revision,
    location: 'the request',
    origin: 'direct',
    extension: undefined,
    document,
    definition,
    reach,
  }
  const scope = registry.scopeOf({ bound: reach?.labels })
  if (countActions(definition) <= FEW_ACTIONS) {
    return { definition, compiled: registry.compiled(snapshot, entry, scope), reach }
  }
  return registry
    .compiledInTurns(snapshot, entry, () => turns.next(), scope)
    .then((compiled) => ({ definition, compiled, reach }))
}

function read(document: JsonObject, maxTemplateBytes: number): PromptDefinition {
  try {
    const definition = normalisePrompt(document, INLINE)
    checkTexts(definition, maxTemplateBytes)
    return definition
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    const { hint } = error.fault
    const details = hint === undefined ? {} : { details: { hint } }
    throw new ServiceError('invalid_prompt', error.message, { cause: error, param: 'prompt', ...details })
  }
}
