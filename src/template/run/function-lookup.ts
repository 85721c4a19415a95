import type { DeclaredFunction, FunctionLookup, FunctionTable, TemplateFunction } from '../api.js'

/** One table, or several, of which the first that has a name wins. */
type FunctionTables = FunctionTable | readonly FunctionTable[]

const NO_FUNCTIONS: FunctionLookup = new Map()

/** Tables in the form the engine reads; of a record only own properties count. */
export function toLookup(tables: FunctionTables | undefined): FunctionLookup {
  if (tables === undefined) return NO_FUNCTIONS
  if (isList(tables)) return joinedLookup(tables.map(toLookup))
  return isLookup(tables) ? tables : recordLookup(tables)
}

function isList(tables: FunctionTables): tables is readonly FunctionTable[] {
  return Array.isArray(tables)
}

/** The first lookup that has a name gives its function. */
function joinedLookup(lookups: readonly FunctionLookup[]): FunctionLookup {
  const holderOf = (name: string) => lookups.find((lookup) => lookup.has(name))
  return {
    has: (name) => holderOf(name) !== undefined,
    get: (name) => holderOf(name)?.get(name),
    keys: () => new Set(lookups.flatMap((lookup) => [...(lookup.keys?.() ?? [])])),
  }
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
    keys: () => Object.keys(record),
  }
}
