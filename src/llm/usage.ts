import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import type { Usage } from './model.js'

/** Nothing used yet. */
export const NO_USAGE: Usage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
})

/** What one call of a model used. */
export interface CallUsage {
  readonly usage: Usage | undefined
  /** In the currency of the configured prices, where there are any. */
  readonly cost: number | undefined
}

/** Two usages together. */
export function addUsage(one: Usage, other: Usage | undefined): Usage {
  if (other === undefined) return one
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  }
}

/** Reads the usage of either interface: `prompt_tokens` and `completion_tokens`, or `input_tokens` and `output_tokens`. */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const input = own(value, 'prompt_tokens_details') ?? own(value, 'input_tokens_details')
  const output = own(value, 'completion_tokens_details') ?? own(value, 'output_tokens_details')
  return {
    inputTokens: count(own(value, 'prompt_tokens') ?? own(value, 'input_tokens')),
    outputTokens: count(own(value, 'completion_tokens') ?? own(value, 'output_tokens')),
    cachedTokens: count(isJsonObject(input) ? own(input, 'cached_tokens') : undefined),
    reasoningTokens: count(isJsonObject(output) ? own(output, 'reasoning_tokens') : undefined),
  }
}

function count(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0
}

/** Token counts as chat completions have them. */
export function toWireCounts({
  inputTokens,
  outputTokens,
  cachedTokens,
  reasoningTokens,
}: Usage): JsonObject {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  }
}

/** Whether a stored value is token counts. */
export function isUsage(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value)) return false
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = value
  return [inputTokens, outputTokens, cachedTokens, reasoningTokens].every(
    (count) => typeof count === 'number',
  )
}

/** What a conversation has used so far, failed attempts included. */
export interface TotalUsage {
  readonly usage: Usage
  /** In the currency of the configured prices; undefined while no call had a price. */
  readonly cost: number | undefined
}

/** @deprecated `TotalUsage` */
export type Spending = TotalUsage

/** What was used since an earlier count of the same conversation. */
export function usageSince(total: TotalUsage, earlier: TotalUsage | undefined): TotalUsage {
  if (earlier === undefined) return total
  const cost = total.cost === undefined ? undefined : total.cost - (earlier.cost ?? 0)
  return { usage: subtractUsage(total.usage, earlier.usage), cost }
}

function subtractUsage(total: Usage, earlier: Usage): Usage {
  return {
    inputTokens: total.inputTokens - earlier.inputTokens,
    outputTokens: total.outputTokens - earlier.outputTokens,
    cachedTokens: total.cachedTokens - earlier.cachedTokens,
    reasoningTokens: total.reasoningTokens - earlier.reasoningTokens,
  }
}

/** Adds up what model calls use, on top of what was used before. */
export class CostTracker {
  #usage: Usage
  #cost: number | undefined

  constructor({ usage, cost }: TotalUsage = { usage: NO_USAGE, cost: undefined }) {
    this.#usage = usage
    this.#cost = cost
  }

  /**
   * @param usage as models and events of this package have it, or as providers do: `prompt_tokens` or `input_tokens`;
   * counts that are missing are 0
   */
  add(usage: Usage | JsonObject | undefined, cost?: number): void {
    this.#usage = addUsage(this.#usage, readCounts(usage))
    if (cost !== undefined && Number.isFinite(cost)) this.#cost = (this.#cost ?? 0) + cost
  }

  get total(): TotalUsage {
    return { usage: this.#usage, cost: this.#cost }
  }
}

function readCounts(usage: Usage | JsonObject | undefined): Usage | undefined {
  if (usage === undefined || !('inputTokens' in usage || 'outputTokens' in usage)) return readUsage(usage)
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = usage
  return {
    inputTokens: countOf(inputTokens),
    outputTokens: countOf(outputTokens),
    cachedTokens: countOf(cachedTokens),
    reasoningTokens: countOf(reasoningTokens),
  }
}

/** What is left out or no count is nothing: a sum stays a number. */
function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0
}
