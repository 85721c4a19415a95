import type { DeclaredFunction, FunctionLookup, FunctionTable, TemplateFunction } from '../api.js'

const NO_FUNCTIONS: FunctionLookup = new Map()

/** A table in the form the engine reads; of a record only own properties count. */
export function toLookup(table: FunctionTable | undefined): FunctionLookup {
  if (table === undefined) return NO_FUNCTIONS
  return isLookup(table) ? table : recordLookup(table)
}

/** A record may have functions named `has` and `get`; a lookup has nothing else of its own. */
function isLookup(table: FunctionTable): table is FunctionLookup {
  if (table instanceof Map) return true
  if (typeof table.get !== 'function' || typeof table.has !== 'function') return false
  const prototype: unknown = Object.getPrototypeOf(table)
  if (prototype !== Object.prototype && prototype !== null) return true
  return Object.keys(table).every((name) => name === 'get' || name === 'has' || name === 'keys')
}

function recordLookup(record: Readonly<Record<string, TemplateFunction | DeclaredFunction>>): FunctionLookup {
  return {
    has: (name) => Object.hasOwn(record, name),
    get: (name) => (Object.hasOwn(record, name) ? record[name] : undefined),
  }
}
