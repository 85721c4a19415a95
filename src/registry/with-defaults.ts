import { compileDefaults } from '../schema/schema-defaults.js'
import { isJsonObject, type JsonObject, own } from '../util/json.js'

/** Completes the variables in a render's data by a prompt's own defaults; undefined if it has none. */
export function withDefaults(parameters: JsonObject): ((data: unknown) => unknown) | undefined {
  const fill = compileDefaults(parameters)
  if (fill === undefined) return undefined
  return (data) => {
    const given = isJsonObject(data) ? own(data, 'variables') : undefined
    if (!isJsonObject(given)) return data
    const variables = fill(given)
    return variables === given ? data : { ...(data as JsonObject), variables, args: variables }
  }
}
