import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import type { PromptDefinition } from '../snapshot.js'

/** Keywords that let a schema accept more than its `properties` say. */
const OPENING = ['patternProperties', 'additionalProperties', '$ref', 'allOf', 'anyOf', 'oneOf', 'if']

/** What a request puts on top of the shared context. */
export const REQUEST_ENTRIES: ReadonlySet<string> = new Set(['variables', 'args'])

/**
 * The variables that a prompt declares; undefined for one that declares nothing, and where the schema takes others too.
 */
export function declaredVariables({
  parameters,
}: Pick<PromptDefinition, 'parameters'>): JsonObject | undefined {
  const properties = own(parameters, 'properties')
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return undefined
  const isOpen = OPENING.some((name) => (own(parameters, name) ?? false) !== false)
  return isOpen ? undefined : properties
}
