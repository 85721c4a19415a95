/** One place where a value does not fit its schema. */
export interface SchemaProblem {
  /** Names and positions from the value down. */
  readonly path: readonly string[]
  /** The keyword that says no. */
  readonly keyword: string
  /** What is expected there: `must be a string`. See `expectationOf`. */
  readonly message: string
  /** Facts, with ajv's names: `missingProperty`, `additionalProperty`, `allowedValues`. */
  readonly params: Readonly<Record<string, unknown>>
}

/** What a check found. */
export interface SchemaVerdict {
  /** Empty when the value fits. */
  readonly problems: readonly SchemaProblem[]
  /** Number of problems that are not in the list. */
  readonly omittedCount: number
}

/** A schema that is refused. The message names the place in it. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  /** The place in the schema. */
  readonly path: readonly (string | number)[]

  constructor(message: string, path: readonly (string | number)[] = []) {
    super(message)
    this.path = path
  }
}

/** A check that would cost too much, whatever its outcome. */
export class CheckLimitError extends Error {
  override readonly name = 'CheckLimitError'
}
