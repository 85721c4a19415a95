import { describe, expect, it } from 'vitest'
import { DeltaFrame } from '../../../../src/llm/chat/delta-frame.js'

const eventOf = (delta: object) =>
  Buffer.from(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`)

/** A frame that has seen an event. */
function learned(delta: { readonly content: string }): DeltaFrame {
  const frame = new DeltaFrame()
  frame.learn(eventOf(delta), delta)
  return frame
}

describe('an event that differs in its words only says what a parser says', () => {
  const frame = learned({ content: 'When' })
  it.each(['is', '', '潮', '🌊', 'a\nb\t"c" \\ {}', '</tool_call>\n', '\u0000', '\ud83c', '"', '\\'])(
    '%j',
    (content) => {
      expect(frame.read(eventOf({ content }))).toEqual({ kind: 'text', piece: content })
    },
  )
})

it.each([
  ['another place', { reasoning: 'is' }],
  ['two places', { content: 'is', reasoning: 'high' }],
  ['another name', { content: 'is', role: 'assistant' }],
  ['calls', { content: 'is', tool_calls: [{ index: 0 }] }],
  ['null', { content: null }],
])('an event that has %s is parsed', (_, delta) => {
  expect(learned({ content: 'When' }).read(eventOf(delta))).toBeUndefined()
})

it.each(['\\', '\\x', 'a"b', '"}},{"delta":{"content":"', '\\u12', 'a\nb'])(
  'an event with %j as it stands is parsed',
  (raw) => {
    const event = eventOf({ content: '@' })
      .toString()
      .replace('@', () => raw)
    expect(learned({ content: 'When' }).read(Buffer.from(event))).toBeUndefined()
  },
)
