import { expect, it } from 'vitest'
import { readTurnEvent, turnEventOf } from '../../../../src/agents/cycle/read-turn-event.js'

it.each([
  ['{"type":"text.delta","text":"hi"}', { type: 'text.delta', text: 'hi' }],
  ['{"type":"gap"}', { type: 'gap' }],
  ['{"type":"of a newer version"}', undefined],
  ['{"type":"constructor"}', undefined],
  ['{"text":"hi"}', undefined],
  ['["text.delta"]', undefined],
  ['null', undefined],
])('reads %s', (json, expected) => expect(readTurnEvent(json)).toEqual(expected))

it('throws for what is no JSON', () => expect(() => readTurnEvent('{"type":')).toThrow(SyntaxError))

it('keeps every digit', () => {
  const call = { id: 'c', name: 'pay', arguments: { amount: 12345678901234567890n } }
  const json =
    '{"type":"tool.called","call":{"id":"c","name":"pay","arguments":{"amount":12345678901234567890}}}'
  expect(readTurnEvent(json)).toEqual({ type: 'tool.called', call })
})

it('takes what the loop made here as it is, and parses what comes from a log', () => {
  const data = { type: 'step.started', step: 1 } as const
  expect(turnEventOf({ data, json: '' })).toBe(data)
  expect(turnEventOf({ json: '{"type":"step.started","step":1}' })).toEqual(data)
})
