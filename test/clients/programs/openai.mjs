// The official client of OpenAI.
import assert from 'node:assert/strict'
import OpenAI, { NotFoundError } from 'openai'

const client = new OpenAI({ baseURL: `${process.env.SERVICE_URL}/v1`, apiKey: 'none', maxRetries: 0 })
const messages = [{ role: 'user', content: 'Hello' }]

const models = []
for await (const { id } of client.models.list()) models.push(id)
assert.ok(models.includes('prompt:writing.role_question') && models.includes('agent:t.sums'))

const whole = await client.chat.completions.create({ model: 'scripted', messages })
assert.equal(whole.choices[0].message.content, 'You said: Hello')

const stream = client.chat.completions.stream({ model: 'scripted', messages })
assert.equal(await stream.finalContent(), 'You said: Hello')

const variables = { question: 'Why?' }
const prompt = await client.chat.completions.create({
  model: 'prompt:writing.role_question',
  messages: [],
  variables,
})
assert.match(prompt.choices[0].message.content, /Why\?/)

const agent = await client.chat.completions.create({
  model: 'agent:t.sums',
  messages: [{ role: 'user', content: 'use sum {"a":2,"b":3}' }],
})
assert.match(agent.choices[0].message.content, /The tool says: .*5/)

const tools = [{ type: 'function', function: { name: 'city_of', parse: JSON.parse, function: () => 'Bonn' } }]
const runner = client.chat.completions.runTools({
  model: 'scripted',
  messages: [{ role: 'user', content: 'use city_of {}' }],
  tools: tools.map(({ type, function: it }) => ({
    type,
    function: { ...it, parameters: { type: 'object' } },
  })),
})
assert.equal(await runner.finalContent(), 'The tool says: Bonn')

const response = await client.responses.create({ model: 'scripted', input: 'Hello' })
assert.equal(response.output_text, 'You said: Hello')

await assert.rejects(client.chat.completions.create({ model: 'prompt:no.such', messages }), NotFoundError)
