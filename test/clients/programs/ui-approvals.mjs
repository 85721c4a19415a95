// A person decides about tool calls inside `useChat` of the Vercel AI SDK: `addToolApprovalResponse`, sent by itself.
import assert from 'node:assert/strict'
import { Chat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'

const api = `${process.env.SERVICE_URL}/api/agents/t.careful/ui`
const open = (id) =>
  new Chat({
    id,
    transport: new DefaultChatTransport({ api }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
const toolOf = ({ lastMessage }) => lastMessage.parts.find(({ type }) => type === 'dynamic-tool')
const textOf = ({ lastMessage }) => lastMessage.parts.findLast(({ type }) => type === 'text')?.text
const answered = async (chat) => {
  while (textOf(chat) === undefined || chat.status !== 'ready') {
    assert.equal(chat.error, undefined)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const chat = open('approved')
await chat.sendMessage({ text: 'use sum {"a":2,"b":3}' })
assert.equal(toolOf(chat).state, 'approval-requested')
await chat.addToolApprovalResponse({ id: toolOf(chat).approval.id, approved: true })
await answered(chat)
assert.equal(toolOf(chat).state, 'output-available')
assert.match(textOf(chat), /The tool says: .*5/)
assert.equal(chat.messages.length, 2)

await chat.sendMessage({ text: 'Thanks' })
assert.equal(textOf(chat), 'You said: Thanks')

const refused = open('refused')
await refused.sendMessage({ text: 'use sum {"a":2,"b":3}' })
const { id } = toolOf(refused).approval
await refused.addToolApprovalResponse({ id, approved: false, reason: 'no sums today' })
await answered(refused)
assert.equal(toolOf(refused).state, 'output-denied')
assert.match(textOf(refused), /no sums today/)

// Somebody loads the page again while the question waits.
const waiting = open('waiting')
await waiting.sendMessage({ text: 'use sum {"a":2,"b":3}' })
const [question] = waiting.messages
const again = open('waiting')
again.messages = [question]
await again.resumeStream()
assert.equal(again.status, 'ready')
assert.equal(toolOf(again).state, 'approval-requested')
await again.addToolApprovalResponse({ id: toolOf(again).approval.id, approved: true })
await answered(again)
assert.match(textOf(again), /The tool says: .*5/)
