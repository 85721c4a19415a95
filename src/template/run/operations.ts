import type { LongText } from '../fast/byte-sink.js'
import { ADAPTIVE_COMPARISONS, GO_COMPARISONS } from '../format/adaptive.js'
import { INTERFACE_ARGUMENT } from '../format/collection.js'
import type { Rules } from '../program.js'
import { execError, type Site } from '../site.js'
import type { Value } from '../value.js'
import type { BuiltinSite, LiteralFormatSite, OpenFormatSite } from './builtin-site.js'
import { callBuiltin, callLight, isLight } from './call-builtin.js'
import { type Cursor, elementAt } from './cursor.js'
import { hasInterfaceElements } from './field.js'
import { openLoop } from './open-loop.js'
import { ADAPTIVE_OPERATORS, GO_OPERATORS, isEqualText, not, truthOf } from './operators.js'
import { mismatch } from './parameters.js'
import { Pending } from './pending.js'
import { formatsFor } from './printf.js'
import type { Run } from './run.js'
import { writeJsonValue, writeValue } from './write-value.js'

/** What generated code calls beside the run, each under one word. */
export type Helpers = ReturnType<typeof createHelpers>
export type HelperName = keyof Helpers

/** The helpers under a dialect's rules. */
export function helpersFor(rules: Rules): Helpers {
  const helpers = known.get(rules) ?? createHelpers(rules)
  known.set(rules, helpers)
  return helpers
}

/** A pure memo: there are as many as dialects. */
const known = new WeakMap<Rules, Helpers>()

function createHelpers(rules: Rules) {
  const { print: format, isTrue } = rules
  const adaptsNumbers = rules.numbers === 'adaptive'
  const comparisons = adaptsNumbers ? ADAPTIVE_COMPARISONS : GO_COMPARISONS
  const { literal, dynamic, one, two, three } = formatsFor(adaptsNumbers)
  return {
    /** The class of results that are still under way. */
    Pending,
    /** Whether a loop goes over a plain list. */
    isArray: Array.isArray,
    /** Adds a printed value to the output. */
    print: (run: Run, output: string, value: Value, site: Site) =>
      writeValue(run, output, value, format, site),
    /** Adds a printed value to output that is the inside of a JSON string. */
    printJson: (run: Run, output: string, value: Value, site: Site) =>
      writeJsonValue(run, output, value, format, site),
    /** Adds a long static text, as bytes where the render writes bytes. */
    addLong: (run: Run, output: string, text: string | LongText) =>
      typeof text === 'string' ? output + text : run.output.writeLong(output, text),
    /** Whether a value counts as true. */
    isTrue: (value: Value) => truthOf(value, isTrue),
    /** The elements of a loop over anything but a plain list. */
    openLoop,
    /** An element of that. */
    elementAt: (cursor: Cursor, index: number) => elementAt(cursor, index),
    /** Throws for mistakes of the template that Go reports at run time. */
    fail,
    /** An index of `slice`, which Go may find inside an interface. */
    sliceIndex,
    /** Whether two texts that differ are the same bytes. */
    isEqualText,
    /** A call of a builtin without arguments. */
    call0: (run: Run, site: BuiltinSite) => callBuiltin(run, site, [], comparisons),
    /** A call of a builtin with one argument. */
    call1: (run: Run, site: BuiltinSite, value: Value) =>
      isLight(site, value) ? callLight(run, site, [value]) : callBuiltin(run, site, [value], comparisons),
    /** A call of a builtin with two arguments. */
    call2: (run: Run, site: BuiltinSite, left: Value, right: Value) =>
      isLight(site, left) && isLight(site, right)
        ? callLight(run, site, [left, right])
        : callBuiltin(run, site, [left, right], comparisons),
    /** A call of a builtin with any number of arguments. */
    callAll: (run: Run, site: BuiltinSite, values: Value[]) => callBuiltin(run, site, values, comparisons),
    /** The builtin `not`. */
    not: (run: Run, site: BuiltinSite, value: Value) => not(run, site, value, isTrue),
    /** `printf` with a literal format and one value. */
    format1: one,
    /** `printf` with a literal format and two values. */
    format2: two,
    /** `printf` with a literal format and three values. */
    format3: three,
    /** `printf` with a literal format and any number of values. */
    formatAll: literal,
    /** Adds a `printf` of one value to the output. */
    printFormat1: (run: Run, output: string, site: LiteralFormatSite, first: Value) =>
      site.format.append1(output, first) ??
      writeValue(run, output, literal(run, site, [first]), format, site.callSite),
    /** Adds a `printf` of two values to the output. */
    printFormat2: (run: Run, output: string, site: LiteralFormatSite, first: Value, second: Value) =>
      site.format.append2(output, first, second) ??
      writeValue(run, output, literal(run, site, [first, second]), format, site.callSite),
    /** Adds a `printf` of three values to the output. */
    printFormat3: (
      run: Run,
      output: string,
      site: LiteralFormatSite,
      first: Value,
      second: Value,
      third: Value,
    ) =>
      site.format.append3(output, first, second, third) ??
      writeValue(run, output, literal(run, site, [first, second, third]), format, site.callSite),
    /** `printf` with a format that is known at run time only. */
    formatWith: dynamic,
    /** Checks that such a format is a text. */
    formatArgument,
    ...(adaptsNumbers ? ADAPTIVE_OPERATORS : GO_OPERATORS),
  }
}

function formatArgument(run: Run, site: OpenFormatSite, value: Value): Value {
  if (typeof value === 'string') return value
  if (value instanceof Pending)
    return run.calls.defer([value], ([settled]) => formatArgument(run, site, settled))
  const message = mismatch(value, 'string')
  if (message !== '') throw execError(site.formatSite ?? run.at, message)
  return value
}

function fail(site: Site, message: string): never {
  throw execError(site, message)
}

function sliceIndex(_run: Run, value: Value, container: Value): Value {
  if (value === undefined || container === undefined) return value
  return container === null || hasInterfaceElements(container) ? INTERFACE_ARGUMENT : value
}
