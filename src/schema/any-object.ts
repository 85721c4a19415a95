import type { JsonObject } from '../util/json/json.js'
import { MAX_PASSED_FIELDS } from './limits.js'
import { type Static, type TSchema, Type } from './type.js'

/** The rules of a body whose further fields go to the model: each is copied on its way, and no model knows this many. */
export const PASSED_ON = { additionalProperties: true, maxProperties: MAX_PASSED_FIELDS } as const

/** Any JSON object: what it holds is not this schema's business. `options` are further keywords, such as a description. */
export function anyObject(options: Readonly<Record<string, unknown>> = {}) {
  return Type.Unsafe<JsonObject>({
    type: 'object',
    properties: {},
    additionalProperties: true,
    ...options,
  })
}

/** An object with these properties and nothing else. */
export function closedObject<Properties extends Record<string, TSchema>>(
  properties: Properties,
  rules: Readonly<Record<string, unknown>> = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...rules })
}

/** An object with these properties, and others that nobody reads. */
export function looseObject<Properties extends Record<string, TSchema>>(
  properties: Properties,
  rules: Readonly<Record<string, unknown>> = {},
) {
  return Type.Object(properties, { additionalProperties: true, ...rules })
}

/** An object with these properties and whatever else it brings along, which is read as JSON. */
export function openObject<Properties extends Record<string, TSchema>>(properties: Properties) {
  const schema = looseObject(properties)
  return Type.Unsafe<Static<typeof schema> & JsonObject>(schema)
}
