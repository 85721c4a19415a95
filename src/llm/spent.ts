import type { Usage } from './model.js'

/** What one call of a model used. */
export interface Spent {
  readonly usage: Usage | undefined
  /** In the currency of the configured prices, where there are any. */
  readonly cost: number | undefined
}
