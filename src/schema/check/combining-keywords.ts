import { isJsonObject, type JsonValue, own } from '../../util/json/json.js'
import type { Check, CheckRun } from './check-run.js'
import type { KeywordTable, SchemaPart } from './keyword.js'
import { shownName } from './shown-values.js'

/** Keywords that put schemas together. */
export const COMBINING_KEYWORDS: KeywordTable = {
  $ref(value, part) {
    return typeof value === 'string' ? part.reference(value) : part.wrong('$ref', 'must be a string')
  },
  allOf(value, part) {
    const checks = alternatives(value, part, 'allOf')
    return (given, run) => {
      let fits = true
      for (const check of checks) fits = check(given, run) && fits
      return fits
    }
  },
  anyOf(value, part) {
    const checks = alternatives(value, part, 'anyOf')
    return (given, run) => {
      const mark = run.mark()
      const count = countFitting(checks, given, run, run.evaluated === undefined ? 1 : checks.length)
      if (count === 0) return run.fail('anyOf')
      run.forgive(mark)
      return true
    }
  },
  oneOf(value, part) {
    const checks = alternatives(value, part, 'oneOf')
    return (given, run) => {
      const mark = run.mark()
      const count = countFitting(checks, given, run, 2)
      if (count === 1) run.forgive(mark)
      return count === 1 || run.fail('oneOf')
    }
  },
  not(value, part) {
    const check = part.check(value, 'not')
    return (given, run) => !fitsQuietly(check, given, run, false) || run.fail('not')
  },
  if(value, part) {
    const condition = part.check(value, 'if')
    const branch = (keyword: 'then' | 'else') => {
      const schema = own(part.schema, keyword)
      return schema === undefined ? undefined : part.check(schema, keyword)
    }
    const met = branch('then')
    const unmet = branch('else')
    return (given, run) => {
      const isMet = fitsQuietly(condition, given, run, true)
      const check = isMet ? met : unmet
      if (check === undefined || check(given, run)) return true
      return run.fail('if', {}, `must match the schema in ${isMet ? 'then' : 'else'}`)
    }
  },
}

/** Keywords about what no other keyword of the schema has looked at. They come last. */
export const UNEVALUATED_KEYWORDS: KeywordTable = {
  unevaluatedProperties(value, part) {
    if (part.dialect === 'draft-07') return undefined
    const check = part.check(value, 'unevaluatedProperties')
    return (given, run) => {
      if (!isJsonObject(given)) return true
      const seen = new Set(run.evaluated)
      run.charge(seen.size)
      return everyUnseen(Object.entries(given), seen, run, (name, item) =>
        value === false
          ? run.fail('unevaluatedProperties', { unevaluatedProperty: shownName(name) })
          : run.inside(name, item, check),
      )
    }
  },
  unevaluatedItems(value, part) {
    if (part.dialect === 'draft-07') return undefined
    const check = part.check(value, 'unevaluatedItems')
    return (given, run) => {
      if (!Array.isArray(given)) return true
      const seen = new Set(run.evaluated)
      run.charge(seen.size)
      return everyUnseen([...given.entries()], seen, run, (index, item) =>
        value === false
          ? run.fail('unevaluatedItems', {}, `must have at most ${index} items`)
          : run.inside(index, item, check),
      )
    }
  },
}

function everyUnseen<Name extends string | number>(
  entries: readonly (readonly [Name, JsonValue])[],
  seen: ReadonlySet<string | number>,
  run: CheckRun,
  check: (name: Name, item: JsonValue) => boolean,
): boolean {
  run.charge(entries.length)
  let fits = true
  for (const [name, item] of entries) if (!seen.has(name)) fits = check(name, item) && fits
  return fits
}

function alternatives(value: JsonValue, part: SchemaPart, keyword: string): readonly Check[] {
  if (!Array.isArray(value) || value.length === 0) return part.wrong(keyword, 'must be a list of schemas')
  return value.map((schema, index) => part.check(schema, keyword, index))
}

/** How many schemas fit, at most this many. Those that do not have looked at nothing. */
function countFitting(checks: readonly Check[], given: JsonValue, run: CheckRun, enough: number): number {
  let count = 0
  for (const check of checks) {
    const mark = run.mark()
    if (!check(given, run)) run.unsee(mark)
    else if (++count === enough) break
  }
  return count
}

/** Whether it fits, without reporting a mismatch. */
function fitsQuietly(check: Check, given: JsonValue, run: CheckRun, looks: boolean): boolean {
  const mark = run.mark()
  const fits = check(given, run)
  run.forgive(mark)
  if (!fits || !looks) run.unsee(mark)
  return fits
}
