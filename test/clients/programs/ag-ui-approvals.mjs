// A person decides about tool calls inside AG-UI: interrupts of one run, answered in the `resume` of the next.
import assert from 'node:assert/strict'
import { buildResumeArray, HttpAgent } from '@ag-ui/client'

async function ask(threadId, response) {
  const url = `${process.env.SERVICE_URL}/api/agents/t.careful/ag-ui`
  const agent = new HttpAgent({ url, threadId })
  agent.messages = [{ id: 'u1', role: 'user', content: 'use sum {"a":2,"b":3}' }]
  await agent.runAgent()
  const [interrupt, ...others] = agent.pendingInterrupts
  assert.equal(others.length, 0)
  assert.deepEqual(interrupt.metadata.arguments, { a: 2, b: 3 })
  const resume = buildResumeArray(agent.pendingInterrupts, { [interrupt.id]: response })
  await agent.runAgent({ resume })
  assert.deepEqual(agent.pendingInterrupts, [])
  const [result, answer] = agent.messages.slice(-2)
  assert.equal(result.toolCallId, interrupt.toolCallId)
  return answer.content
}

assert.match(await ask('yes', { status: 'resolved', payload: { approved: true } }), /The tool says: .*5/)
const edited = { approved: true, arguments: { a: 40, b: 2 } }
assert.match(await ask('edited', { status: 'resolved', payload: edited }), /The tool says: .*42/)
const refused = { approved: false, reason: 'no sums today' }
assert.match(await ask('no', { status: 'resolved', payload: refused }), /no sums today/)
assert.match(await ask('gone', { status: 'cancelled' }), /approval_rejected/)
