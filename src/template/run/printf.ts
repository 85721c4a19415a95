import { FORMAT } from '../cost.js'
import { costOfFormat } from '../format/cost-of-format.js'
import { printFormat } from '../format/print-format.js'
import { readFormat } from '../format/read-format.js'
import type { Value } from '../value.js'
import type { BuiltinSite, LiteralFormatSite } from './builtin-site.js'
import { adoptArguments, countMade, NOT_YET, performCharged } from './charged-call.js'
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
      counted(run, site, site.format.append1('', first)) ?? literal(run, site, [first]),
    two: (run, site, first, second) =>
      counted(run, site, site.format.append2('', first, second)) ?? literal(run, site, [first, second]),
    three: (run, site, first, second, third) =>
      counted(run, site, site.format.append3('', first, second, third)) ??
      literal(run, site, [first, second, third]),
  }
}

/** Counts a text that was printed at once. @throws TemplateError */
function counted(run: Run, site: BuiltinSite, text: string | undefined): string | undefined {
  return text === undefined ? undefined : countMade(run.budget, site, text)
}

function formatLiteral(
  run: Run,
  site: LiteralFormatSite,
  given: Value[],
  adaptsNumbers: boolean,
  hasWaited = false,
): Value {
  if (given.some(isPending)) {
    return run.calls.defer(given, (settled) =>
      formatLiteral(run, site, settled.map(nilForMissing), adaptsNumbers),
    )
  }
  const { format } = site
  const values = adoptArguments(run, site, given, true)
  const print = (_: BuiltinSite, settled: Value[]) =>
    format.format(settled, run.output.warnings.printingAt(site.callSite, adaptsNumbers))
  const result = performCharged(run.budget, site, format.costOf(site.cost), values, print, hasWaited)
  if (result !== NOT_YET) return result
  return run.calls.later(() => formatLiteral(run, site, values, adaptsNumbers, true))
}

function formatDynamic(
  run: Run,
  site: BuiltinSite,
  format: Value,
  given: Value[],
  adaptsNumbers: boolean,
  hasWaited = false,
): Value {
  if (format instanceof Pending || given.some(isPending)) {
    return run.calls.defer([format, ...given], ([settledFormat, ...settled]) =>
      formatDynamic(run, site, settledFormat, settled.map(nilForMissing), adaptsNumbers),
    )
  }
  const values = adoptArguments(run, site, given, true)
  const text = String(format)
  const later = () => run.calls.later(() => formatDynamic(run, site, format, values, adaptsNumbers, true))
  const read = performCharged(run.budget, site, FORMAT, [text], () => readFormat(text), hasWaited)
  if (read === NOT_YET) return later()
  const print = (_: BuiltinSite, settled: Value[]) =>
    printFormat(read, settled, run.output.warnings.printingAt(site.callSite, adaptsNumbers))
  const result = performCharged(run.budget, site, costOfFormat(site.cost, read), values, print, hasWaited)
  return result === NOT_YET ? later() : result
}

function isPending(value: Value): boolean {
  return value instanceof Pending
}

function nilForMissing(value: Value): Value {
  return value ?? null
}
