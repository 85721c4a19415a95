import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../src/errors.js'
import { readCompletion } from '../../../../src/llm/chat/read-completion.js'
import { readStream } from '../../../../src/llm/chat/read-stream.js'
import type { StreamEvent } from '../../../../src/llm/chat/stream-event.js'
import { toWholeChunk } from '../../../../src/llm/chat/write-completion.js'
import type { JsonObject } from '../../../../src/util/json/json.js'
import { collectStream } from '../../../support/collect-stream.js'
import { bytesOf } from './provider-streams.js'

async function* from<Value>(...values: readonly Value[]): AsyncGenerator<Value> {
  yield* values
}

const completionOf = (message: JsonObject, finishReason = 'stop'): JsonObject => ({
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finishReason }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
})
const calls = [
  { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
  { id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
]

describe('StreamCollector', () => {
  it.each([
    { name: 'text', completion: completionOf({ content: 'hello' }) },
    { name: 'nothing', completion: completionOf({ content: null }, 'length') },
    { name: 'tool calls', completion: completionOf({ content: null, tool_calls: calls }, 'tool_calls') },
    {
      name: 'text beside calls',
      completion: completionOf({ content: 'so', tool_calls: calls }, 'tool_calls'),
    },
    { name: 'a refusal', completion: completionOf({ content: null, refusal: 'no' }, 'content_filter') },
    { name: 'reasoning', completion: completionOf({ content: '42', reasoning_content: 'hm' }) },
  ])('puts $name together to what the completion says', async ({ completion }) => {
    const bytes = bytesOf({ lines: [JSON.stringify(toWholeChunk(completion))] })
    expect(await collectStream(readStream(from(bytes)))).toEqual(readCompletion(completion))
  })

  it('joins pieces, and gives a call without an id one of its own', async () => {
    const events: StreamEvent[] = [
      { kind: 'start', model: 'm' },
      { kind: 'text', index: 0, text: 'a' },
      { kind: 'text', index: 1, text: 'another choice' },
      { kind: 'text', index: 0, text: 'b' },
      { kind: 'refusal', index: 0, text: 'n' },
      { kind: 'refusal', index: 0, text: 'o' },
      { kind: 'tool_call', index: 0, position: 0, name: 'f', arguments: '{' },
      { kind: 'tool_call', index: 0, position: 0, arguments: '}' },
      { kind: 'raw', chunk: {} },
    ]
    expect(await collectStream(from(...events))).toMatchObject({
      text: 'ab',
      refusal: 'no',
      toolCalls: [{ id: 'call_0', type: 'function', function: { name: 'f', arguments: '{}' } }],
      finishReason: undefined,
    })
  })

  it('fails with the stream', async () => {
    const error = new ServiceError('llm_unavailable', 'gone')
    await expect(collectStream(from<StreamEvent>({ kind: 'error', error }))).rejects.toBe(error)
  })
})
