import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEXT_PROTOCOLS } from '../support/generated-calls.js'
import {
  type AttackedByAgent,
  mistakeOfConversation,
  mistakeOfUi,
  startAttackedByAgent,
} from './support/agent-attack.js'
import { leastBusy } from './support/least-busy.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'
import { MODEL_TEXTS } from './tables/model-texts.js'
import { NATIVE_CALLS } from './tables/native-calls.js'
import { UI_BODIES } from './tables/ui-bodies.js'

let attacked: AttackedByAgent
beforeAll(async () => {
  attacked = await startAttackedByAgent()
})
afterAll(async () => {
  expect(await attacked.stop()).toBe(0)
})

describe.each(TEXT_PROTOCOLS)('a model that is asked for calls in %s, and says', (protocol) => {
  it.each(MODEL_TEXTS)('$name', async ({ text }) => {
    const busy = await leastBusy(async () => {
      const answer = await attacked.converse(protocol, text())
      expect(mistakeOfConversation(answer)).toBeUndefined()
      return answer
    })
    expect(busy).toBeLessThan(LOOP_BOUND_MS)
  })
})

describe('a model that calls with', () => {
  it.each(NATIVE_CALLS)('$name', async ({ calls }) => {
    const busy = await leastBusy(async () => {
      const answer = await attacked.call(calls())
      expect(mistakeOfConversation(answer)).toBeUndefined()
      return answer
    })
    expect(busy).toBeLessThan(LOOP_BOUND_MS)
  })
})

describe('a user interface that sends', () => {
  it.each(UI_BODIES)('$name', async (row) => {
    const busy = await leastBusy(async () => {
      const answer = await attacked.send(row)
      expect(mistakeOfUi(row, answer)).toBeUndefined()
      return answer
    })
    expect(busy).toBeLessThan(LOOP_BOUND_MS)
  })
})
