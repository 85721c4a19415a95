import { describe, expect, it } from 'vitest'
import { readCompletion, readMessages } from '../../../../src/llm/chat/read-completion.js'
import type { JsonObject, JsonValue } from '../../../../src/util/json/json.js'

const answer = (message: JsonValue, others: JsonObject = {}): JsonObject => ({
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  ...others,
})
const nothing = { text: '', reasoning: '', toolCalls: [], refusal: undefined }
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }

describe('readCompletion', () => {
  it.each([
    {
      name: 'text with unknown fields beside it',
      body: answer({ role: 'assistant', content: 'hi', annotations: [] }),
      expected: {
        text: 'hi',
        message: { role: 'assistant', content: 'hi', annotations: [] },
        finishReason: 'stop',
      },
    },
    {
      name: 'text in parts',
      body: answer({
        content: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }],
      }),
      expected: { text: 'ab' },
    },
    {
      name: 'usage',
      body: answer({ content: '' }, { usage: { prompt_tokens: 5, completion_tokens: 2 } }),
      expected: { usage: { inputTokens: 5, outputTokens: 2, cachedTokens: 0, reasoningTokens: 0 } },
    },
    {
      name: 'both names of reasoning',
      body: answer({ content: 'x', reasoning: 'hm' }),
      expected: { reasoning: 'hm' },
    },
    {
      name: 'a refusal',
      body: answer({ content: null, refusal: 'no' }),
      expected: { refusal: 'no', text: '' },
    },
    {
      name: 'tool calls as they were written',
      body: answer({ content: null, tool_calls: [call] }),
      expected: { toolCalls: [call], message: { role: 'assistant', content: null, tool_calls: [call] } },
    },
    {
      name: 'calls without an id, and with an object for arguments, completed in the message too',
      body: answer({ tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }, 'junk', {}] }),
      expected: {
        toolCalls: [{ id: 'call_0', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
        message: {
          role: 'assistant',
          tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
        },
      },
    },
  ])('reads $name', ({ body, expected }) => {
    expect(readCompletion(body)).toMatchObject(expected)
  })

  it.each([
    {},
    { choices: null },
    { choices: [] },
    { choices: ['x'] },
    { choices: [{}] },
    { choices: [{ message: 'x', finish_reason: 1 }], usage: 7 },
  ])('finds nothing in %j', (body) => {
    const expected = { ...nothing, message: undefined, finishReason: undefined, usage: undefined }
    expect(readCompletion(body)).toEqual(expected)
  })

  it('reads own properties only', () => {
    expect(
      readCompletion(JSON.parse('{"__proto__":{"choices":[{"message":{"content":"x"}}]}}')),
    ).toMatchObject(nothing)
  })

  it('has the messages of all choices', () => {
    const body = { choices: [{ message: { content: 'a' } }, {}, { message: { content: 'b' } }] }
    expect(readMessages(body).map(({ content }) => content)).toEqual(['a', 'b'])
  })
})
