import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/conversation/message.js'
import {
  findOpenCalls,
  readToolCalls,
  toolResultMessage,
  toWireToolCall,
} from '../../../src/conversation/tool-calls.js'

const call = (id: string) => toWireToolCall({ id, name: 'f', arguments: {} })
const asking = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map(call),
})

describe('readToolCalls', () => {
  it.each([
    { name: 'none', message: { content: 'x' }, expected: [] },
    { name: 'what is no list', message: { tool_calls: {} }, expected: [] },
    { name: 'what names no function', message: { tool_calls: [null, {}, { function: {} }] }, expected: [] },
    {
      name: 'a call with unknown fields',
      message: { tool_calls: [{ ...call('a'), extra: 1 }] },
      expected: [{ ...call('a'), extra: 1 }],
    },
    {
      name: 'no id, no type, no arguments',
      message: { tool_calls: [call('a'), { id: '', function: { name: 'g' } }] },
      expected: [call('a'), { id: 'call_1', type: 'function', function: { name: 'g', arguments: '{}' } }],
    },
  ])('reads $name', ({ message, expected }) => {
    expect(readToolCalls(message)).toEqual(expected)
  })
})

describe('findOpenCalls', () => {
  const user: Message = { role: 'user', content: 'x' }
  it.each<{ name: string; messages: readonly Message[]; open: readonly string[] }>([
    { name: 'nothing', messages: [], open: [] },
    { name: 'no assistant', messages: [user], open: [] },
    { name: 'all open', messages: [user, asking('a', 'b')], open: ['a', 'b'] },
    { name: 'one answered', messages: [asking('a', 'b'), toolResultMessage('b', '1')], open: ['a'] },
    { name: 'all answered', messages: [asking('a'), toolResultMessage('a', '1')], open: [] },
    { name: 'earlier calls do not count', messages: [asking('a'), user, asking('b')], open: ['b'] },
  ])('$name', ({ messages, open }) => {
    expect(findOpenCalls(messages).map(({ id }) => id)).toEqual(open)
  })
})
