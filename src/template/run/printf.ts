import { FORMAT } from '../cost.js'
import { costOfFormat } from '../format/cost-of-format.js'
import { printFormat } from '../format/print-format.js'
import { type Format, readFormat } from '../format/read-format.js'
import type { Value } from '../value.js'
import type { BuiltinSite, LiteralFormatSite } from './builtin-site.js'
import { type ChargedWork, countMade, performArrived } from './charged-call.js'
import type { Run } from './run.js'

/** A printf whose format was read while it runs. */
interface ReadFormatSite extends BuiltinSite {
  readonly read: Format
}

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
  const printing = (run: Run, { callSite }: BuiltinSite) =>
    run.output.warnings.printingAt(callSite, adaptsNumbers)
  const printLiteral: ChargedWork<Run, LiteralFormatSite> = {
    takesNil: true,
    isDeep: () => true,
    costOf: ({ format, cost }) => format.costOf(cost),
    perform: (run, site, values) => site.format.format(values, printing(run, site)),
  }
  const printRead: ChargedWork<Run, ReadFormatSite> = {
    takesNil: true,
    isDeep: () => true,
    costOf: ({ read, cost }) => costOfFormat(cost, read),
    perform: (run, site, values) => printFormat(site.read, values, printing(run, site)),
  }
  // Two charged calls: to print costs what the format says, and to read that costs something too.
  const readAndPrint: ChargedWork<Run, BuiltinSite> = {
    takesNil: true,
    isDeep: () => true,
    costOf: () => FORMAT,
    charged: ([format]) => [String(format)],
    perform: (run, site, [format, ...values], hasWaited) => {
      const read = readFormat(String(format))
      return performArrived(run, { ...site, read }, values, printRead, hasWaited)
    },
  }
  const literal: Formats['literal'] = (run, site, values) => performArrived(run, site, values, printLiteral)
  return {
    literal,
    dynamic: (run, site, format, values) => performArrived(run, site, [format, ...values], readAndPrint),
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
