/** Which guards watch over a model, and the words that count as a refusal. */
export interface GuardSettings {
  /** Rejects text with tags of a text protocol that are not a call. */
  readonly format: boolean
  /** Rejects answers that give up early; a list replaces the phrases that are searched for. */
  readonly refusal: boolean | readonly string[]
  /** A read-only call that succeeded in this turn is not made again. */
  readonly duplicate: boolean
  /** Equal calls in a row end the turn's tools. */
  readonly loop: boolean
  /** An answer that is stuck is asked for once more. */
  readonly repetition: boolean
}

export const DEFAULT_GUARDS: GuardSettings = Object.freeze({
  format: true,
  refusal: false,
  duplicate: false,
  loop: true,
  repetition: true,
})
