import { keyed } from '../../util/at.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { named } from '../../util/named.js'
import type { Check, CheckRun } from './check-run.js'
import type { Keyword, KeywordTable, SchemaPart } from './keyword.js'
import { readCount } from './read-count.js'
import { shownName } from './shown-values.js'

/** A name is looked up, or checked as a value of its own. */
const STEPS_PER_NAME = 5

/** Keywords for objects. */
export const OBJECT_KEYWORDS: KeywordTable = {
  minProperties: sizeBound((size, limit) => size >= limit),
  maxProperties: sizeBound((size, limit) => size <= limit),
  required(value, part) {
    const names = readNames(value, part, 'required')
    return (given, run) => {
      if (!isJsonObject(given)) return true
      run.charge(names.length)
      let fits = true
      for (const name of names) if (!Object.hasOwn(given, name)) fits = lacks(name, run)
      return fits
    }
  },
  properties(value, part) {
    const checks = new Map(schemasOf(value, part, 'properties'))
    const names = [...checks.keys()]
    if (names.length === 0) return undefined
    // A closed object's keys are iterated anyway, and most bodies have few of the declared properties.
    const isClosed = own(part.schema, 'additionalProperties') === false
    const ranks = new Map(names.map((name, rank) => [name, rank]))
    return (given, run) => {
      if (!isJsonObject(given)) return true
      run.charge(names.length)
      const expected = isClosed ? namesIn(given, names, ranks) : names
      let fits = true
      for (const name of expected) {
        const check = checks.get(name)
        if (check !== undefined && Object.hasOwn(given, name))
          fits = run.inside(name, named(given, name), check) && fits
      }
      return fits
    }
  },
  patternProperties(value, part) {
    const rules = schemasOf(value, part, 'patternProperties').map(
      ([source, check]) => [part.pattern(source, `patternProperties.${source}`), check] as const,
    )
    return (given, run) => {
      if (!isJsonObject(given)) return true
      let fits = true
      for (const name of Object.keys(given)) {
        for (const [pattern, check] of rules) {
          if (pattern.matches(name, run)) fits = run.inside(name, named(given, name), check) && fits
        }
      }
      return fits
    }
  },
  additionalProperties(value, part) {
    // Later dialects note for `unevaluatedProperties` what was looked at.
    if (value === true && part.dialect === 'draft-07') return undefined
    const isKnown = knownNames(part)
    const check = part.check(value, 'additionalProperties')
    return (given, run) => {
      if (!isJsonObject(given)) return true
      let fits = true
      const names = Object.keys(given)
      run.charge(names.length * STEPS_PER_NAME)
      for (const name of names) {
        if (isKnown(name, run)) continue
        fits = value === false ? excess(name, run) : run.inside(name, named(given, name), check) && fits
      }
      return fits
    }
  },
  propertyNames(value, part) {
    const check = part.check(value, 'propertyNames')
    return (given, run) => {
      if (!isJsonObject(given)) return true
      let fits = true
      const names = Object.keys(given)
      run.charge(names.length * STEPS_PER_NAME)
      for (const name of names) {
        if (!check(name, run)) fits = run.fail('propertyNames', { propertyName: shownName(name) })
      }
      return fits
    }
  },
  dependencies(value, part) {
    const rules = entriesOf(value, part, 'dependencies').map(
      ([name, rule]): Rule => [
        name,
        Array.isArray(rule)
          ? needs(name, readNames(rule, part, 'dependencies'))
          : part.check(rule, 'dependencies', name),
      ],
    )
    return whenPresent(rules)
  },
  dependentRequired(value, part) {
    if (part.dialect === 'draft-07') return undefined
    return whenPresent(
      entriesOf(value, part, 'dependentRequired').map(
        ([name, names]): Rule => [name, needs(name, readNames(names, part, 'dependentRequired'))],
      ),
    )
  },
  dependentSchemas(value, part) {
    return part.dialect === 'draft-07' ? undefined : whenPresent(schemasOf(value, part, 'dependentSchemas'))
  },
}

/** What is demanded of an object that has a property. */
type Rule = readonly [name: string, check: Check]

/** The names to look for in an object: no more than it or the schema has, in the schema's order. */
function namesIn(
  given: JsonObject,
  names: readonly string[],
  ranks: ReadonlyMap<string, number>,
): readonly string[] {
  const present = Object.keys(given)
  if (present.length < 2) return present
  if (present.length >= names.length) return names
  return present
    .filter((name) => ranks.has(name))
    .sort((one, other) => keyed(ranks, one) - keyed(ranks, other))
}

function sizeBound(holds: (size: number, limit: number) => boolean): Keyword {
  return (value, part, keyword) => {
    const limit = readCount(value, part, keyword)
    return (given, run) =>
      !isJsonObject(given) || holds(Object.keys(given).length, limit) || run.fail(keyword, { limit })
  }
}

function lacks(name: string, run: CheckRun): false {
  return run.fail('required', { missingProperty: shownName(name) })
}

function excess(name: string, run: CheckRun): false {
  return run.fail('additionalProperties', { additionalProperty: shownName(name) })
}

function whenPresent(rules: readonly Rule[]): Check {
  return (given, run) => {
    if (!isJsonObject(given)) return true
    run.charge(rules.length)
    let fits = true
    for (const [name, check] of rules) if (Object.hasOwn(given, name)) fits = check(given, run) && fits
    return fits
  }
}

function needs(name: string, others: readonly string[]): Check {
  return (given, run) => {
    if (!isJsonObject(given)) return true
    run.charge(others.length)
    let fits = true
    for (const other of others) {
      if (Object.hasOwn(given, other)) continue
      const [property, dependency] = [shownName(name), shownName(other)]
      const message = `must have the property "${dependency}" where it has "${property}"`
      fits = run.fail('dependencies', { property, dependency }, message)
    }
    return fits
  }
}

/** Whether `properties` or `patternProperties` beside it speak of a name. */
function knownNames(part: SchemaPart): (name: string, run: CheckRun) => boolean {
  const names = new Set(Object.keys(objectOf(own(part.schema, 'properties'))))
  const patterns = Object.keys(objectOf(own(part.schema, 'patternProperties'))).map((source) =>
    part.pattern(source, `patternProperties.${source}`),
  )
  return (name, run) => names.has(name) || patterns.some((pattern) => pattern.matches(name, run))
}

function schemasOf(value: JsonValue, part: SchemaPart, keyword: string): readonly Rule[] {
  return entriesOf(value, part, keyword).map(([name, schema]) => [name, part.check(schema, keyword, name)])
}

function entriesOf(
  value: JsonValue,
  part: SchemaPart,
  keyword: string,
): readonly (readonly [string, JsonValue])[] {
  return isJsonObject(value) ? Object.entries(value) : part.wrong(keyword, 'must be an object')
}

function readNames(value: JsonValue, part: SchemaPart, keyword: string): readonly string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return [...new Set(value)]
  return part.wrong(keyword, 'must be a list of names')
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
