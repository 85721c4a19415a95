import type { Price } from '../schema/config-file.js'
import type { Usage } from './model.js'

/** Prices by model name, per million tokens. */
export type PriceTable = Readonly<Record<string, Price>>

const TOKENS_PER_PRICE = 1_000_000

/** What a call cost, in the table's currency; undefined when the model has no price or the usage is not known. */
export function costOf(prices: PriceTable, model: string, usage: Usage | undefined): number | undefined {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined
  if (price === undefined || usage === undefined) return undefined
  const { inputTokens, outputTokens, cachedTokens } = usage
  const input = (inputTokens - cachedTokens) * price.input + cachedTokens * (price.cachedInput ?? price.input)
  return (input + outputTokens * price.output) / TOKENS_PER_PRICE
}
