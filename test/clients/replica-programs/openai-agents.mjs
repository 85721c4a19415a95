// OpenAI's agents with the session that their conversations interface keeps, each call at another replica.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Agent,
  OpenAIConversationsSession,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import OpenAI from 'openai'

setTracingDisabled(true)
const replicas = process.env.SERVICE_URLS.split(' ').map((url) => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
  const modelProvider = new OpenAIProvider({ openAIClient: client, useResponses: true })
  return { client, runner: new Runner({ modelProvider, tracingDisabled: true }) }
})
const [one, two, three] = replicas
assert.equal(replicas.length, 3)

const sum = tool({
  name: 'sum',
  description: 'Adds.',
  strict: false,
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
  execute: ({ a, b }) => String(a + b),
})
const agent = new Agent({ name: 'Adder', instructions: 'You add.', model: 'scripted', tools: [sum] })

// A session: every turn at another replica, 1 ms after the one before.
const first = new OpenAIConversationsSession({ client: one.client })
const told = await one.runner.run(agent, 'remember Ada', { session: first })
assert.equal(told.finalOutput, 'You said: remember Ada')
const conversationId = await first.getSessionId()
await sleep(1)
const second = new OpenAIConversationsSession({ client: two.client, conversationId })
const added = await two.runner.run(agent, 'use sum {"a":2,"b":3}', { session: second })
assert.equal(added.finalOutput, 'The tool says: 5')
await sleep(1)
const third = new OpenAIConversationsSession({ client: three.client, conversationId })
const streamed = await three.runner.run(agent, 'how many turns?', { session: third, stream: true })
let text = ''
for await (const delta of streamed.toTextStream()) text += delta
await streamed.completed
assert.equal(text, 'You said: how many turns? (3)')

const items = await first.getItems()
assert.deepEqual(
  items.map(({ role, type }) => role ?? type),
  ['user', 'assistant', 'user', 'function_call', 'function_call_result', 'assistant', 'user', 'assistant'],
)
assert.equal((await second.getItems(2)).length, 2)
assert.equal((await third.popItem()).role, 'assistant')
assert.equal((await first.getItems()).length, 7)
await second.clearSession()
await assert.rejects(third.getItems(), { status: 404, code: 'conversation_not_found' })

// The same with what the server remembers by itself: a conversation, and a chain.
const conversation = await one.client.conversations.create({})
for (const [index, { runner }] of replicas.entries()) {
  const { finalOutput } = await runner.run(agent, 'how many turns?', { conversationId: conversation.id })
  assert.equal(finalOutput, `You said: how many turns? (${index + 1})`)
  await sleep(1)
}
const keeping = agent.clone({ modelSettings: { store: true } })
let previousResponseId
for (const [index, { runner }] of replicas.entries()) {
  const result = await runner.run(keeping, 'how many turns?', { previousResponseId })
  assert.equal(result.finalOutput, `You said: how many turns? (${index + 1})`)
  previousResponseId = result.lastResponseId
  await sleep(1)
}
const called = await two.runner.run(keeping, 'use sum {"a":20,"b":3}', { previousResponseId })
assert.equal(called.finalOutput, 'The tool says: 23')
const after = await three.runner.run(keeping, 'how many turns?', {
  previousResponseId: called.lastResponseId,
})
assert.equal(after.finalOutput, 'You said: how many turns? (5)')
