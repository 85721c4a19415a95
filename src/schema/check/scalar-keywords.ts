import type { JsonValue } from '../../util/json/json.js'
import { named } from '../../util/named.js'
import { MAX_ENUM_VALUES } from '../limits.js'
import type { Check } from './check-run.js'
import { jsonKey } from './json-key.js'
import type { Keyword, KeywordTable } from './keyword.js'
import { shownValue, shownValues } from './shown-values.js'

type JsonNumber = number | bigint

/** Whether a value is of a JSON Schema type. Numbers out of range, such as one of 400 digits, match no type. */
const TYPES: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value)),
  integer: (value) => typeof value === 'bigint' || Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** Keywords for any value, and those for numbers. */
export const SCALAR_KEYWORDS: KeywordTable = {
  type(value, part) {
    const names = Array.isArray(value) ? value : [value]
    if (names.length === 0 || !names.every((name) => typeof name === 'string' && Object.hasOwn(TYPES, name)))
      part.wrong('type', `must be one or some of ${Object.keys(TYPES).join(', ')}`)
    const params = { type: value }
    const tests = names.map((name) => named(TYPES, name))
    const [test] = tests
    if (test !== undefined && tests.length === 1)
      return (given, run) => test(given) || run.fail('type', params)
    return (given, run) => tests.some((is) => is(given)) || run.fail('type', params)
  },
  enum(value, part) {
    if (!Array.isArray(value)) return part.wrong('enum', 'must be a list')
    if (value.length > MAX_ENUM_VALUES)
      return part.wrong('enum', `has ${value.length} values, more than ${MAX_ENUM_VALUES}`)
    const keys = new Set(value.map((item) => jsonKey(item)))
    const params = { allowedValues: value, shown: shownValues(value) }
    return (given, run) => keys.has(jsonKey(given, run)) || run.fail('enum', params)
  },
  const(value) {
    const key = jsonKey(value)
    const params = { allowedValue: value, shown: shownValue(value) }
    return (given, run) => jsonKey(given, run) === key || run.fail('const', params)
  },
  minimum: bound('>=', (value, limit) => value >= limit),
  maximum: bound('<=', (value, limit) => value <= limit),
  exclusiveMinimum: bound('>', (value, limit) => value > limit),
  exclusiveMaximum: bound('<', (value, limit) => value < limit),
  multipleOf(value, part) {
    const divisor = Number(value)
    if (!isNumber(value) || !(divisor > 0)) return part.wrong('multipleOf', 'must be a number above 0')
    const params = { multipleOf: value }
    return (given, run) =>
      !isNumber(given) || Number.isInteger(Number(given) / divisor) || run.fail('multipleOf', params)
  },
}

function bound(comparison: string, holds: (value: JsonNumber, limit: JsonNumber) => boolean): Keyword {
  return (limit, part, keyword): Check => {
    if (!isNumber(limit)) return part.wrong(keyword, 'must be a number')
    const params = { comparison, limit }
    return (given, run) => !isNumber(given) || holds(given, limit) || run.fail(keyword, params)
  }
}

function isNumber(value: JsonValue): value is JsonNumber {
  return typeof value === 'number' || typeof value === 'bigint'
}
