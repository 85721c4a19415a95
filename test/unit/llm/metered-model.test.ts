import { describe, expect, it } from 'vitest'
import { type CallRecord, createMeteredModel } from '../../../src/llm/metered-model.js'
import { createScriptedModel, type ScriptedReply } from '../../../src/testing/scripted-model.js'
import { createFakeClock } from '../../support/fake-clock.js'

const usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000 }
const prices = { m: { input: 1, output: 2 } }
const request = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
const call = () => ({ signal: new AbortController().signal, requestId: 'r1' })

function open(...replies: readonly ScriptedReply[]) {
  const records: CallRecord[] = []
  const scripted = createScriptedModel(replies, { clock: createFakeClock() })
  return {
    records,
    model: createMeteredModel(scripted, { prices, observe: (record) => records.push(record) }),
  }
}

async function drain(events: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of events);
}

describe('a metered model', () => {
  it('tells usage, cost, attempts and time of an answer, and prices it', async () => {
    const { model, records } = open({ fail: 500 }, { text: 'a', usage })
    const completion = await model.complete(request, call())
    expect(completion.cost).toBe(3)
    expect(completion.body).toMatchObject({ model: 'm' })
    expect(records).toEqual([
      {
        requestId: 'r1',
        report: completion.report,
        outcome: 'success',
        durationMs: expect.any(Number),
        firstTokenMs: undefined,
        usage: { inputTokens: 1_000_000, outputTokens: 1_000_000, cachedTokens: 0, reasoningTokens: 0 },
        cost: 3,
      },
    ])
    expect(completion.report).toMatchObject({ upstream: 'scripted', attempts: 2 })
  })

  it('tells of a call whose model throws before it has a promise', async () => {
    const records: CallRecord[] = []
    const thrown = new Error('not even begun')
    const broken = {
      ...createScriptedModel([], { clock: createFakeClock() }),
      complete: () => {
        throw thrown
      },
    }
    const model = createMeteredModel(broken, { prices, observe: (record) => records.push(record) })
    await expect(model.complete(request, call())).rejects.toBe(thrown)
    expect(records).toHaveLength(1)
  })

  it('tells of a stream when it is over', async () => {
    const { model, records } = open({ text: 'a b', usage })
    const stream = await model.stream(request, call())
    expect(records).toEqual([])
    await drain(stream.events)
    await stream.ended
    expect(stream.cost?.()).toBe(3)
    expect(records).toMatchObject([{ outcome: 'success', firstTokenMs: expect.any(Number), cost: 3 }])
  })

  it.each([
    { name: 'an answer', ask: (model: ReturnType<typeof open>['model']) => model.complete(request, call()) },
    { name: 'a stream', ask: (model: ReturnType<typeof open>['model']) => model.stream(request, call()) },
  ])('tells of $name that fails after all attempts', async ({ ask }) => {
    const { model, records } = open({ fail: 503 })
    await expect(ask(model)).rejects.toMatchObject({ code: 'llm_unavailable', report: { attempts: 3 } })
    expect(records).toMatchObject([
      {
        outcome: 'llm_unavailable',
        report: { upstream: 'scripted', model: 'm', attempts: 3 },
        usage: undefined,
      },
    ])
  })

  it('tells of a stream that breaks, and of one whose reader leaves', async () => {
    const { model, records } = open({ text: 'a b c', dropAfter: 2 }, { text: 'a b c' })
    const broken = await model.stream(request, call())
    await expect(drain(broken.events)).rejects.toMatchObject({ code: 'llm_unavailable' })
    const left = await model.stream(request, call())
    await left.events.next()
    await left.events.return?.()
    await left.ended
    expect(records.map(({ outcome }) => outcome)).toEqual(['llm_unavailable', 'client_closed_request'])
  })

  it('tells of a call that reached no upstream', async () => {
    const { model, records } = open('x')
    const signal = AbortSignal.abort()
    await expect(model.complete(request, { ...call(), signal })).rejects.toMatchObject({
      code: 'client_closed_request',
    })
    expect(records).toMatchObject([
      { outcome: 'client_closed_request', report: { upstream: 'none', attempts: 0 } },
    ])
  })
})
