import { nearFunctions } from '../../template/near-functions.js'
import { isBuiltin } from '../../template/usage.js'
import { placeAt } from './places.js'
import type { PromptRule } from './rule.js'

/** A function that is none of the library and no tool of the catalog. */
export const unknownFunction: PromptRule = function* (prompt, { snapshot, library, usageOf }) {
  const told = new Set<string>()
  for (const field of usageOf(prompt)) {
    for (const { name, offset } of field.usage.calls) {
      if (told.has(name) || isBuiltin(name) || library.has(name) || snapshot.functions.has(name)) continue
      told.add(name)
      const [near] = nearFunctions(name, [...(library.keys?.() ?? []), ...snapshot.functions.ids()])
      yield {
        message: `function ${name} is not defined`,
        hint: near === undefined ? undefined : `did you mean ${near}?`,
        place: placeAt(field, offset),
      }
    }
  }
}
