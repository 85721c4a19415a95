import { describe, expect, it } from 'vitest'
import { callWithin } from '../../../src/tools/call-tool.js'
import { createGates } from '../../../src/tools/gates.js'
import { createResultCache } from '../../../src/tools/result-cache.js'
import { createToolBreakers, toBreakerStatus } from '../../../src/tools/tool-breakers.js'
import type { CancelSignal } from '../../../src/util/cancellation.js'
import { canonicalJson } from '../../../src/util/json/canonical-json.js'

const never = new AbortController().signal

describe('circuit breaker', () => {
  function breakers() {
    const clock = { now: 0 }
    const policy = { failures: 3, cooldownMs: 100, maxCooldownMs: 300 }
    return { clock, all: createToolBreakers(policy, () => clock.now) }
  }

  it('opens after failures in a row, lets one probe through, and closes on success', () => {
    const { clock, all } = breakers()
    all.enter('t')('unhealthy', 'a')
    all.enter('t')('healthy')
    for (const message of ['b', 'c', 'd']) all.enter('t')('unhealthy', message)
    expect(() => all.enter('t')).toThrow(
      'failed 3 times in a row and is not called for another 100 ms; last: d',
    )
    expect(all.status.map(toBreakerStatus)).toEqual([
      {
        tool: 't',
        state: 'open',
        consecutiveFailures: 3,
        lastError: 'd',
        retryAt: '1970-01-01T00:00:00.100Z',
      },
    ])
    clock.now = 100
    expect(all.status).toMatchObject([{ state: 'half_open' }])
    const probe = all.enter('t')
    expect(() => all.enter('t')).toThrow('failed')
    probe('healthy')
    all.enter('t')('healthy')
    expect(all.status).toEqual([])
  })

  it('rests longer after every failed probe, up to a limit', () => {
    const { clock, all } = breakers()
    for (let i = 0; i < 3; i += 1) all.enter('t')('unhealthy')
    const rests = [200, 300, 300]
    clock.now = 100
    for (const rest of rests) {
      all.enter('t')('unhealthy')
      clock.now += rest - 1
      expect(() => all.enter('t')).toThrow()
      clock.now += 1
    }
  })

  it('takes a neutral probe back and is not moved by neutral calls', () => {
    const { clock, all } = breakers()
    for (let i = 0; i < 5; i += 1) all.enter('t')('neutral')
    expect(all.status).toEqual([])
    for (let i = 0; i < 3; i += 1) all.enter('t')('unhealthy')
    clock.now = 100
    all.enter('t')('neutral')
    all.enter('t')('healthy')
    expect(all.status).toEqual([])
  })

  it('begins anew when the document changes', () => {
    const { all } = breakers()
    const old = all.enter('t', 'r1')
    for (let i = 0; i < 3; i += 1) all.enter('t', 'r1')('unhealthy')
    expect(() => all.enter('t', 'r1')).toThrow()
    const report = all.enter('t', 'r2')
    old('unhealthy')
    report('unhealthy')
    expect(all.status).toMatchObject([{ state: 'closed', consecutiveFailures: 1 }])
  })

  it('keeps tools apart', () => {
    const { all } = breakers()
    for (let i = 0; i < 3; i += 1) all.enter('t')('unhealthy')
    expect(() => all.enter('u')('healthy')).not.toThrow()
  })
})

describe('gates', () => {
  it('let so many through, the others in order', async () => {
    const gates = createGates({ limit: 2, maxWaiting: 10 })
    const order: number[] = []
    const leave = await Promise.all([gates.enter('a', never), gates.enter('a', never)])
    const waiting = [1, 2].map(async (n) => {
      const go = await gates.enter('a', never)
      order.push(n)
      return go
    })
    await gates.enter('b', never)
    expect(gates.inFlight).toBe(3)
    leave[0]?.()
    const first = await waiting[0]
    expect(order).toEqual([1])
    first?.()
    await waiting[1]
    expect(order).toEqual([1, 2])
  })

  it('give up with the signal, and refuse a crowd', async () => {
    const gates = createGates({ limit: 1, maxWaiting: 1 })
    const leave = await gates.enter('a', never)
    const controller = new AbortController()
    const waiting = gates.enter('a', controller.signal)
    await expect(gates.enter('a', never)).rejects.toMatchObject({ code: 'overloaded' })
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
    leave()
    await expect(gates.enter('a', never)).resolves.toBeTypeOf('function')
  })
})

describe('runWithin', () => {
  it('ends work that ignores its signal', async () => {
    let aborted: unknown
    const work = (signal: CancelSignal) => {
      signal.addEventListener('abort', () => {
        aborted = signal.reason
      })
      return new Promise<never>(() => {})
    }
    await expect(callWithin(5, never, work)).rejects.toMatchObject({
      code: 'timeout',
      message: 'no answer within 5 ms',
    })
    expect(aborted).toMatchObject({ code: 'timeout' })
  })

  it('does not begin when there is no time or no caller', async () => {
    const work = () => Promise.reject(new Error('begun'))
    await expect(callWithin(0, never, work)).rejects.toMatchObject({ code: 'timeout' })
    await expect(callWithin(10, AbortSignal.abort(), work)).rejects.toMatchObject({ code: 'cancelled' })
  })
})

describe('result cache', () => {
  interface Result {
    readonly value: number
  }
  function create() {
    const clock = { now: 1_000 }
    const cache = createResultCache<Result>({ maxBytes: 1_000, sizeOf: () => 10, now: () => clock.now })
    let loads = 0
    const get = (load: (signal: AbortSignal) => Promise<Result>, signal = never) => {
      const counted = (own: AbortSignal) => {
        loads += 1
        return load(own)
      }
      return cache.get({ key: 'k', ttlMs: 100, budgetMs: 1_000, signal, load: counted })
    }
    return { clock, get, loads: () => loads }
  }

  it('keeps results for their time', async () => {
    const { clock, get, loads } = create()
    expect(await get(async () => ({ value: 1 }))).toEqual({ result: { value: 1 }, cached: false })
    clock.now += 99
    expect(await get(async () => ({ value: 2 }))).toEqual({ result: { value: 1 }, cached: true })
    clock.now += 2
    expect(await get(async () => ({ value: 3 }))).toEqual({ result: { value: 3 }, cached: false })
    expect(loads()).toBe(2)
  })

  it('keeps as much as it may, whatever it takes to find out how much that is', async () => {
    const sizes = { small: 400, large: 2_000 }
    const cache = createResultCache<{ name: keyof typeof sizes }>({
      maxBytes: 1_000,
      sizeOf: async ({ name }) => sizes[name],
      now: () => 0,
    })
    const get = (name: keyof typeof sizes) =>
      cache.get({ key: name, ttlMs: 100, budgetMs: 1_000, signal: never, load: async () => ({ name }) })
    for (const name of ['small', 'large', 'small', 'large'] as const) await get(name)
    expect((await get('small')).cached).toBe(true)
    expect((await get('large')).cached).toBe(false)
  })

  it('shares one flight, and never keeps a failure', async () => {
    const { get, loads } = create()
    const fail = () => Promise.reject(new Error('no'))
    const both = await Promise.allSettled([get(fail), get(fail)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(loads()).toBe(1)
    expect((await get(async () => ({ value: 1 }))).cached).toBe(false)
  })

  it('goes on while anybody waits, and is called off when nobody does', async () => {
    const { get } = create()
    const [one, two] = [new AbortController(), new AbortController()]
    let calledOff = false
    const load = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => {
        calledOff = true
      })
      return new Promise<Result>(() => {})
    }
    const waiting = [get(load, one.signal), get(load, two.signal)]
    one.abort()
    await expect(waiting[0]).rejects.toMatchObject({ code: 'cancelled' })
    expect(calledOff).toBe(false)
    two.abort()
    await expect(waiting[1]).rejects.toMatchObject({ code: 'cancelled' })
    expect(calledOff).toBe(true)
    expect((await get(async () => ({ value: 7 }))).result).toEqual({ value: 7 })
  })

  it('knows equal arguments by their canonical text', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2n }], a: null })).toBe(
      canonicalJson({ a: null, b: [{ c: 2n, d: 1 }] }),
    )
    expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }))
  })
})
