import { describe, expect, it } from 'vitest'
import { CostTracker } from '../../../src/llm/usage.js'

const used = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cachedTokens: 1,
  reasoningTokens: 2,
})
const NOTHING = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }

describe('what a conversation costs', () => {
  it.each<[string, Parameters<CostTracker['add']>[], CostTracker['total']]>([
    ['nothing yet', [], { usage: NOTHING, cost: undefined }],
    ['a call that told nothing', [[undefined]], { usage: NOTHING, cost: undefined }],
    ['a call without a price', [[used(3, 4)]], { usage: used(3, 4), cost: undefined }],
    [
      'counts as providers report them',
      [[{ prompt_tokens: 3, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 2 } }]],
      { usage: { inputTokens: 3, outputTokens: 4, cachedTokens: 2, reasoningTokens: 0 }, cost: undefined },
    ],
    [
      'counts as events report them, some of them left out',
      [[{ inputTokens: 3, outputTokens: 4, cachedTokens: 2 }], [{ outputTokens: 1 }], [{}]],
      { usage: { inputTokens: 3, outputTokens: 5, cachedTokens: 2, reasoningTokens: 0 }, cost: undefined },
    ],
    [
      'what is no number: it counts for nothing, and the sum stays one',
      [
        [{ ...used(3, 4), inputTokens: Number.NaN }, Number.NaN],
        [{ prompt_tokens: Number.NaN, completion_tokens: '4' }, Number.POSITIVE_INFINITY],
        [{ ...used(1, 1), cachedTokens: Number.POSITIVE_INFINITY }, 0.5],
      ],
      { usage: { inputTokens: 1, outputTokens: 5, cachedTokens: 1, reasoningTokens: 4 }, cost: 0.5 },
    ],
    [
      'several, of which some have a price',
      [[used(3, 4), 0.5], [used(1, 1)], [undefined, 0.25]],
      { usage: { inputTokens: 4, outputTokens: 5, cachedTokens: 2, reasoningTokens: 4 }, cost: 0.75 },
    ],
  ])('%s', (_name, calls, total) => {
    const tracker = new CostTracker()
    for (const call of calls) tracker.add(...call)
    expect(tracker.total).toEqual(total)
  })
})
