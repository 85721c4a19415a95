import { Type } from './type.js'

/** The keyword that lists the values known today; a generator that does not know it sees a text. */
export const KNOWN_VALUES = 'x-extensible-enum'

/**
 * A text of an answer that has one of these values today. Later releases may add values, which no client may fail on:
 * so it is not an `enum`.
 */
export function openEnum<const Value extends string>(
  values: readonly Value[],
  description: string,
  rules: Readonly<Record<string, unknown>> = {},
) {
  return Type.Unsafe<Value>({ type: 'string', [KNOWN_VALUES]: [...values], description, ...rules })
}
