import type { Frame } from '../frame.js'

/** A JavaScript expression, and whether `null`, Go's nil in an interface, can be its value. */
export interface Expression {
  readonly code: string
  readonly nullable: boolean
}

/** An expression whose value is never `null`. */
export function certain(code: string): Expression {
  return { code, nullable: false }
}

/** An expression whose value may be `null`. */
export function nullable(code: string): Expression {
  return { code, nullable: true }
}

/** The value as Go passes it on: nil is no value. */
export function passedOn({ code, nullable: isNullable }: Expression): string {
  return isNullable ? `${code}??undefined` : code
}

/** What comes after a piped value that is not used; the value is evaluated in any case. */
export function after(final: Expression | null, code: string): Expression {
  return certain(final === null ? code : `(${final.code},${code})`)
}

/** Evaluates a piped value first, as Go does, then what needs it. */
export function withFinal(
  final: Expression | null,
  frame: Frame,
  use: (local: string | null) => Expression,
): Expression {
  if (final === null) return use(null)
  return frame.withTemporary((local) => {
    const { code, nullable: isNullable } = use(local)
    return { code: `(${local}=${passedOn(final)},${code})`, nullable: isNullable }
  })
}
