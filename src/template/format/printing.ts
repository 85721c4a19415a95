import { GO_MAX_WIDTH } from './go-error.js'

/** How one printf prints. */
export interface Printing {
  /** The widest padding, and the highest precision. */
  readonly maxWidth: number
  /** Whether an integer that meets a float verb is printed as a float64. */
  readonly adaptsNumbers: boolean
  /** Called for each complaint that is printed instead of a value, such as `%!d(string=x)`. */
  readonly onBadVerb: ((printed: string) => void) | undefined
}

/** As Go prints. */
export const GO_PRINTING: Printing = {
  maxWidth: GO_MAX_WIDTH,
  adaptsNumbers: false,
  onBadVerb: undefined,
}
