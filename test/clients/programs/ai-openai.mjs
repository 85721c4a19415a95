// The Vercel AI SDK with its OpenAI provider: chat completions and responses.
import assert from 'node:assert/strict'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'

const openai = createOpenAI({ baseURL: `${process.env.SERVICE_URL}/v1`, apiKey: 'none' })

for (const model of [openai.chat('scripted'), openai.responses('scripted')]) {
  const { text, usage } = await generateText({ model, prompt: 'Hello' })
  assert.equal(text, 'You said: Hello')
  assert.ok(usage.totalTokens > 0)

  const { textStream } = streamText({ model, prompt: 'Hello' })
  const pieces = []
  for await (const piece of textStream) pieces.push(piece)
  assert.equal(pieces.join(''), 'You said: Hello')
}

const city = tool({
  inputSchema: jsonSchema({ type: 'object', properties: {} }),
  execute: async () => 'Bonn',
})
const called = await generateText({
  model: openai.chat('scripted'),
  prompt: 'use city_of {}',
  tools: { city_of: city },
  stopWhen: stepCountIs(3),
})
assert.match(called.text, /The tool says: .*Bonn/)

const schema = jsonSchema({
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
  additionalProperties: false,
})
const shaped = await generateText({
  model: openai.chat('scripted'),
  prompt: 'Plan',
  output: Output.object({ schema }),
})
assert.deepEqual(shaped.output, { city: 'Bonn', days: 2 })

const agent = await generateText({ model: openai.chat('agent:t.sums'), prompt: 'use sum {"a":2,"b":3}' })
assert.match(agent.text, /The tool says: .*5/)

await assert.rejects(
  generateText({ model: openai.chat('agent:no.such'), prompt: 'x', maxRetries: 0 }),
  (error) => {
    assert.equal(error.statusCode, 404)
    assert.match(error.message, /No agent has the id/)
    return true
  },
)
