import { describe, expect, it } from 'vitest'
import { toChatRequest } from '../../../src/llm/responses/to-chat-request.js'
import type { JsonObject } from '../../../src/util/json/json.js'

const chatOf = (body: JsonObject) => toChatRequest({ model: 'm', ...body }, [])

describe('a request of the responses interface as a chat', () => {
  const f = { type: 'function', name: 'f' }
  const chatF = { type: 'function', function: { name: 'f' } }
  it.each([
    { name: 'nothing of a null', body: { tool_choice: null, reasoning: null, text: null }, request: {} },
    {
      name: 'a tool without parameters',
      body: { tools: [{ ...f, parameters: null }] },
      request: { tools: [chatF] },
    },
    { name: 'a choice', body: { tool_choice: 'required' }, request: { tool_choice: 'required' } },
    { name: 'the choice of one tool', body: { tool_choice: f }, request: { tool_choice: chatF } },
    {
      name: 'the choice among some tools',
      body: { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [f] } },
      request: {
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [chatF] } },
      },
    },
  ])('has $name', ({ body, request }) => {
    expect(chatOf(body)).toEqual({ model: 'm', messages: [], ...request })
  })

  it('has its instructions first, which are a text', () => {
    expect(chatOf({ instructions: 'Be kind.', input: 'Hi' }).messages).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
    ])
    expect(() => chatOf({ instructions: [{ role: 'system', content: 'Be kind.' }] })).toThrow(
      '`instructions`',
    )
  })
})
