// The official client of Anthropic, in front of servers of two makes.
import assert from 'node:assert/strict'
import Anthropic, { APIUserAbortError, BadRequestError, NotFoundError } from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: process.env.SERVICE_URL, apiKey: 'none', maxRetries: 0 })
const max_tokens = 1000
const ask = (content) => [{ role: 'user', content }]
const usage = { input_tokens: 15, cache_read_input_tokens: 5, output_tokens: 8 }
const weather = {
  name: 'weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  cache_control: { type: 'ephemeral' },
}
const holds = (actual, expected) =>
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, actual[name]])), expected)

for (const model of ['piecewise/m', 'at_once/m']) {
  const whole = await client.messages.create({
    model,
    max_tokens,
    system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }],
    messages: ask([{ type: 'text', text: 'Hello' }]),
  })
  assert.deepEqual([whole.content[0].text, whole.stop_reason], ['You said: Hello', 'end_turn'])
  holds(whole.usage, usage)
  assert.match(whole.id, /^msg_[0-9a-f]{32}$/)
  assert.match(whole._request_id, /^req-/)

  const beta = await client.beta.messages.create({
    model,
    max_tokens,
    betas: ['x-1'],
    messages: ask('Hello'),
  })
  assert.equal(beta.content[0].text, 'You said: Hello')

  const texts = []
  const stream = client.messages.stream({ model, max_tokens, messages: ask('Hello you') })
  stream.on('text', (text) => texts.push(text))
  const streamed = await stream.finalMessage()
  assert.equal(texts.join(''), 'You said: Hello you')
  assert.equal(streamed.content[0].text, 'You said: Hello you')
  holds(streamed.usage, usage)
  assert.equal(streamed.stop_reason, 'end_turn')

  const thinking = { type: 'enabled', budget_tokens: 20_000 }
  const thought = await client.messages
    .stream({ model, max_tokens, thinking, messages: ask('Why') })
    .finalMessage()
  assert.deepEqual(
    thought.content.map(({ type, thinking, text }) => [type, thinking ?? text]),
    [
      ['thinking', 'With high effort.'],
      ['text', 'You said: Why'],
    ],
  )
  const again = [...ask('Why'), { role: 'assistant', content: thought.content }, ...ask('And')]
  const after = await client.messages.create({ model, max_tokens, thinking, messages: again })
  assert.equal(after.content.at(-1).text, 'You said: And')

  // Tools in parallel, whole and streamed; one of them fails.
  for (const asking of ['create', 'stream']) {
    const request = {
      model,
      max_tokens,
      tools: [weather],
      tool_choice: { type: 'any' },
      messages: ask('both'),
    }
    const called =
      asking === 'create'
        ? await client.messages.create(request)
        : await client.messages.stream(request).finalMessage()
    const uses = called.content.filter(({ type }) => type === 'tool_use')
    assert.deepEqual(
      [called.stop_reason, uses.map(({ input }) => input)],
      ['tool_use', [{ city: 'Bonn' }, { city: 'Ulm' }]],
    )
    const results = [
      { type: 'tool_result', tool_use_id: uses[0].id, content: [{ type: 'text', text: 'sun' }] },
      { type: 'tool_result', tool_use_id: uses[1].id, content: 'no such city', is_error: true },
    ]
    const messages = [
      ...ask('both'),
      { role: 'assistant', content: called.content },
      { role: 'user', content: results },
    ]
    const answer = await client.messages.create({ model, max_tokens, tools: [weather], messages })
    assert.equal(answer.content[0].text, 'The tools say: sun and Error: no such city')
  }

  await assert.rejects(client.messages.create({ model, max_tokens, messages: ask('fail') }), (error) => {
    assert.ok(error instanceof BadRequestError)
    assert.equal(error.error.error.type, 'invalid_request_error')
    assert.match(error.message, /not with me/)
    assert.match(error.requestID, /^req-/)
    return true
  })
  await assert.rejects(
    client.messages.stream({ model, max_tokens, messages: ask('break') }).finalMessage(),
    (error) => {
      assert.equal(error.error?.error?.type ?? error.type, 'api_error')
      return true
    },
  )
  const server = [{ type: 'web_search_20250305', name: 'web_search' }]
  await assert.rejects(
    client.messages.create({ model, max_tokens, tools: server, messages: ask('x') }),
    /web_search_20250305/,
  )

  const aborted = client.messages.stream({ model, max_tokens, messages: ask('wait') })
  aborted.once('streamEvent', () => aborted.abort())
  await assert.rejects(aborted.finalMessage(), APIUserAbortError)
}

const runner = client.beta.messages.toolRunner({
  model: 'piecewise/m',
  max_tokens,
  messages: ask('both'),
  tools: [{ ...weather, run: ({ city }) => `fine in ${city}`, parse: (input) => input }],
})
assert.equal((await runner).content[0].text, 'The tools say: fine in Bonn and fine in Ulm')

const agent = await client.messages.create({
  model: 'agent:t.sums',
  max_tokens,
  messages: ask('use sum {"a":2,"b":3}'),
})
assert.match(agent.content[0].text, /The tool says: .*5/)

const { input_tokens: few } = await client.messages.countTokens({
  model: 'piecewise/m',
  messages: ask('Hello'),
})
const { input_tokens: more } = await client.messages.countTokens({
  model: 'piecewise/m',
  messages: ask('Hello and good morning'),
  tools: [weather],
})
assert.ok(few > 0 && more > few + 10)

const models = []
for await (const { id, type } of client.models.list({ limit: 2 })) models.push([id, type])
assert.ok(models.some(([id, type]) => id === 'agent:t.sums' && type === 'model'))
assert.equal((await client.models.retrieve('agent:t.sums')).display_name, 'agent:t.sums')
await assert.rejects(
  client.messages.create({ model: 'prompt:no.such', max_tokens, messages: ask('x') }),
  NotFoundError,
)
