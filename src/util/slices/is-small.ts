import { knownCount } from '../json/names-of.js'

/** How much text, and eight for each value, makes what somebody sent no longer small: a few kilobytes. */
export const SMALL = 4_000
/** What a value weighs beside its text. */
const VALUE_WEIGHT = 8

/**
 * Whether a JSON value is small enough to be nothing to look into; it is looked at no further than to find that out.
 *
 * @param room how much text, and eight for each value, is small
 */
export function isSmall(value: unknown, room = SMALL): boolean {
  return leftOf(room, value) > 0
}

const known = new WeakMap<object, boolean>()

/**
 * As {@link isSmall}, for a value that never changes and that many may look at, such as the kept answer of a tool: V8 gathers
 * all names of a large object each time that one of them is asked for.
 */
export function isSmallOnce(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isSmall(value)
  const found = known.get(value)
  if (found !== undefined) return found
  const answer = isSmall(value)
  known.set(value, answer)
  return answer
}

/** Texts, which most values are, are taken without a call (`bench:life`, render of a head). */
function leftOf(room: number, value: unknown): number {
  let left = room - VALUE_WEIGHT
  if (typeof value === 'string') return left - value.length
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left > 0; index += 1) {
      const item: unknown = value[index]
      left = typeof item === 'string' ? left - VALUE_WEIGHT - item.length : leftOf(left, item)
    }
    return left
  }
  if (!hasFields(value)) return left
  if ((knownCount(value) ?? 0) > left) return 0
  for (const name in value) {
    const item = value[name]
    left -= name.length
    left = typeof item === 'string' ? left - VALUE_WEIGHT - item.length : leftOf(left, item)
    if (left <= 0) break
  }
  return left
}

/** Read by name, not by `Reflect.get`, which costs every render a call (`bench:price`, render). */
function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
