/** How much text, and eight for each value, makes what somebody sent no longer small: a few kilobytes. */
export const SMALL = 4_000
/** What a value weighs beside its text. */
const VALUE_WEIGHT = 8

/** Whether a JSON value is small enough to be nothing to look into; it is looked at no further than to find that out. */
export function isSmall(value: unknown): boolean {
  return leftOf(SMALL, value) > 0
}

function leftOf(room: number, value: unknown): number {
  if (typeof value === 'string') return room - VALUE_WEIGHT - value.length
  let left = room - VALUE_WEIGHT
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left > 0; index += 1) left = leftOf(left, value[index])
    return left
  }
  if (!hasFields(value)) return left
  for (const name in value) {
    left = leftOf(left - name.length, value[name])
    if (left <= 0) break
  }
  return left
}

/** Read by name, not by `Reflect.get`, which costs every render a call (`bench:price`, render). */
function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
