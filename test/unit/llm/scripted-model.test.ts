import { describe, expect, it } from 'vitest'
import { createScriptedModel } from '../../../src/testing.js'
import { createFakeClock } from '../../support/fake-clock.js'

const call = { signal: new AbortController().signal, requestId: 'r' }
const request = { model: 'any', messages: [{ role: 'user', content: 'hi' }] }

describe('createScriptedModel', () => {
  it('says what it is told, in order, and remembers what it was asked', async () => {
    const model = createScriptedModel([
      'one',
      { text: 'two', usage: { prompt_tokens: 9, completion_tokens: 1 } },
    ])
    const texts: unknown[] = []
    for (let index = 0; index < 3; index += 1)
      texts.push((await model.complete(request, call)).body['choices'])
    expect(JSON.stringify(texts)).toMatch(/one.*two.*two/)
    expect(model.requests).toEqual([request, request, request])
    expect((await model.complete(request, call)).usage).toMatchObject({ inputTokens: 9 })
  })

  it('answers to the request, calls tools, streams', async () => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }]
    const model = createScriptedModel([
      ({ model: name }) => `I am ${name}`,
      { message: { role: 'assistant', content: null, tool_calls: calls } },
    ])
    expect(JSON.stringify((await model.complete(request, call)).body)).toContain('I am any')
    const { events } = await model.stream(request, call)
    let text = ''
    for await (const batch of events) text += batch.toString()
    expect(text).toContain('"tool_calls":[{"index":0,"id":"c"')
    expect(text).toContain('"finish_reason":"tool_calls"')
  })

  it('fails, is tried again, and delays, without waiting when the clock is a fake', async () => {
    const clock = createFakeClock()
    const replies = [{ fail: 503 }, { fail: 'network' as const }, { text: 'late', delayMs: 5_000 }]
    const model = createScriptedModel(replies, { clock })
    const { report } = await model.complete(request, call)
    expect(report).toMatchObject({ upstream: 'scripted', attempts: 3 })
    expect(clock.waits).toEqual([100, 300, 5_000])
    const broken = createScriptedModel([{ text: 'one two', dropAfter: 1 }], { clock })
    const { events } = await broken.stream(request, call)
    await events.next()
    await expect(events.next()).rejects.toMatchObject({ code: 'llm_unavailable' })
  })

  it('answers to the name of the offline model too', async () => {
    const model = createScriptedModel(['mine'])
    expect(JSON.stringify((await model.complete({ ...request, model: 'echo' }, call)).body)).toContain('mine')
  })
})
