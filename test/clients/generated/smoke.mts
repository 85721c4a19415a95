// Types that openapi-typescript made of openapi.yaml, and the client that reads them: what does not compile is wrong, too.
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './service.js'

const client = createClient<paths>({ baseUrl: process.env['SERVICE_URL'] ?? '' })
const id = 't.greeting'

const prompts = await client.GET('/api/prompts')
assert.ok(prompts.data?.items.some((prompt) => prompt.id === id))

const rendered = await client.POST('/api/render/prompts/{id}', {
  params: { path: { id } },
  body: { variables: { name: 'Ada' } },
})
assert.equal(rendered.data?.rendered_prompt, 'Hello Ada.')
assert.ok(rendered.response.headers.get('x-prompt-revision'))

const refused = await client.POST('/api/render/prompts/{id}', { params: { path: { id } }, body: {} })
assert.equal(refused.error?.error.code, 'missing_variables')

const chat = await client.POST('/api/chat/prompts/{id}', {
  params: { path: { id } },
  body: { variables: { name: 'Ada' } },
})
assert.equal(chat.data?.choices.length, 1)

const session = await client.POST('/api/sessions', {
  params: { header: { 'Idempotency-Key': 'typescript-smoke' } },
  body: { agent: 't.helper' },
})
const path = { session: session.data?.id ?? '' }
const turn = await client.POST('/api/sessions/{session}/turns', {
  params: { path },
  body: { input: 'Why?' },
})
// Asked for as a stream, an answer is events.
if (turn.data === undefined || 'type' in turn.data) throw new Error('no turn')
assert.equal(turn.data.status, 'completed')

const followed = await client.GET('/api/sessions/{session}/turns/{turn}/events', {
  params: { path: { ...path, turn: turn.data.turn } },
  parseAs: 'text',
})
const events = String(followed.data)
  .split('\n')
  .filter((line) => line.startsWith('data:'))
  .map((line): components['schemas']['TurnEvent'] => JSON.parse(line.slice('data:'.length)))
/** The type of an event says what else it has. */
const tokens = events.flatMap((event) =>
  event.type === 'turn.completed' ? [event.result.usage.output_tokens] : [],
)
assert.deepEqual([events[0]?.type, tokens.length], ['turn.started', 1])

const none = await client.GET('/api/tasks/{task}', { params: { path: { task: 'none' } } })
assert.equal(none.error?.error.code, 'task_not_found')
