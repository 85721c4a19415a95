import { describe, expect, it } from 'vitest'
import { costOf } from '../../../src/llm/cost.js'

const prices = { m: { input: 2, output: 10, cachedInput: 0.5 }, n: { input: 2, output: 10 } }
const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cachedTokens: 400_000, reasoningTokens: 0 }

describe('costOf', () => {
  it.each([
    { model: 'm', cost: 0.6 * 2 + 0.4 * 0.5 + 1 },
    { model: 'n', cost: 3 },
    { model: 'x', cost: undefined },
    { model: 'constructor', cost: undefined },
  ])('$model: $cost', ({ model, cost }) => {
    const found = costOf(prices, model, usage)
    if (cost === undefined) expect(found).toBeUndefined()
    else expect(found).toBeCloseTo(cost, 10)
  })

  it('is not known without usage', () => {
    expect(costOf(prices, 'm', undefined)).toBeUndefined()
  })
})
