/** One request of an attack, and what must come back. */
export interface HttpRow {
  readonly name: string
  /** Default `POST`. */
  readonly method?: string
  /** Default: renders the prompt of the tables' catalog. */
  readonly path?: string
  /** Made when the row runs: together they are large. Text goes as it is, anything else as JSON. */
  readonly body: () => unknown
  /** One, or any of several. */
  readonly status: number | readonly number[]
  /** Of the error, one or any of several. */
  readonly code?: string | readonly string[]
  readonly message?: RegExp
  /** The rendered prompt. */
  readonly text?: string
  /** Most characters of the answer; default 64,000 for errors. */
  readonly maxLength?: number
  /** Takes long: only in the full run. */
  readonly isSlow?: boolean
}
