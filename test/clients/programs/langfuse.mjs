// The client of Langfuse: its prompts come from here, and it fills in the variables itself.
import assert from 'node:assert/strict'
import { Langfuse } from 'langfuse'

const client = new Langfuse({
  baseUrl: `${process.env.SERVICE_URL}/compat/langfuse`,
  publicKey: 'pk-lf-any',
  secretKey: 'any',
  enabled: false,
})
const once = { maxRetries: 0, cacheTtlSeconds: 0 }

const text = await client.getPrompt('t.plain', undefined, { label: 'production', ...once })
assert.equal(text.version, 1)
assert.equal(text.compile({ name: 'Ada', place: 'Paris' }), 'Hello Ada, welcome to Paris.')
assert.deepEqual(text.config, { model: 'scripted' })
assert.deepEqual(text.labels, ['production', 'latest'])
assert.equal((await client.getPrompt('t.plain', 1, once)).prompt, text.prompt)
assert.equal((await client.getPrompt('t.plain', undefined, once)).version, 1)

const chat = await client.getPrompt('t.conversation', undefined, { type: 'chat', ...once })
assert.deepEqual(
  chat.compile({ name: 'Ada' }).map(({ role, content }) => [role, content]),
  [
    ['system', 'You greet.'],
    ['user', 'Greet Ada'],
  ],
)

const ask = (name, options) => client.getPrompt(name, undefined, { ...once, ...options })
await assert.rejects(ask('review.code_review'), /Have this service render it/)
await assert.rejects(ask('t.plain', { label: 'staging' }), /has no label "staging"/)
const rescued = await ask('t.none', { fallback: 'Hello {{name}}' })
assert.equal(rescued.compile({ name: 'Ada' }), 'Hello Ada')
