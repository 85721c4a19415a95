import { elementOf, elementsOf, entriesOf, kindOf } from '../../format/kind.js'
import type { FieldSite } from '../../site.js'
import type { Value } from '../../value.js'
import { missingVariable } from './failures.js'

const INDEX = /^(?:0|[1-9]\d*)$/

/** Follows a variable's path through objects and lists, with all checks. @throws TemplateError when it ends early, unless guarded */
export function readVariable(site: FieldSite, from: Value): Value {
  let value = from
  for (const name of site.path) {
    value = readField(value, name)
    if (value === undefined) break
  }
  if (value !== undefined || site.guarded || site.at === null) return value
  throw missingVariable(site.at)
}

function readField(value: Value, name: string): Value {
  if (value === null || typeof value !== 'object') return undefined
  switch (kindOf(value)) {
    case 'map': {
      const entries = entriesOf(value)
      return Object.hasOwn(entries, name) ? elementOf(value, entries[name]) : undefined
    }
    case 'slice':
      return INDEX.test(name) ? elementsOf(value)[Number(name)] : undefined
    default:
      return undefined
  }
}
