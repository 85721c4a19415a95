import { placeAt } from './places.js'
import type { PromptRule } from './rule.js'

/** Three braces of Handlebars: here they print a value in braces. */
export const extraBraces: PromptRule = function* (prompt, { usageOf }) {
  if (prompt.definition.engine !== 'handlebars') return
  for (const field of usageOf(prompt)) {
    const offset = field.text.indexOf('{{{')
    if (offset < 0) continue
    yield {
      message: '{{{x}}} prints the value in braces',
      hint: 'write {{x}}: nothing is escaped here',
      place: placeAt(field, offset),
    }
  }
}
