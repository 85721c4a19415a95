// The Vercel AI SDK with its provider for servers that speak as OpenAI does.
import assert from 'node:assert/strict'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'

const shell = createOpenAICompatible({
  name: 'ai-prompt-shell',
  baseURL: `${process.env.SERVICE_URL}/v1`,
  includeUsage: true,
})

const { text } = await generateText({ model: shell('scripted'), prompt: 'Hello' })
assert.equal(text, 'You said: Hello')

const prompt = await generateText({ model: shell('prompt:partials.house_style'), prompt: 'Hello' })
assert.equal(prompt.text, 'You said: Hello')

const city = tool({
  inputSchema: jsonSchema({ type: 'object', properties: {} }),
  execute: async () => 'Bonn',
})
const streamed = streamText({
  model: shell('scripted'),
  prompt: 'use city_of {}',
  tools: { city_of: city },
  stopWhen: stepCountIs(3),
})
assert.match(await streamed.text, /The tool says: .*Bonn/)
assert.ok((await streamed.totalUsage).totalTokens > 0)

const failing = streamText({
  model: shell('echo:drop=1'),
  prompt: 'one two three',
  maxRetries: 0,
  onError() {},
})
const kinds = []
for await (const { type } of failing.fullStream) kinds.push(type)
assert.ok(kinds.includes('error'), kinds.join())
