/**
 * How Go values look in JavaScript while a template runs.
 *
 * | Go | JavaScript |
 * |---|---|
 * | the zero reflect.Value, printed `<no value>` | `undefined` |
 * | nil | `null` |
 * | bool | boolean |
 * | int | a number that is integral and fits int64 (−0 is 0), or a bigint; one beyond int64, which Go has not, keeps its digits |
 * | float64 | any other number, NaN and infinities included, or a `Float` when the value is integral |
 * | string | string; a byte that is not part of valid UTF-8 is the lone surrogate U+DC00 + byte |
 * | []any | array, or a `Slice` when its capacity differs from its length |
 * | map[string]any | object with own properties; key order is UTF-8 byte order |
 * | every other type | `Typed` |
 */
export type Value = unknown

/** A value that no type of JavaScript carries: every other object is a list or a map (`bench:template`, objects). */
export abstract class Boxed {}

/** A float64 with an integral value, as the constant `1.0` or the result of a float function. */
export class Float extends Boxed {
  readonly value: number

  constructor(value: number) {
    super()
    this.value = value
  }
}

/** A window on an array that remembers Go's capacity, so that it can be sliced beyond its length again. */
export class Slice extends Boxed {
  readonly items: readonly Value[]
  readonly start: number
  readonly end: number
  /** Index in `items` where the capacity ends. */
  readonly limit: number

  constructor(items: readonly Value[], start: number, end: number, limit: number) {
    super()
    this.items = items
    this.start = start
    this.end = end
    this.limit = limit
  }
}

/** A value of another Go type: `uint8`, `int64`, `[]string`, `map[string]string`, `time.Time`, … */
export class Typed extends Boxed {
  /** The type as Go prints it with `%T`. */
  readonly type: string
  /** number or bigint for integers, number for floats, string, array, or plain object; for others private to the library. */
  readonly value: Value

  constructor(type: string, value: Value) {
    super()
    this.type = type
    this.value = value
  }
}

/** A complex128, which only constants such as `1+2i` make. */
export class Complex extends Typed {
  readonly real: number
  readonly imaginary: number

  constructor(real: number, imaginary: number) {
    super('complex128', null)
    this.real = real
    this.imaginary = imaginary
  }
}

const MIN_INT64 = -(2 ** 63)
const MAX_INT64_EXCLUSIVE = 2 ** 63

/** True if a JavaScript number represents a Go int. */
export function isInt(value: number): boolean {
  return Number.isInteger(value) && value >= MIN_INT64 && value < MAX_INT64_EXCLUSIVE
}

/** A float64 in its JavaScript form: boxed when it would otherwise read as an int. */
export function toFloat(value: number): number | Float {
  return isInt(value) ? new Float(value) : value
}
