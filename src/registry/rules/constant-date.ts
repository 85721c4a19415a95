import type { UsedArgument } from '../../template/host.js'
import { placeAt } from './places.js'
import type { PromptRule } from './rule.js'

/** Functions that take a time, and which argument it is. */
const TIME_ARGUMENT: ReadonlyMap<string, number> = new Map([
  ['date', 1],
  ['dateInZone', 1],
  ['date_in_zone', 1],
  ['htmlDate', 0],
  ['htmlDateInZone', 0],
  ['ago', 0],
])

/** A date written as text: functions of dates take it for none and print today, as Sprig's do. */
export const constantDate: PromptRule = function* (prompt, { usageOf }) {
  for (const field of usageOf(prompt)) {
    for (const { name, offset, arguments: values } of field.usage.calls) {
      const text = textOf(values[TIME_ARGUMENT.get(name) ?? -1])
      if (text === undefined) continue
      yield {
        message: `${name} takes a time, and ${JSON.stringify(text)} is a text: it uses the time of the render`,
        hint: `write (toDate "2006-01-02" ${JSON.stringify(text)})`,
        place: placeAt(field, offset),
      }
    }
  }
}

function textOf(argument: UsedArgument | undefined): string | undefined {
  return argument?.kind === 'text' ? argument.text : undefined
}
