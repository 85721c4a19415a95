import type { HelperName } from '../../run/operations.js'

/** Comparisons of two values, and `not`, have helpers of their own, which have their names. */
const OPERATORS: ReadonlyMap<string, { readonly helper: HelperName; readonly values: number }> = new Map([
  ['eq', { helper: 'eq', values: 2 }],
  ['ne', { helper: 'ne', values: 2 }],
  ['lt', { helper: 'lt', values: 2 }],
  ['le', { helper: 'le', values: 2 }],
  ['gt', { helper: 'gt', values: 2 }],
  ['ge', { helper: 'ge', values: 2 }],
  ['not', { helper: 'not', values: 1 }],
])
const CALLS: readonly HelperName[] = ['call0', 'call1', 'call2']
const FORMATS: readonly HelperName[] = ['formatAll', 'format1', 'format2', 'format3']
const PRINTED_FORMATS: readonly HelperName[] = ['printFormat1', 'printFormat2', 'printFormat3']

/** The helper of a builtin for this number of values, if it has its own. */
export function operatorOf(builtin: string, values: number): HelperName | undefined {
  const operator = OPERATORS.get(builtin)
  return operator?.values === values ? operator.helper : undefined
}

/** The helper that calls a builtin with this number of values; more than two come as a list. */
export function callHelper(values: number): HelperName {
  return CALLS[values] ?? 'callAll'
}

/** The helper of a literal format with this number of values; none, or more than three, come as a list. */
export function formatOf(values: number): HelperName {
  return (values === 0 ? undefined : FORMATS[values]) ?? 'formatAll'
}

/** The same where the output is all that is wanted; at most three values. */
export function printFormatOf(values: number): HelperName | undefined {
  return PRINTED_FORMATS[values - 1]
}
