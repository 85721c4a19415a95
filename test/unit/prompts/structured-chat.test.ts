import { describe, expect, it } from 'vitest'
import { createMeteredModel } from '../../../src/llm/metered-model.js'
import { createStructuredModel } from '../../../src/prompts/structured-chat.js'
import { createAnswerCheck } from '../../../src/prompts/structured-output.js'
import { createScriptedModel, type ScriptedReply } from '../../../src/testing/scripted-model.js'

const check = createAnswerCheck({ type: 'object', required: ['a'] })
const request = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
const options = { signal: new AbortController().signal, requestId: 'r' }
const usage = { prompt_tokens: 7, completion_tokens: 3 }
const good: ScriptedReply = { text: '{"a":1}', usage }
const bad: ScriptedReply = { text: '{"b":1}', usage }
const asking: ScriptedReply = {
  message: {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  },
}

function open(replies: readonly ScriptedReply[], repair = false) {
  const scripted = createScriptedModel(replies)
  const metered = createMeteredModel(scripted, {
    prices: { m: { input: 1e6, output: 1e6 } },
    observe: () => {},
  })
  return { scripted, model: createStructuredModel(metered, { check, repair }) }
}

async function drain(events: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const batch of events) text += batch.toString()
  return text
}

const violation = { path: '', message: 'must have the property "a"' }
const failure = {
  code: 'llm_bad_response',
  details: { violations: [violation] },
  report: { upstream: 'scripted' },
}

describe('a structured model', () => {
  it.each([
    { name: 'that fit', reply: good },
    { name: 'that call a tool', reply: asking },
  ])('passes answers on $name, whole and streamed', async ({ reply }) => {
    const { model } = open([reply])
    expect((await model.complete(request, options)).report.attempts).toBe(1)
    const stream = await model.stream(request, options)
    expect(await drain(stream.events)).toContain('finish_reason')
    expect(await stream.ended).toBeUndefined()
  })

  it('refuses an answer that does not fit', async () => {
    const { model, scripted } = open([bad])
    await expect(model.complete(request, options)).rejects.toMatchObject(failure)
    expect(scripted.requests).toHaveLength(1)
  })

  it('lets the events of a stream through and fails after the last one', async () => {
    const { model } = open([bad])
    const { events } = await model.stream(request, options)
    const seen: string[] = []
    const reading = (async () => {
      for await (const batch of events) seen.push(batch.toString())
    })()
    await expect(reading).rejects.toMatchObject(failure)
    expect(seen.join('')).toContain('"finish_reason":"stop"')
  })

  it('asks once more with the violations, and counts both calls', async () => {
    const { model, scripted } = open([bad, good], true)
    const completion = await model.complete(request, options)
    expect(completion.body).toMatchObject({ choices: [{ message: { content: '{"a":1}' } }] })
    expect(completion).toMatchObject({
      report: { attempts: 2 },
      usage: { inputTokens: 14, outputTokens: 6 },
      cost: 20,
    })
    expect(scripted.requests[1]?.['messages']).toMatchObject([
      { role: 'user', content: 'x' },
      { role: 'assistant', content: '{"b":1}' },
      { role: 'user', content: expect.stringContaining(violation.message) },
    ])
  })

  it('gives up after one repair', async () => {
    const { model, scripted } = open([bad], true)
    await expect(model.complete(request, options)).rejects.toMatchObject({
      ...failure,
      report: { attempts: 2 },
    })
    expect(scripted.requests).toHaveLength(2)
  })
})
