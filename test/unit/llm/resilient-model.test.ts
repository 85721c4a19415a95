import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/errors.js'
import { createReplyUpstream, type Reply } from '../../../src/llm/reply-upstream.js'
import { type FailedAttempt, ResilientModel } from '../../../src/llm/resilient-model.js'
import type { Upstream } from '../../../src/llm/upstream.js'
import { DEFAULT_RETRY } from '../../../src/transport/resilience/retry.js'
import { DEFAULT_BREAKER } from '../../../src/transport/resilience/share-breaker.js'
import { createFakeClock } from '../../support/fake-clock.js'

const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }

function open(
  replies: readonly Reply[],
  changes: { readonly minimumAttempts?: number; readonly places?: number } = {},
  other?: Upstream,
) {
  const clock = createFakeClock()
  const failed: FailedAttempt[] = []
  let attempts = 0
  const upstream = createReplyUpstream(
    'u',
    () => {
      attempts += 1
      return replies[Math.min(attempts, replies.length) - 1] as Reply
    },
    clock,
  )
  const model = new ResilientModel(other ?? upstream, {
    retry: DEFAULT_RETRY,
    breaker: { ...DEFAULT_BREAKER, minimumAttempts: changes.minimumAttempts ?? 100 },
    admission: { maxConcurrent: changes.places ?? 10, maxQueue: 0, queueTimeoutMs: 1 },
    clock,
    onFailedAttempt: (attempt) => failed.push(attempt),
  })
  return { model, clock, failed, attempts: () => attempts }
}

const call = (signal = new AbortController().signal) => ({ signal, requestId: 'r' })
const fail = (status: number): Reply => ({ fail: status, failMessage: 'no' })

async function textOf(events: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const batch of events) text += batch.toString()
  return text
}

describe('ResilientModel', () => {
  it.each([
    { name: 'success', replies: [{ text: 'a' }], waits: [], attempts: 1 },
    { name: 'one failure', replies: [fail(500), { text: 'a' }], waits: [100], attempts: 2 },
    { name: 'two failures', replies: [fail(503), fail(429), { text: 'a' }], waits: [100, 300], attempts: 3 },
    {
      name: 'a wish to wait',
      replies: [{ ...fail(429), retryAfterMs: 1500 }, { ...fail(503), retryAfterMs: 9999 }, { text: 'a' }],
      waits: [1500, 2000],
      attempts: 3,
    },
    {
      name: 'broken connection',
      replies: [{ fail: 'network' as const }, { text: 'a' }],
      waits: [100],
      attempts: 2,
    },
  ])('$name', async ({ replies, waits, attempts }) => {
    for (const kind of ['complete', 'stream'] as const) {
      const { model, clock } = open(replies)
      const result = await model[kind](request, call())
      if ('events' in result) await textOf(result.events)
      expect(result.report).toMatchObject({ upstream: 'u', model: 'm', attempts })
      expect(clock.waits).toEqual(waits)
      expect(model.status).toMatchObject({ active: 0, waiting: 0 })
    }
  })

  it.each([
    { fail: 500, code: 'llm_unavailable', status: 502, attempts: 3 },
    { fail: 408, code: 'llm_unavailable', status: 502, attempts: 3 },
    { fail: 409, code: 'llm_unavailable', status: 502, attempts: 3 },
    { fail: 429, code: 'llm_unavailable', status: 502, attempts: 3 },
    { fail: 529, code: 'llm_unavailable', status: 502, attempts: 3 },
    { fail: 401, code: 'llm_unavailable', status: 502, attempts: 1 },
    { fail: 403, code: 'llm_unavailable', status: 502, attempts: 1 },
    { fail: 400, code: 'llm_rejected', status: 400, attempts: 1 },
    { fail: 404, code: 'llm_rejected', status: 404, attempts: 1 },
    { fail: 413, code: 'llm_rejected', status: 413, attempts: 1 },
    { fail: 422, code: 'llm_rejected', status: 422, attempts: 1 },
  ])('answers $fail with $status $code after $attempts attempts', async (row) => {
    for (const kind of ['complete', 'stream'] as const) {
      const { model, failed, clock } = open([fail(row.fail)])
      const error = await model[kind](request, call()).catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: row.code, status: row.status })
      expect((error as ServiceError).details).toMatchObject({ upstream: 'u', upstream_status: row.fail })
      expect(failed.map(({ attempt, retryInMs }) => [attempt, retryInMs])).toEqual(
        [
          [1, 100],
          [2, 300],
          [3, undefined],
        ]
          .slice(0, row.attempts)
          .with(-1, [row.attempts, undefined]),
      )
      expect(clock.waits).toEqual([100, 300].slice(0, row.attempts - 1))
      expect(model.status.active).toBe(0)
    }
  })

  it('says how often it tried and that trying again is of no use', async () => {
    const { model } = open([fail(503)])
    await expect(model.complete(request, call())).rejects.toMatchObject({
      message: 'The model did not answer: the upstream answered 503: no',
      details: { upstream: 'u', upstream_status: 503, attempts: 3, reason: 'status' },
      headers: { 'x-should-retry': 'false' },
    })
  })

  it('tells of every retry before it waits, and how far a failed call came', async () => {
    const { model } = open([fail(503)])
    const retries: unknown[] = []
    const options = { ...call(), onRetry: (retry: unknown) => retries.push(retry) }
    await expect(model.complete(request, options)).rejects.toMatchObject({
      report: { upstream: 'u', model: 'm', attempts: 3, upstreamMs: 0 },
      isContextOverflow: false,
    })
    expect(retries).toMatchObject([
      { upstream: 'u', model: 'm', attempt: 1, waitMs: 100, error: { status: 503 } },
      { attempt: 2, waitMs: 300 },
    ])
  })

  it('marks a conversation that is too long for the model', async () => {
    const { model } = open([{ fail: 400, failMessage: 'prompt is too long: 9 tokens > 8 maximum' }])
    await expect(model.complete(request, call())).rejects.toMatchObject({
      code: 'llm_rejected',
      isContextOverflow: true,
      details: { reason: 'context_overflow' },
    })
  })

  it('does not repeat what the provider says about our key', async () => {
    const { model } = open([{ fail: 401, failMessage: 'bad key sk-secret' }])
    const error: ServiceError = await model.complete(request, call()).catch((caught) => caught)
    expect(`${error.message}${JSON.stringify(error.details)}`).not.toContain('sk-secret')
  })

  it('does not try again once the client has got a byte', async () => {
    const { model, attempts } = open([fail(500)])
    await expect(model.stream(request, { ...call(), mayRetry: () => false })).rejects.toMatchObject({
      code: 'llm_unavailable',
      details: { attempts: 1 },
    })
    expect(attempts()).toBe(1)
  })

  it('breaks a stream that breaks, without a retry', async () => {
    const { model, attempts } = open([{ text: 'one two three', dropAfter: 2 }])
    const { events } = await model.stream(request, call())
    let text = ''
    const reading = (async () => {
      for await (const batch of events) text += batch.toString()
    })()
    const message = expect.stringMatching(/^The answer broke off: /)
    await expect(reading).rejects.toMatchObject({ code: 'llm_unavailable', message })
    expect(text).toContain('" two"')
    expect(attempts()).toBe(1)
    expect(model.status.active).toBe(0)
  })

  it('stops waiting when the client goes, and does not call that a failure', async () => {
    const controller = new AbortController()
    const { model, clock, attempts } = open([fail(500)])
    Object.assign(clock, {
      sleep: async () => {
        controller.abort()
        throw controller.signal.reason
      },
    })
    await expect(model.complete(request, call(controller.signal))).rejects.toMatchObject({
      code: 'client_closed_request',
    })
    expect(attempts()).toBe(1)
    await expect(model.complete(request, call(controller.signal))).rejects.toMatchObject({
      code: 'client_closed_request',
    })
    expect(attempts()).toBe(1)
  })

  it('passes on the reason of whoever aborts with one', async () => {
    const reason = new ServiceError('overloaded', 'draining')
    const { model } = open([{ text: 'a' }])
    await expect(model.complete(request, call(AbortSignal.abort(reason)))).rejects.toBe(reason)
  })

  it('keeps away from an upstream that always fails, then probes it', async () => {
    const { model, attempts, clock } = open([...Array(4).fill(fail(500)), { text: 'back' }], {
      minimumAttempts: 4,
    })
    await expect(model.complete(request, call())).rejects.toMatchObject({ status: 502 })
    await expect(model.complete(request, call())).rejects.toMatchObject({
      details: { reason: 'circuit_open', attempts: 1 },
    })
    await expect(model.complete(request, call())).rejects.toMatchObject({
      status: 503,
      code: 'llm_unavailable',
      headers: { 'retry-after': '5' },
      details: { reason: 'circuit_open', attempts: 0 },
    })
    expect(attempts()).toBe(4)
    expect(model.status.circuit).toBe('open')
    clock.advance(5000)
    await expect(model.complete(request, call())).resolves.toMatchObject({ usage: { outputTokens: 1 } })
    expect(model.status.circuit).toBe('closed')
  })

  it.each([
    { name: 'one after the other', together: 1 },
    { name: 'all at once', together: 500 },
  ])('asks an upstream that went down little, $name, however well it did before', async ({ together }) => {
    const { model, attempts } = open([...Array(1500).fill({ text: 'a' }), fail(503)], {
      minimumAttempts: DEFAULT_BREAKER.minimumAttempts,
      places: together,
    })
    for (let index = 0; index < 1500; index += 1) await model.complete(request, call())
    for (let asked = 0; asked < 500; asked += together) {
      await Promise.allSettled(Array.from({ length: together }, () => model.complete(request, call())))
    }
    expect(model.status.circuit).toBe('open')
    expect(attempts() - 1500).toBeLessThanOrEqual(1.2 * 500)
  })

  it('holds its place while a stream is read, and gives it back however that ends', async () => {
    const { model } = open([{ text: 'one two three' }], { places: 1 })
    const first = await model.stream(request, call())
    await expect(model.complete(request, call())).rejects.toMatchObject({ code: 'overloaded' })
    for await (const _ of first.events) break
    expect(model.status.active).toBe(0)
    await expect(model.complete(request, call())).resolves.toBeDefined()
  })

  it('gives its place back where an upstream throws before it has a promise', async () => {
    const upstream = {
      ...createReplyUpstream('u', () => ({ text: 'a' }), createFakeClock()),
      complete: () => {
        throw new Error('not even begun')
      },
    }
    const { model } = open([], { places: 1 }, upstream)
    const failure = await model.complete(request, call()).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(model.status.active).toBe(0)
    expect(await model.complete(request, call()).catch((error: unknown) => error)).toEqual(failure)
  })
})
