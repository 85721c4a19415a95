/** Which guards watch over a model, and the words that count as a refusal. */
export interface GuardSettings {
  /** Tags of a text protocol that are no call are taken back. */
  readonly format: boolean
  /** Giving up early is taken back; a list replaces the words that are looked for. */
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
