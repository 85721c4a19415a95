import { nearPartials } from '../near-partials.js'
import { LIVE } from '../partial-scope.js'
import { placeAt } from './places.js'
import type { PromptRule } from './rule.js'

/** A template that is called by a name that neither the text nor the catalog knows. */
export const unknownPartial: PromptRule = function* (prompt, { snapshot, usageOf }) {
  const told = new Set<string>()
  for (const field of usageOf(prompt)) {
    for (const { name, offset } of field.usage.partials) {
      if (told.has(name) || LIVE.find(snapshot, name)?.definition.body.kind === 'prompt') continue
      told.add(name)
      yield {
        message: `template ${name} is neither defined in the text nor a prompt with a userPrompt`,
        hint: nearPartials(name, snapshot).hint,
        place: placeAt(field, offset),
      }
    }
  }
}
