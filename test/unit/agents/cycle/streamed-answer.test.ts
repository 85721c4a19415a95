import { describe, expect, it } from 'vitest'
import { StreamedAnswer } from '../../../../src/agents/cycle/streamed-answer.js'
import type { TurnEvent } from '../../../../src/agents/cycle/turn-event.js'
import type { StreamEvent } from '../../../../src/llm/chat/stream-event.js'
import { toolProtocol } from '../../../../src/protocols/tool-protocol.js'
import { busyClock } from '../../../support/busy-clock.js'
import { readPieces } from '../../../support/read-parts.js'
import { turnsOfOthers } from '../../../support/turns-of-others.js'

const hermes = toolProtocol('hermes')
const CALL = '<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>'
const said = (text: string, index = 0): StreamEvent => ({ kind: 'text', index, text })

function read(events: readonly StreamEvent[], protocol = hermes) {
  const told: TurnEvent[] = []
  const answer = new StreamedAnswer(protocol, [], (event) => told.push(event))
  for (const event of events) void answer.add(event)
  return { ...answer.end(), told }
}

describe('a streamed answer', () => {
  it('is what a parser makes of the whole, and words go on without tags', () => {
    const pieces = [
      'Let me <th',
      'ink>see</think> look',
      `: ${CALL.slice(0, 20)}`,
      CALL.slice(20),
      ' <b',
      '>',
    ]
    const { parts, completion, told } = read(pieces.map((piece) => said(piece)))
    expect(parts).toEqual(readPieces(hermes.parser(), [pieces.join('')]))
    expect(completion.text).toBe(pieces.join(''))
    const words = told.map((event) => ('text' in event ? event.text : ''))
    expect(words.join('')).toBe('Let me see look:  <b>')
  })

  it('is that of the first choice', () => {
    const { parts, told } = read([said('a'), said(CALL, 1), said('no', 2), said('b')])
    expect(parts).toEqual([{ kind: 'text', text: 'ab' }])
    expect(told).toEqual(['a', 'b'].map((text) => ({ type: 'text.delta', text })))
  })

  it('lets others in while much comes at once', async () => {
    busyClock()
    const answer = new StreamedAnswer(hermes, [], () => {})
    const turns = await turnsOfOthers(async () => answer.add(said('<'.repeat(200_000))))
    expect(turns).toBeGreaterThan(2)
    expect(answer.end().parts).toHaveLength(1)
  })

  it('cuts no character of long words', async () => {
    const told: TurnEvent[] = []
    const answer = new StreamedAnswer(hermes, [], (event) => told.push(event))
    await answer.add(said(`a${'🙂'.repeat(20_000)}`))
    for (const event of told) expect('text' in event && event.text.isWellFormed()).toBe(true)
  })
})
