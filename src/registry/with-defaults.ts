import { compileDefaults } from '../schema/schema-defaults.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'

/** Completes the variables in a render's data by a prompt's own defaults; undefined if it has none. */
export function withDefaults(parameters: JsonObject): ((data: unknown) => unknown) | undefined {
  const fill = compileDefaults(parameters)
  if (fill === undefined) return undefined
  return (data) => {
    if (!isJsonObject(data)) return data
    const given = own(data, 'variables')
    if (!isJsonObject(given)) return data
    const variables = fill(given)
    return variables === given ? data : { ...data, variables, args: variables }
  }
}
