import { describe, expect, it } from 'vitest'
import { createEchoUpstream } from '../../../src/llm/echo.js'
import { countWords, piecesOf } from '../../../src/llm/words.js'
import { payloadsOf } from '../../../src/transport/sse-splitter.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { createSlicer } from '../../../src/util/slices/pause.js'
import { createFakeClock } from '../../support/fake-clock.js'

const call = { signal: new AbortController().signal, requestId: 'r' }
const user = (content: string) => ({ role: 'user', content })

function echo(model: string, messages: readonly JsonObject[], more: JsonObject = {}) {
  const clock = createFakeClock()
  return { clock, upstream: createEchoUpstream(clock), request: { model, messages, ...more } }
}

describe('echo', () => {
  it.each([
    {
      name: 'last user message',
      messages: [user('a'), user('b c'), { role: 'assistant', content: 'd' }],
      text: 'b c',
    },
    { name: 'no user message', messages: [{ role: 'system', content: 's' }], text: 's' },
    { name: 'no message', messages: [], text: '' },
    {
      name: 'text parts',
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'a' }, { type: 'image_url' }, { type: 'text', text: 'b' }],
        },
      ],
      text: 'a\nb',
    },
  ])('$name', async ({ messages, text }) => {
    const { upstream, request } = echo('echo', messages)
    const { body } = await upstream.complete(request, call)
    expect(body).toMatchObject({
      object: 'chat.completion',
      model: 'echo',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    })
  })

  it.each([
    ['gpt-5', 'echo'],
    ['echo:pace=1', 'echo:pace=1'],
  ])('asked as %s, answers in its own name', async (model, own) => {
    const { upstream, request } = echo(model, [user('a')], { stream: true })
    expect((await upstream.complete(request, call)).body).toMatchObject({ model: own })
    const { events } = await upstream.stream(request, call)
    const chunks: JsonObject[] = []
    for await (const batch of events) chunks.push(...payloadsOf(batch).map((text) => JSON.parse(text)))
    expect(chunks.map(({ model: name }) => name)).toEqual(chunks.map(() => own))
  })

  it('answers the same every time', async () => {
    const { upstream, request } = echo('echo', [user('a 中文 b')])
    const [one, other] = [await upstream.complete(request, call), await upstream.complete(request, call)]
    expect(one.bytes.equals(other.bytes)).toBe(true)
    expect(one.usage).toEqual({ inputTokens: 4, outputTokens: 4, cachedTokens: 0, reasoningTokens: 0 })
  })

  it('streams word by word and tells the usage when asked', async () => {
    const { upstream, request } = echo('echo', [user('one  two 三四')], {
      stream_options: { include_usage: true },
    })
    const { events, usage } = await upstream.stream(request, call)
    const chunks: JsonObject[] = []
    for await (const batch of events) chunks.push(...payloadsOf(batch).map((text) => JSON.parse(text)))
    expect(JSON.stringify(chunks.map(({ choices }) => choices))).toContain('"content":"  two"')
    expect(chunks.at(-2)).toMatchObject({ choices: [{ delta: {}, finish_reason: 'stop' }] })
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 4, total_tokens: 8 } })
    expect(usage()).toMatchObject({ outputTokens: 4 })
  })

  it('does as its name says', async () => {
    const { upstream, request, clock } = echo('echo:delay=200,pace=10', [user('a b c')])
    const { events } = await upstream.stream(request, call)
    for await (const _ of events);
    expect(clock.waits).toEqual([200, 10, 10])
  })

  it.each([
    ['echo:fail=503', { phase: 'status', status: 503 }],
    ['echo:fail=network', { phase: 'network' }],
    ['echo:drop=1', { phase: 'network' }],
    ['echo:fly=1', { phase: 'status', status: 400 }],
    ['echo:fail=200', { phase: 'status', status: 400 }],
    ['echo:', { phase: 'status', status: 400 }],
  ])('%s fails', async (model, error) => {
    const { upstream, request } = echo(model, [user('a b')])
    await expect(upstream.complete(request, call)).rejects.toMatchObject(error)
  })

  it.each([
    ['', []],
    [' ', [' ']],
    ['a', ['a']],
    [' a  b ', [' a', '  b', ' ']],
    ['中文 and text\n', ['中', '文', ' and', ' text', '\n']],
    ['\n\n', ['\n\n']],
    ['a'.repeat(16_385), ['a'.repeat(16_384), 'a']],
    [`a${'😀'.repeat(8_192)}b`, [`a${'😀'.repeat(8_192)}`, 'b']],
    ['😀 x\u3000가か', ['😀', ' x', '\u3000가', 'か']],
    ['a\u00a0b\u2028c\ufeffd', ['a', '\u00a0b', '\u2028c', '\ufeffd']],
  ])('cuts %j into words', async (text, words) => {
    expect([...piecesOf(text)]).toEqual(words)
    expect(await countWords(text, createSlicer())).toBe(words.length)
    expect([...piecesOf(text, 2)].join('')).toBe(text)
  })

  it('streams a large text in few pieces and loses nothing', async () => {
    const text = 'a b 中 '.repeat(30_000)
    const { upstream, request } = echo('echo', [user(text)])
    const { events, usage } = await upstream.stream(request, call)
    const chunks: JsonObject[] = []
    for await (const batch of events) chunks.push(...payloadsOf(batch).map((json) => JSON.parse(json)))
    expect(chunks.length).toBeLessThanOrEqual(10_001)
    expect(chunks.map(contentOf).join('')).toBe(text)
    expect(usage()).toMatchObject({ inputTokens: 90_001, outputTokens: 90_001 })
  })
})

function contentOf(chunk: JsonObject): string {
  const [choice] = chunk['choices'] as { delta: { content?: string } }[]
  return choice?.delta.content ?? ''
}
