import { isBuiltin, nearFunctions } from '../../template/host.js'
import { placeAt } from './places.js'
import type { PromptRule } from './rule.js'

/** Reports a function that is neither in the library nor a tool of the catalog. */
export const unknownFunction: PromptRule = function* (prompt, { snapshot, library, usageOf }) {
  const told = new Set<string>()
  for (const field of usageOf(prompt)) {
    for (const { name, offset } of field.usage.calls) {
      if (told.has(name) || isBuiltin(name) || library.has(name) || snapshot.functions.has(name)) continue
      told.add(name)
      const tool = toolMeant(field.text.slice(offset))
      const near =
        tool !== undefined && snapshot.functions.has(tool)
          ? tool
          : nearFunctions(name, [...(library.keys?.() ?? []), ...snapshot.functions.ids()])[0]
      yield {
        message: `the function "${name}" is not defined`,
        hint: near === undefined ? undefined : `did you mean ${near}?`,
        place: placeAt(field, offset),
      }
    }
  }
}

/** The function of a tool whose id was written: `code_refs` of `code.refs "x"`. */
function toolMeant(text: string): string | undefined {
  return /^\w+(?:\.\w+)+/.exec(text)?.[0].replaceAll('.', '_')
}
