import { expect, it } from 'vitest'
import { HeldJson } from '../../../src/mcp/held-json.js'

const LONG = '"\\\n€😀'.repeat(30_000)
const said = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } })
const written = (answer: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 7, result: answer })

async function whole(held: HeldJson, text: string): Promise<string> {
  let result = ''
  for await (const piece of held.whole(text)) result += piece
  return result
}

it.each([
  ['a text', { text: LONG }, (held: HeldJson) => ({ text: held.text(LONG) })],
  [
    'messages that are long together',
    { messages: Array.from({ length: 40 }, () => said(LONG.slice(0, 6_000))) },
    (held: HeldJson) => ({
      messages: held.messages(Array.from({ length: 40 }, () => said(LONG.slice(0, 6_000)))),
    }),
  ],
  [
    "a tool's answer",
    { content: [{ type: 'text', text: LONG }], structuredContent: { a: LONG } },
    (held: HeldJson) =>
      held.answer({ content: [{ type: 'text', text: LONG }], structuredContent: { a: LONG } }),
  ],
])('%s is small for the SDK, and whole for the client', async (_, plain, take) => {
  const held = new HeldJson()
  const small = written(take(held))
  expect(small.length).toBeLessThan(500)
  expect(held.isEmpty).toBe(false)
  expect(await whole(held, small)).toBe(written(plain))
  expect(held.isEmpty).toBe(true)
})

it('what is short is nothing to hold', () => {
  const held = new HeldJson()
  const answer = { content: [{ type: 'text' as const, text: 'x' }], structuredContent: { a: 1 } }
  const messages = [said('x')]
  expect([held.text('x'), held.messages(messages), held.answer(answer)]).toEqual(['x', messages, answer])
  expect(held.isEmpty).toBe(true)
})

it('answers of several messages that come one by one are each whole', async () => {
  const held = new HeldJson()
  const [one, other] = [LONG, `${LONG}!`].map((text) => written({ text: held.text(text) }))
  expect(await whole(held, other ?? '')).toBe(written({ text: `${LONG}!` }))
  expect(held.isEmpty).toBe(false)
  expect(await whole(held, one ?? '')).toBe(written({ text: LONG }))
})
