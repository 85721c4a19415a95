import { sprintf } from '../format/sprintf.js'
import type { Value } from '../value.js'
import type { BuiltinSite, LiteralFormatSite } from './builtin-site.js'
import { callFailed } from './call-failed.js'
import { costOfCall } from './cost-of-call.js'
import { Pending } from './pending.js'
import type { Run } from './run.js'

/** What runs a printf in generated code. */
export interface Formats {
  readonly literal: (run: Run, site: LiteralFormatSite, values: Value[]) => Value
  readonly dynamic: (run: Run, site: BuiltinSite, format: Value, values: Value[]) => Value
  readonly one: (run: Run, site: LiteralFormatSite, first: Value) => Value
  readonly two: (run: Run, site: LiteralFormatSite, first: Value, second: Value) => Value
  readonly three: (run: Run, site: LiteralFormatSite, first: Value, second: Value, third: Value) => Value
}

/** The printfs of templates where integers adapt to float verbs, or not. */
export function formatsFor(adaptsNumbers: boolean): Formats {
  const literal: Formats['literal'] = (run, site, values) => formatLiteral(run, site, values, adaptsNumbers)
  return {
    literal,
    dynamic: (run, site, format, values) => formatDynamic(run, site, format, values, adaptsNumbers),
    one: (run, site, first) =>
      charged(run, site, site.format.append1('', first)) ?? literal(run, site, [first]),
    two: (run, site, first, second) =>
      charged(run, site, site.format.append2('', first, second)) ?? literal(run, site, [first, second]),
    three: (run, site, first, second, third) =>
      charged(run, site, site.format.append3('', first, second, third)) ??
      literal(run, site, [first, second, third]),
  }
}

function charged(run: Run, site: BuiltinSite, text: string | undefined): string | undefined {
  if (text !== undefined) run.budget.makeValue(site.callSite, text)
  return text
}

function formatLiteral(run: Run, site: LiteralFormatSite, given: Value[], adaptsNumbers: boolean): Value {
  if (given.some(isPending)) {
    return run.calls.defer(given, (settled) =>
      formatLiteral(run, site, settled.map(nilForMissing), adaptsNumbers),
    )
  }
  let text: string
  try {
    const values = given.some(isObject) ? given.map((value) => run.border.adopt(value)) : given
    const units = costOfCall(site.cost, values, run.budget.maxWidth)
    if (!run.budget.admits(site.callSite, units)) {
      return run.calls.later(() => formatLiteral(run, site, values, adaptsNumbers))
    }
    text = site.format.format(values, run.output.warnings.printingAt(site.callSite, adaptsNumbers))
  } catch (error) {
    throw callFailed(site, error, run.budget)
  }
  run.budget.makeValue(site.callSite, text)
  return text
}

function formatDynamic(
  run: Run,
  site: BuiltinSite,
  format: Value,
  given: Value[],
  adaptsNumbers: boolean,
): Value {
  if (format instanceof Pending || given.some(isPending)) {
    return run.calls.defer([format, ...given], ([settledFormat, ...settled]) =>
      formatDynamic(run, site, settledFormat, settled.map(nilForMissing), adaptsNumbers),
    )
  }
  try {
    const values = given.map((value) => run.border.adopt(value))
    const units = costOfCall(site.cost, [format, ...values], run.budget.maxWidth)
    if (!run.budget.admits(site.callSite, units)) {
      return run.calls.later(() => formatDynamic(run, site, format, values, adaptsNumbers))
    }
    const text = sprintf(String(format), values, run.output.warnings.printingAt(site.callSite, adaptsNumbers))
    run.budget.makeValue(site.callSite, text)
    return text
  } catch (error) {
    throw callFailed(site, error, run.budget)
  }
}

function isPending(value: Value): boolean {
  return value instanceof Pending
}

function isObject(value: Value): boolean {
  return typeof value === 'object' && value !== null
}

function nilForMissing(value: Value): Value {
  return value ?? null
}
