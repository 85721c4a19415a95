import { describe, expect, it } from 'vitest'
import { ShareBreaker } from '../../../../src/transport/resilience/share-breaker.js'

const policy = { recentAttempts: 8, windowMs: 1000, minimumAttempts: 4, failureShare: 0.75, openMs: 500 }

/** Each letter is an attempt of a request of its own, unless a request is given. */
function record(breaker: ShareBreaker, outcomes: string, now: number, request?: object): void {
  for (const letter of outcomes) {
    const verdict = letter === 'f' ? 'unhealthy' : letter === 's' ? 'healthy' : 'neutral'
    breaker.record(verdict, now, request ?? {})
  }
}

describe('ShareBreaker', () => {
  it.each([
    { outcomes: 'fff', state: 'closed' },
    { outcomes: 'ffff', state: 'open' },
    { outcomes: 'sfff', state: 'open' },
    { outcomes: 'ssff', state: 'closed' },
    { outcomes: 'iiiifff', state: 'closed' },
    { outcomes: `${'s'.repeat(1500)}fffff`, state: 'closed' },
    { outcomes: `${'s'.repeat(1500)}ffffff`, state: 'open' },
    { outcomes: `${'f'.repeat(3)}${'s'.repeat(1500)}fffff`, state: 'closed' },
  ])('is $state after $outcomes', ({ outcomes, state }) => {
    const breaker = new ShareBreaker(policy)
    record(breaker, outcomes, 10)
    expect(breaker.state(10)).toBe(state)
  })

  it('is never opened by one request alone', () => {
    const breaker = new ShareBreaker(policy)
    const request = {}
    record(breaker, 'ffffffffffff', 0, request)
    expect(breaker.state(0)).toBe('closed')
    record(breaker, 'f', 0)
    expect(breaker.state(0)).toBe('open')
  })

  it('begins anew when it has closed', () => {
    const breaker = new ShareBreaker(policy)
    record(breaker, 'ffff', 0)
    breaker.refuses(500)
    record(breaker, 's', 500)
    record(breaker, 'fff', 501)
    expect(breaker.state(501)).toBe('closed')
  })

  it('forgets an old window', () => {
    const breaker = new ShareBreaker(policy)
    record(breaker, 'fff', 0)
    record(breaker, 'fff', 2000)
    expect(breaker.state(2000)).toBe('closed')
  })

  it('lets one probe through when its time is up, and closes when that succeeds', () => {
    const breaker = new ShareBreaker(policy)
    record(breaker, 'ffff', 0)
    expect(breaker.refuses(100)).toBe(400)
    expect(breaker.refuses(500)).toBeUndefined()
    expect(breaker.state(500)).toBe('half_open')
    expect(breaker.refuses(501)).toBe(500)
    record(breaker, 's', 510)
    expect(breaker.refuses(511)).toBeUndefined()
    expect(breaker.state(511)).toBe('closed')
  })

  it('opens again when the probe fails, and lets another go when it told nothing', () => {
    const breaker = new ShareBreaker(policy)
    record(breaker, 'ffff', 0)
    breaker.refuses(500)
    record(breaker, 'f', 500)
    expect(breaker.refuses(900)).toBe(100)
    expect(breaker.refuses(1000)).toBeUndefined()
    record(breaker, 'i', 1001)
    expect(breaker.refuses(1002)).toBeUndefined()
  })
})
