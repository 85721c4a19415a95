import { nearNames } from '../../util/errors/near-names.js'
import { declaredVariables, REQUEST_ENTRIES } from './declared.js'
import { placeOfPath } from './places.js'
import { type Advice, type PromptRule, withRests } from './rule.js'

/** A variable that a template reads and `parameters` does not name. */
export const undeclaredVariable: PromptRule = function* (prompt, { usageOf }) {
  const declared = declaredVariables(prompt.definition)
  if (declared === undefined) return
  const reported = new Set<string>()
  for (const field of usageOf(prompt)) {
    for (const read of withRests(field.usage.reads)) {
      if (read === undefined) {
        yield
        continue
      }
      const [first = '', name] = read.path
      if (!REQUEST_ENTRIES.has(first) || name === undefined) continue
      if (Object.hasOwn(declared, name) || reported.has(name)) continue
      reported.add(name)
      const finding: Advice = {
        message: `the template reads .${first}.${name}, and parameters does not declare ${name}`,
        hint: hintFor(name, Object.keys(declared)),
        place: placeOfPath(field, read),
      }
      yield finding
    }
  }
}

function hintFor(name: string, declared: readonly string[]): string {
  const [near] = nearNames(name, declared)
  return near === undefined ? `add { name: ${name}, type: string } to parameters` : `did you mean ${near}?`
}
