/** The limits, in the order of their documentation. */
export const LIMIT_NAMES = [
  ...(['maxTurns', 'maxToolTurns', 'maxCallsPerTurn', 'maxSteps', 'maxTokens', 'maxCost', 'maxMs'] as const),
] satisfies readonly (keyof Limits)[]

/** How much a turn may do. Every limit ends a turn gracefully: with one last answer without tools. */
export interface Limits {
  /** A session's turns. Checked before the model is asked; over HTTP unlimited unless set. */
  readonly maxTurns: number
  /** Rounds of tool calls in one turn. */
  readonly maxToolTurns: number
  /** Calls of one message that are executed; the others are answered `not executed`. */
  readonly maxCallsPerTurn: number
  /** Model calls in one turn, the last answer included. */
  readonly maxSteps: number
  /** Input and output tokens of one turn. */
  readonly maxTokens?: number
  /** In the currency of the configured prices. */
  readonly maxCost?: number
  /** Milliseconds one turn may take; time spent waiting for approvals does not count. */
  readonly maxMs: number
}

export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxTurns: 50,
  maxToolTurns: 10,
  maxCallsPerTurn: 10,
  maxSteps: 60,
  maxMs: 600_000,
})
