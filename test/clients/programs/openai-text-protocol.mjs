// The client of OpenAI calls tools of a model that writes its calls as text: it notices nothing of it.
import assert from 'node:assert/strict'
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: `${process.env.SERVICE_URL}/v1`, apiKey: 'none' })
const number = { type: 'number' }
const parameters = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] }
const messages = [{ role: 'user', content: 'use sum {"a":2,"b":3}' }]

// Named in the request, and by a prompt of the catalog.
for (const [model, named] of [
  ['scripted', { protocol: 'hermes' }],
  ['scripted', { protocol: 'mcp-xml' }],
  ['prompt:t.text', {}],
]) {
  const tools = [{ type: 'function', function: { name: 'sum', parameters } }]
  const stream = client.chat.completions.stream({ model, messages, tools, ...named })
  const names = []
  const pieces = []
  for await (const { choices } of stream)
    for (const { function: called } of choices[0]?.delta.tool_calls ?? []) {
      if (called.name) names.push(called.name)
      if (called.arguments) pieces.push(called.arguments)
    }
  // Arguments come in one piece, when the call is whole.
  assert.deepEqual(names, ['sum'])
  assert.deepEqual(pieces, ['{"a":2,"b":3}'])
  const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0]
  assert.equal(finish_reason, 'tool_calls')
  assert.equal(message.tool_calls[0].function.arguments, '{"a":2,"b":3}')
  assert.doesNotMatch(message.content ?? '', /[<>]/)

  const sum = { name: 'sum', parameters, parse: JSON.parse, function: ({ a, b }) => String(a + b) }
  const runner = client.chat.completions.runTools({
    ...{ model, messages, stream: true, ...named },
    tools: [{ type: 'function', function: sum }],
  })
  assert.match(await runner.finalContent(), /^You said: .*5/s)
}
