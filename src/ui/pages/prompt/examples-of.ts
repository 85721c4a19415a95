import type { JsonObject, JsonValue } from '../../api/shapes.js'

/** The named sets of variables of a prompt, as its author wrote them. */
export function examplesOf({
  examples,
}: JsonObject): readonly (readonly [name: string, variables: JsonObject])[] {
  if (!isObject(examples)) return []
  return Object.entries(examples).flatMap(([name, variables]) =>
    isObject(variables) ? [[name, variables] as const] : [],
  )
}

/** The name of the example that has these variables. */
export function exampleOf(document: JsonObject, variables: JsonObject): string | undefined {
  const current = JSON.stringify(variables)
  return examplesOf(document).find(([, each]) => JSON.stringify(each) === current)?.[0]
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
