const PRINTED = Symbol('printed as')
/** Most processes never mark a value, and look for no mark (`bench:template`, objects). */
let isAnyMarked = false

interface Marked {
  readonly [PRINTED]?: () => string
}

/**
 * Makes a list or a map print as a text of its own, as Go prints a type with a `String` method; templates read it as
 * before. The text is made when it is first printed, by an action, `print`, or the verbs `%v`, `%s`, `%q`, `%x` and `%X`,
 * wherever in other data the value is. A copy of the value prints as usual.
 *
 * @returns the value itself, marked
 */
export function printsAs<Value extends object>(value: Value, text: () => string): Value {
  isAnyMarked = true
  let made: string | undefined
  const print = (): string => {
    made ??= text()
    return made
  }
  return Object.defineProperty(value, PRINTED, { value: print })
}

/** The text that a list or map prints as; undefined for a value that prints as usual. */
export function ownText(value: unknown): string | undefined {
  if (!isAnyMarked || typeof value !== 'object' || value === null) return undefined
  // Read, not asked for with `in`, which takes several times as long where values have many shapes.
  const marked: Marked = value
  const print = marked[PRINTED]
  return typeof print === 'function' ? print() : undefined
}
