import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../src/errors.js'
import { readStream } from '../../../../src/llm/chat/read-stream.js'
import type { StreamEvent } from '../../../../src/llm/chat/stream-event.js'
import { bytesOf, PROVIDER_STREAMS } from './provider-streams.js'

async function* from(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces
}

async function eventsOf(bytes: AsyncIterable<Buffer>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of readStream(bytes)) events.push(event)
  return events
}

const read = (...pieces: readonly (string | Buffer)[]) =>
  eventsOf(from(pieces.map((piece) => Buffer.from(piece))))

const hello = 'data: {"choices":[{"index":0,"delta":{"content":"你好"}}]}\n\n'
const said: StreamEvent = { kind: 'text', index: 0, text: '你好' }

describe('readStream', () => {
  describe.each(PROVIDER_STREAMS)('$name', (stream) => {
    const bytes = bytesOf(stream)

    it('is understood', async () => {
      expect(await read(bytes)).toEqual(stream.events)
    })

    it('is the same wherever the network cuts it', async () => {
      for (let at = 1; at < bytes.length; at += 1) {
        expect(await read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(stream.events)
      }
      expect(await read(...[...bytes].map((byte) => Buffer.of(byte)))).toEqual(stream.events)
    })
  })

  it.each([
    { name: 'CRLF', text: hello.replaceAll('\n', '\r\n') },
    { name: 'comments', text: `: OPENROUTER PROCESSING\n\n${hello}: ping\n\n` },
    { name: 'no [DONE] and no last blank line', text: hello.trimEnd() },
    { name: 'no space after data:', text: hello.replace('data: ', 'data:') },
    { name: 'what comes after [DONE]', text: `${hello}data: [DONE]\n\ndata: not json\n\n` },
  ])('takes $name', async ({ text }) => {
    expect(await read(text)).toEqual([said])
  })

  it.each([
    {
      name: 'an error object',
      text: 'data: {"error":{"message":"boom"}}\n\n',
      code: 'llm_unavailable',
      says: 'boom',
    },
    {
      name: 'an error event',
      text: 'event: error\ndata: {"message":"boom"}\n\n',
      code: 'llm_unavailable',
      says: 'boom',
    },
    { name: 'what is not JSON', text: 'data: {"a":\n\n', code: 'llm_bad_response', says: 'not JSON' },
    { name: 'what is no object', text: 'data: [1]\n\n', code: 'llm_bad_response', says: 'not JSON' },
  ])('ends with an error at $name', async ({ text, code, says }) => {
    const events = await read(hello + text + hello)
    expect(events).toMatchObject([said, { kind: 'error', error: { code } }])
    expect((events[1] as { error: ServiceError }).error.message).toContain(says)
  })

  it('turns the failure of its source into an error event, and lets others through', async () => {
    async function* broken(error: Error): AsyncGenerator<Buffer> {
      yield Buffer.from(hello)
      throw error
    }
    const error = new ServiceError('llm_unavailable', 'gone')
    expect(await eventsOf(broken(error))).toEqual([said, { kind: 'error', error }])
    await expect(eventsOf(broken(new TypeError('a bug')))).rejects.toThrow('a bug')
  })

  it('lets go of its source when the reader leaves', async () => {
    let isOpen = true
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield Buffer.from(hello)
      } finally {
        isOpen = false
      }
    }
    for await (const event of readStream(endless())) {
      expect(event).toEqual(said)
      break
    }
    expect(isOpen).toBe(false)
  })

  it('keeps the digits of large integers', async () => {
    expect(await read('data: {"seed":12345678901234567890}\n\n')).toEqual([
      { kind: 'raw', chunk: { seed: 12345678901234567890n } },
    ])
  })

  it('places thousands of calls of one chunk', async () => {
    const calls = Array.from({ length: 4_000 }, (_, index) => ({
      index,
      id: `c${index}`,
      function: { name: 'a' },
    }))
    const events = await read(`data: ${JSON.stringify({ choices: [{ delta: { tool_calls: calls } }] })}\n\n`)
    expect(events.at(-1)).toMatchObject({ kind: 'tool_call', position: 3_999, id: 'c3999' })
  })

  it.each([
    ['calls', { tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(4_096) } }] }],
    ['thoughts', { reasoning_content: 'x'.repeat(4_096) }],
    ['texts', { content: 'x'.repeat(4_096) }],
  ])('lets others in while much comes at once: %s', async (_name, delta) => {
    const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
    let turns = 0
    const count = () => {
      turns += 1
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    for await (const _event of readStream(from([Buffer.from(event.repeat(20))]))) {
      // What a reader does with an event, for longer than a slice takes.
      for (const until = performance.now() + 3; performance.now() < until; );
    }
    clearImmediate(next)
    expect(turns).toBeGreaterThan(10)
  })

  it.each([
    ['a chunk of a million values', `{"choices":[${'1,'.repeat(1_000_000)}1]}`],
    ['a chunk nested 100,000 deep', '{"a":'.repeat(100_000) + 1 + '}'.repeat(100_000)],
  ])('refuses what would hold everybody up: %s', async (_name, chunk) => {
    const events = await read(`data: ${chunk}\n\n`)
    expect(events).toMatchObject([{ kind: 'error', error: { code: 'llm_bad_response' } }])
  })
})
