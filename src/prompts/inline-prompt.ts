import { createHash } from 'node:crypto'
import { ServiceError } from '../errors.js'
import { normalisePrompt } from '../registry/normalise-prompt.js'
import { DocumentError } from '../registry/problem.js'
import type { CompiledPrompt, Registry } from '../registry/registry.js'
import type { PromptDefinition, Snapshot } from '../registry/snapshot.js'
import { type JsonObject, stringifyJson } from '../util/json.js'

/** A prompt that a request brought along, ready to render. */
export interface InlinePrompt {
  readonly definition: PromptDefinition
  readonly compiled: CompiledPrompt
}

/** Its name in error messages. */
const INLINE = 'inline'

/**
 * Reads and compiles a prompt given in a request. Equal documents share one compilation while it is in the cache.
 *
 * @throws ServiceError `invalid_prompt`, and TemplateError
 */
export function compileInlinePrompt(
  registry: Registry,
  snapshot: Snapshot,
  document: JsonObject,
): InlinePrompt {
  const definition = read(document)
  const revision = createHash('sha256').update(stringifyJson(document)).digest('hex').slice(0, 24)
  const compiled = registry.compiled(snapshot, {
    id: INLINE,
    revision,
    location: 'the request',
    origin: 'direct',
    extension: undefined,
    document,
    definition,
  })
  return { definition, compiled }
}

function read(document: JsonObject): PromptDefinition {
  try {
    return normalisePrompt(document, INLINE)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    throw new ServiceError('invalid_prompt', error.message, { cause: error, param: 'prompt' })
  }
}
