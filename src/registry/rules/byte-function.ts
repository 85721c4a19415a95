import { schemaAt } from '../../schema/schema-at.js'
import type { UsedArgument } from '../../template/host.js'
import { type JsonValue, own } from '../../util/json/json.js'
import { valueAt } from '../../util/json/json-path.js'
import type { PromptEntry } from '../snapshot.js'
import { REQUEST_ENTRIES } from './declared.js'
import { placeAt } from './places.js'
import { type PromptRule, type RuleScope, withRests } from './rule.js'

/** Functions that count bytes, and what to use for text of other scripts. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ['trunc', 'truncRunes'],
  ['substr', 'substrRunes'],
  ['abbrev', 'abbrevRunes'],
  ['slice', 'substrRunes'],
  ['len', 'lenRunes'],
])

/** Most texts that templates cut are short; of a long one the beginning is enough. */
const LOOKED_AT = 10_000
/** Each may look at so much text. */
const CALLS_AT_A_STRETCH = 16

/** A function that counts bytes, on text that is not ASCII: it cuts characters in two. */
export const byteFunction: PromptRule = function* (prompt, scope) {
  const { library } = scope
  for (const field of scope.usageOf(prompt)) {
    for (const call of withRests(field.usage.calls, CALLS_AT_A_STRETCH)) {
      if (call === undefined) {
        yield
        continue
      }
      const { name, offset, arguments: values } = call
      const replacement = REPLACEMENTS.get(name)
      if (replacement === undefined || !values.some((value) => isWide(value, field.text, prompt, scope)))
        continue
      yield {
        message: `${name} counts bytes, and this text is not ASCII: a character may be cut in two`,
        hint: library.has(replacement) ? `use ${replacement}` : undefined,
        place: placeAt(field, offset),
      }
    }
  }
}

function isWide(
  value: UsedArgument,
  template: string,
  prompt: PromptEntry,
  { snapshot }: RuleScope,
): boolean {
  if (value.kind === 'text') return !isAscii(value.text)
  if (value.kind !== 'path') return false
  const [first = '', ...rest] = value.path
  if (!REQUEST_ENTRIES.has(first)) return isWideText(valueAt(snapshot.context, value.path))
  const declared = schemaAt(prompt.definition.parameters, rest)
  if (isWideText(declared && own(declared, 'default'))) return true
  // A prompt whose template is not ASCII usually gets variables that are not ASCII either.
  return own(declared ?? {}, 'type') === 'string' && !isAscii(template)
}

function isWideText(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && !isAscii(value)
}

function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text.slice(0, LOOKED_AT))
}
