import { MAX_PRINTED_CHARACTERS } from '../limits.js'

/** A failure in Go's own words, without position: the engine adds `error calling X: ` and the place. */
export class GoError extends Error {
  override readonly name: string = 'GoError'
}

/** What a single call asked too much of. */
export type LimitReason = 'width' | 'depth' | 'output'

/** A call that would produce far more than its arguments justify; the engine reports it as `render_limit`. */
export class LimitError extends Error {
  override readonly name = 'LimitError'
  readonly reason: LimitReason

  constructor(reason: LimitReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Go accepts widths up to about ten million; without another limit so do we. */
export const GO_MAX_WIDTH = 10_000_009

/** @throws LimitError if a width, precision or count exceeds the limit. */
export function checkWidth(width: number, maxWidth: number): void {
  if (width > maxWidth) {
    throw new LimitError('width', `width ${width} exceeds the limit of ${maxWidth}`)
  }
}

/** @throws LimitError if a text of this length is too long to make. */
export function checkLength(length: number): void {
  if (length > MAX_PRINTED_CHARACTERS)
    throw new LimitError('output', `text longer than ${MAX_PRINTED_CHARACTERS} characters`)
}
