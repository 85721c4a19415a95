import { at } from '../../util/at.js'
import { type JsonValue, own } from '../../util/json/json.js'
import type { Check, CheckRun } from './check-run.js'
import { jsonKey } from './json-key.js'
import type { Keyword, KeywordTable, SchemaPart } from './keyword.js'
import { readCount } from './read-count.js'

/** Keywords for lists. */
export const ARRAY_KEYWORDS: KeywordTable = {
  minItems: itemBound((length, limit) => length >= limit),
  maxItems: itemBound((length, limit) => length <= limit),
  uniqueItems(value, part) {
    if (typeof value !== 'boolean') return part.wrong('uniqueItems', 'must be true or false')
    return value ? uniqueItems : undefined
  },
  prefixItems(value, part) {
    return part.dialect === '2020-12' ? positions(value, part, 'prefixItems') : undefined
  },
  items(value, part) {
    if (Array.isArray(value)) {
      if (part.dialect === '2020-12') return part.wrong('items', 'must be a schema; a list is `prefixItems`')
      return positions(value, part, 'items')
    }
    const prefix = part.dialect === '2020-12' ? own(part.schema, 'prefixItems') : undefined
    return rest(part.check(value, 'items'), Array.isArray(prefix) ? prefix.length : 0)
  },
  additionalItems(value, part) {
    const items = own(part.schema, 'items')
    if (part.dialect === '2020-12' || !Array.isArray(items)) return undefined
    return rest(part.check(value, 'additionalItems'), items.length)
  },
  contains(value, part) {
    const check = part.check(value, 'contains')
    const [least, most] = part.dialect === 'draft-07' ? [1, Number.POSITIVE_INFINITY] : containsBounds(part)
    const upper = Number.isFinite(most) ? ` and at most ${most}` : ''
    const message = `must have at least ${least}${upper} items that match the schema in contains`
    return (given, run) => {
      if (!Array.isArray(given)) return true
      const count = given.filter((item, index) => fitsInside(run, index, item, check)).length
      return (count >= least && count <= most) || run.fail('contains', { minContains: least }, message)
    }
  },
}

function itemBound(holds: (length: number, limit: number) => boolean): Keyword {
  return (value, part, keyword) => {
    const limit = readCount(value, part, keyword)
    return (given, run) => !Array.isArray(given) || holds(given.length, limit) || run.fail(keyword, { limit })
  }
}

function uniqueItems(given: JsonValue, run: CheckRun): boolean {
  if (!Array.isArray(given)) return true
  const positionOf = new Map<string, number>()
  for (const [index, item] of given.entries()) {
    const key = jsonKey(item, run)
    const earlier = positionOf.get(key)
    if (earlier !== undefined) return run.fail('uniqueItems', { i: index, j: earlier })
    positionOf.set(key, index)
  }
  return true
}

function positions(value: JsonValue, part: SchemaPart, keyword: string): Check {
  if (!Array.isArray(value)) return part.wrong(keyword, 'must be a list of schemas')
  const checks = value.map((schema, index) => part.check(schema, keyword, index))
  return (given, run) => {
    if (!Array.isArray(given)) return true
    let fits = true
    for (let index = 0; index < checks.length && index < given.length; index += 1) {
      fits = run.inside(index, at(given, index), at(checks, index)) && fits
    }
    return fits
  }
}

function rest(check: Check, start: number): Check {
  return (given, run) => {
    if (!Array.isArray(given)) return true
    let fits = true
    for (let index = start; index < given.length; index += 1) {
      fits = run.inside(index, given[index], check) && fits
    }
    return fits
  }
}

function containsBounds(part: SchemaPart): readonly [number, number] {
  const least = own(part.schema, 'minContains') ?? 1
  const most = own(part.schema, 'maxContains')
  return [
    readCount(least, part, 'minContains'),
    most === undefined ? Number.POSITIVE_INFINITY : readCount(most, part, 'maxContains'),
  ]
}

/** Tries an item. A mismatch is not reported, and the item does not count as evaluated. */
function fitsInside(run: CheckRun, index: number, item: JsonValue, check: Check): boolean {
  const mark = run.mark()
  const fits = run.inside(index, item, check)
  run.forgive(mark)
  if (!fits) run.unsee(mark)
  return fits
}
