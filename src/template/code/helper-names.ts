import type { HelperName } from '../run/operations.js'

/** Builtins with a helper of their own, which has their name. */
const OPERATORS: ReadonlyMap<string, HelperName> = new Map(
  (['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'not'] as const).map((name) => [name, name]),
)

const CALLS = ['call0', 'call1', 'call2'] as const
const FORMATS = ['formatAll', 'format1', 'format2', 'format3'] as const
const PRINTED_FORMATS = ['printFormat1', 'printFormat2', 'printFormat3'] as const

/** The helper of `not`, or of a comparison of two values. */
export function operatorOf(builtin: string): HelperName {
  return OPERATORS.get(builtin) ?? 'callAll'
}

/** The helper that calls a builtin with so many values; more than two come as a list. */
export function callOf(values: number): HelperName {
  return CALLS[values] ?? 'callAll'
}

/** The helper of a literal format with so many values. */
export function formatOf(values: number): HelperName {
  return FORMATS[values] ?? 'formatAll'
}

/** The same where the output is all that is wanted; at most three values. */
export function printFormatOf(values: number): HelperName | undefined {
  return PRINTED_FORMATS[values - 1]
}
