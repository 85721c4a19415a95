import { describe, expect, it } from 'vitest'
import { readToolCalls, toWireToolCall } from '../../../src/conversation/tool-calls.js'

const call = (id: string) => toWireToolCall({ id, name: 'f', arguments: {} })

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
