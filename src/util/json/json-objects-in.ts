import { firstJson } from './first-json.js'
import type { JsonObject } from './json.js'
import { repairJson } from './repair-json.js'

/** Whoever writes more objects than this into one answer is not read to the end. */
const MAX_OBJECTS = 16

/** The objects in a text, in their order, whatever stands around them; mended where that is possible. */
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
