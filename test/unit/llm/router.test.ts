import { describe, expect, it } from 'vitest'
import { createReplyUpstream, type Reply } from '../../../src/llm/reply-upstream.js'
import { ResilientModel } from '../../../src/llm/resilient-model.js'
import { createRouter } from '../../../src/llm/router.js'
import type { ModelRoute } from '../../../src/schema/config-file.js'
import { DEFAULT_RETRY } from '../../../src/transport/resilience/retry.js'
import { DEFAULT_BREAKER } from '../../../src/transport/resilience/share-breaker.js'
import { createFakeClock } from '../../support/fake-clock.js'

type Replies = Readonly<Record<string, Reply>>

function open(
  names: readonly string[],
  routes: readonly ModelRoute[],
  replies: Replies = {},
  native: string[] = [],
  places: Readonly<Record<string, number>> = {},
) {
  const clock = createFakeClock()
  const resilient = (name: string) =>
    new ResilientModel(
      createReplyUpstream(name, ({ model }) => ({ text: `${name}:${model}`, ...replies[name] }), clock),
      {
        retry: DEFAULT_RETRY,
        breaker: DEFAULT_BREAKER,
        admission: { maxConcurrent: places[name] ?? 10, maxQueue: 0, queueTimeoutMs: 1 },
        clock,
      },
    )
  const upstreams = names.map((name) => ({ name, model: resilient(name), responses: native.includes(name) }))
  return createRouter({ upstreams, routes, defaultModel: 'm', echo: resilient('echo') })
}

const call = { signal: new AbortController().signal, requestId: 'r' }
const ask = (model: string) => ({ model, messages: [{ role: 'user', content: 'x' }] })

async function answererOf(router: ReturnType<typeof open>, model: string): Promise<string> {
  const { body } = await router.complete(ask(model), call)
  return JSON.stringify(body).match(/"content":"([^"]*)"/)?.[1] as string
}

describe('createRouter', () => {
  const routes: ModelRoute[] = [
    { match: 'gpt-4o', upstream: 'b' },
    { match: 'fast', upstream: 'b', model: 'gpt-4o-mini' },
    { match: 'claude-*', upstream: 'a' },
    { match: 'claude-opus', upstream: 'b' },
    { match: 'lost', upstream: 'nowhere' },
  ]

  it.each([
    { model: 'gpt-4o', answerer: 'b:gpt-4o' },
    { model: 'fast', answerer: 'b:gpt-4o-mini' },
    { model: 'claude-opus', answerer: 'a:claude-opus' },
    { model: 'other', answerer: 'a:other' },
    { model: 'b/other', answerer: 'b:other' },
    { model: 'c/other', answerer: 'a:c/other' },
    { model: 'echo', answerer: 'echo:echo' },
    { model: 'echo:delay=1', answerer: 'echo:echo:delay=1' },
    { model: 'lost', answerer: 'a:lost' },
    { model: '__proto__', answerer: 'a:__proto__' },
  ])('gives $model to $answerer', async ({ model, answerer }) => {
    expect(await answererOf(open(['a', 'b'], routes), model)).toBe(answerer)
  })

  it('echoes every model when there is no upstream', async () => {
    expect(await answererOf(open([], []), 'deepseek-v3')).toBe('echo:deepseek-v3')
  })

  it('falls back in order and counts every attempt', async () => {
    const router = open(['a', 'b', 'c'], [{ match: 'm', upstream: 'a', fallbacks: ['b/x', 'c/y'] }], {
      a: { fail: 500 },
      b: { fail: 401 },
    })
    const completion = await router.complete(ask('m'), call)
    expect(completion.report).toMatchObject({ upstream: 'c', model: 'y', attempts: 5 })
    expect(completion.usage).toMatchObject({ inputTokens: 1 })
    expect(completion.body).toMatchObject({ model: 'y' })
    const stream = await router.stream(ask('m'), call)
    expect(stream.report).toMatchObject({ upstream: 'c', attempts: 5 })
    let text = ''
    for await (const batch of stream.events) text += batch.toString()
    expect(text).toContain('c:y')
    expect(stream.usage()).toBeDefined()
  })

  it('tells of every model that failed', async () => {
    const router = open(['a', 'b'], [{ match: 'm', upstream: 'a', fallbacks: ['b/x'] }], {
      a: { fail: 500 },
      b: { fail: 503 },
    })
    await expect(router.complete(ask('m'), call)).rejects.toMatchObject({
      code: 'llm_unavailable',
      details: {
        attempts: 6,
        upstream_status: 503,
        tried: [{ upstream: 'a', upstream_status: 500, attempts: 3 }, { upstream: 'b' }],
      },
    })
  })

  it('tells of a fallback as of a retry, and sums the attempts of a call that fails', async () => {
    const router = open(['a', 'b'], [{ match: 'm', upstream: 'a', fallbacks: ['b/x'] }], {
      a: { fail: 401 },
      b: { fail: 401 },
    })
    const retries: unknown[] = []
    const options = { ...call, onRetry: (retry: unknown) => retries.push(retry) }
    await expect(router.complete(ask('m'), options)).rejects.toMatchObject({
      report: { upstream: 'b', model: 'x', attempts: 2 },
    })
    expect(retries).toMatchObject([
      { upstream: 'a', model: 'm', attempt: 1, waitMs: 0, error: { code: 'llm_unavailable' } },
    ])
  })

  it('falls back from a model without a free place', async () => {
    const router = open(['a', 'b'], [{ match: 'm', upstream: 'a', fallbacks: ['b/x'] }], {}, [], {
      a: 0,
    })
    const { report } = await router.complete(ask('m'), call)
    expect(report).toMatchObject({ upstream: 'b', attempts: 1 })
  })

  it('does not fall back for a request that is wrong, nor once the client has got a byte', async () => {
    const routes = [{ match: 'm', upstream: 'a', fallbacks: ['b/x'] }]
    const rejecting = open(['a', 'b'], routes, { a: { fail: 400 } })
    await expect(rejecting.complete(ask('m'), call)).rejects.toMatchObject({ code: 'llm_rejected' })
    const failing = open(['a', 'b'], routes, { a: { fail: 500 } })
    await expect(failing.stream(ask('m'), { ...call, mayRetry: () => false })).rejects.toMatchObject({
      details: { upstream: 'a' },
    })
  })

  it('lists models it knows by name', () => {
    const ids = open(['a'], routes)
      .list()
      .map(({ id }) => id)
    expect(ids).toEqual(['gpt-4o', 'fast', 'claude-opus', 'lost', 'm', 'echo'])
  })

  it('knows where the responses interface is', () => {
    const router = open(['a', 'b'], [], {}, ['b'])
    expect([router.supportsResponses('m'), router.supportsResponses('b/m')]).toEqual([false, true])
  })
})
