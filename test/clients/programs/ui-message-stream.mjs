// What `useChat` of the Vercel AI SDK is made of: its transport, its reader of streams, and the chat of React.
import assert from 'node:assert/strict'
import { Chat } from '@ai-sdk/react'
import { DefaultChatTransport, readUIMessageStream } from 'ai'

const api = `${process.env.SERVICE_URL}/api/agents/t.sums/ui`
const transport = new DefaultChatTransport({ api })
const user = (text) => ({ id: 'm1', role: 'user', parts: [{ type: 'text', text }] })

const stream = await transport.sendMessages({
  chatId: 'raw',
  messages: [user('use sum {"a":2,"b":3}')],
  trigger: 'submit-message',
})
let last
for await (const message of readUIMessageStream({ stream })) last = message
const kinds = last.parts.map(({ type }) => type)
assert.deepEqual(kinds, ['step-start', 'dynamic-tool', 'step-start', 'text'])
assert.equal(last.parts[1].state, 'output-available')
assert.deepEqual(last.parts[1].input, { a: 2, b: 3 })
assert.match(JSON.stringify(last.parts[1].output), /5/)
assert.match(last.parts[3].text, /The tool says: .*5/)
assert.ok(last.metadata.usage.input_tokens > 0)
assert.equal(await transport.reconnectToStream({ chatId: 'raw' }), null)

const chat = new Chat({ id: 'hooked', transport })
await chat.sendMessage({ text: 'Hello' })
await chat.sendMessage({ text: 'And then?' })
assert.equal(chat.error, undefined)
assert.equal(chat.status, 'ready')
const texts = chat.messages.map(({ parts }) =>
  parts.filter(({ type }) => type === 'text').map(({ text }) => text),
)
assert.deepEqual(texts, [['Hello'], ['You said: Hello'], ['And then?'], ['You said: And then?']])

const lost = new Chat({
  id: 'lost',
  transport: new DefaultChatTransport({ api: api.replace('t.sums', 'no.such') }),
})
await lost.sendMessage({ text: 'Hello' })
assert.equal(lost.status, 'error')
assert.match(lost.error.message, /agent_not_found/)
