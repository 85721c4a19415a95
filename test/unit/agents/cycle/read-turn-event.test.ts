import { expect, it } from 'vitest'
import { readTurnEvent } from '../../../../src/agents/cycle/read-turn-event.js'

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
