/** The state of a circuit, also in public answers: half open, one probe may go or is under way. */
export type CircuitState = 'closed' | 'open' | 'half_open'

/** What a finished attempt says of whom it was made to; `neutral` says nothing, such as an abort or wrong arguments. */
export type Verdict = 'healthy' | 'unhealthy' | 'neutral'
