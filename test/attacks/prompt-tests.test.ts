import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leastBusy } from './support/least-busy.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'
import { type AttackedByTests, mistakeOfTests, startAttackedByTests } from './support/prompt-tests-attack.js'
import { PROMPT_TESTS } from './tables/prompt-tests.js'

describe('tests beside a catalog', () => {
  let attacked: AttackedByTests
  beforeAll(async () => {
    attacked = await startAttackedByTests()
  })
  afterAll(async () => {
    expect(await attacked.stop()).toBe(0)
  })

  it.each(PROMPT_TESTS)('$name', async (row) => {
    const busy = await leastBusy(async () => {
      attacked.write(row)
      const answer = await attacked.ask()
      expect(mistakeOfTests(row, answer)).toBeUndefined()
      return answer
    })
    expect(busy).toBeLessThan(LOOP_BOUND_MS)
  })
})
