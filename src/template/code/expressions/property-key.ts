import { STRINGER_METHODS } from '../../format/kind.js'
import { Float, Slice, Typed } from '../../value.js'

/** Never a property of anything: reading it finds nothing, so that the careful way is taken. */
const NOWHERE = Symbol('nowhere')

/** Names that a value may have without owning them as data. */
const INHERITED = new Set(
  [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype, BigInt.prototype]
    .flatMap((prototype) => Reflect.ownKeys(prototype))
    .filter((key) => typeof key === 'string'),
)
/** An index reads from lists and texts; only some dialects have it, and only for lists. */
const IS_INDEX = /^\d/
/** Fields and methods of the engine's own values, which JSON data never contains. */
const ENGINE_FIELDS = new Set<string>([
  ...[new Float(0), new Slice([], 0, 0, 0), new Typed('', null)].flatMap((value) => Object.keys(value)),
  ...STRINGER_METHODS,
])

/**
 * What the generated code reads for a field: the name itself, or for names that are not safely data something
 * that is never found.
 *
 * @param fromData true if the value is part of the render's data, not the result of a function
 */
export function propertyKey(name: string, fromData: boolean): string | symbol {
  if (INHERITED.has(name) || IS_INDEX.test(name) || (!fromData && ENGINE_FIELDS.has(name))) return NOWHERE
  return name
}
