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

/** How deep agents may call agents. */
export const MAX_AGENT_DEPTH = 3
/** Characters of the arguments of all tool calls of one message. */
export const MAX_ARGUMENT_CHARACTERS = 1 << 20
/** Values in the arguments of all tool calls of one message, nested ones included. */
export const MAX_ARGUMENT_VALUES = 30_000
/** Characters of a context above which it is summarized, for agents without a context window. */
export const MAX_UNSUMMARIZED_CHARACTERS = 4 * 2 ** 20
/** Characters of a context above which it takes no more turns: summaries, which start at half of it, did not help. */
export const MAX_CONTEXT_CHARACTERS = 8 * 2 ** 20
/** Records of one owner, those used last, in which open approvals are looked for. */
export const MAX_INBOX_RECORDS = 1_000
/** How often an answer in a box is asked for. */
export const MAX_BOXED_TRIES = 3
/** How often in a row a message is asked for again: for its format, a refusal and a duplicate together. */
export const MAX_ROLLBACKS = 4
/** An answer that is read as an object, in UTF-16 code units. */
export const MAX_OBJECT_CHARACTERS = 1_000_000
/** Native calls of one message; further calls are ignored. */
export const MAX_NATIVE_CALLS = 1_000
/** A tool's result as a model reads it; a longer one is cut. */
export const MAX_RESULT_CHARACTERS = 100_000
