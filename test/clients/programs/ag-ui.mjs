// The client of the Agent User Interaction Protocol, which checks the order of events itself.
import assert from 'node:assert/strict'
import { HttpAgent } from '@ag-ui/client'

const agent = new HttpAgent({
  url: `${process.env.SERVICE_URL}/api/agents/t.sums/ag-ui`,
  threadId: 'thread-1',
})
agent.messages = [{ id: 'u1', role: 'user', content: 'use sum {"a":2,"b":3}' }]
const seen = []
const { newMessages } = await agent.runAgent(
  { runId: 'run-1' },
  { onEvent: ({ event }) => void seen.push(event.type) },
)
assert.equal(seen[0], 'RUN_STARTED')
assert.equal(seen.at(-1), 'RUN_FINISHED')
assert.deepEqual(
  newMessages.map(({ role }) => role),
  ['assistant', 'tool', 'assistant'],
)
assert.deepEqual(JSON.parse(newMessages[0].toolCalls[0].function.arguments), { a: 2, b: 3 })
assert.match(newMessages[1].content, /5/)
assert.match(newMessages[2].content, /The tool says: .*5/)

agent.addMessage({ id: 'u2', role: 'user', content: 'Thanks' })
await agent.runAgent({ runId: 'run-2' })
assert.equal(agent.messages.at(-1).content, 'You said: Thanks')

const lost = new HttpAgent({ url: `${process.env.SERVICE_URL}/api/agents/no.such/ag-ui` })
lost.messages = [{ id: 'u1', role: 'user', content: 'Hello' }]
await assert.rejects(lost.runAgent(), /404|No agent/)
