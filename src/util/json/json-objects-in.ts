import { firstJson } from './first-json.js'
import type { JsonObject } from './json.js'
import { repairJson } from './repair-json.js'

/** Answers with more objects than this are not read to the end. */
const MAX_OBJECTS = 16

/** The objects in a text, in their order, whatever surrounds them; repaired if possible. */
export function jsonObjectsIn(text: string): readonly JsonObject[] {
  const objects: JsonObject[] = []
  let rest = text
  for (let tries = 0; tries < MAX_OBJECTS; tries += 1) {
    const found = firstJson(rest)
    if (found === undefined) break
    const value = repairJson(found.text)
    if (value !== undefined) objects.push(value)
    rest = rest.slice(rest.indexOf('{') + (value === undefined ? 1 : found.text.length))
  }
  return objects
}
