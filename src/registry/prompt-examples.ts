import { isJsonObject, type JsonObject, own } from '../util/json/json.js'

/** Named sets of variables of one prompt, in the order its author wrote them. */
export type PromptExamples = ReadonlyMap<string, JsonObject>

const NO_EXAMPLES: PromptExamples = new Map()

/**
 * The named sets of variables that a prompt's document has under `examples`. Entries that are not objects are left out:
 * `check` reports them, and the prompt serves without them.
 *
 * @param document the prompt as its author wrote it
 */
export function examplesOf(document: JsonObject): PromptExamples {
  const written = own(document, 'examples')
  if (!isJsonObject(written)) return NO_EXAMPLES
  return new Map(
    Object.entries(written).flatMap(([name, variables]) =>
      isJsonObject(variables) ? [[name, variables] as const] : [],
    ),
  )
}
