import { describe, expect, it } from 'vitest'
import { type CallContext, endingBy, narrowContext } from '../../../src/util/call-context.js'

const call: CallContext = Object.freeze({ requestId: 'r1', signal: new AbortController().signal })

describe('the context of a call', () => {
  it.each([
    [undefined, 500, 500],
    [400, 500, 400],
    [600, 500, 500],
  ])('that ended by %j ends by %i: %i', (deadlineAt, at, expected) => {
    const narrowed = endingBy({ ...call, deadlineAt }, at)
    expect(narrowed).toEqual({ ...call, deadlineAt: expected })
    expect(Object.isFrozen(narrowed)).toBe(true)
  })

  it('is narrowed into another one, and stays as it was', () => {
    const narrowed = narrowContext(call, { session: 's1' })
    expect(narrowed).toEqual({ ...call, session: 's1' })
    expect(call).not.toHaveProperty('session')
    expect(Object.isFrozen(narrowed)).toBe(true)
  })
})
