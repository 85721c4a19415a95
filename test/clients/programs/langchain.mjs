// LangChain's model for OpenAI.
import assert from 'node:assert/strict'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'

const configuration = { baseURL: `${process.env.SERVICE_URL}/v1` }
const model = new ChatOpenAI({ model: 'scripted', apiKey: 'none', maxRetries: 0, configuration })

const answer = await model.invoke('Hello')
assert.equal(answer.content, 'You said: Hello')
assert.ok(answer.usage_metadata.total_tokens > 0)

const pieces = []
for await (const piece of await model.stream('Hello')) pieces.push(piece.content)
assert.equal(pieces.join(''), 'You said: Hello')

const schema = {
  title: 'plan',
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
}
const planner = model.withStructuredOutput(schema, { method: 'jsonSchema' })
assert.deepEqual(await planner.invoke('Plan'), { city: 'Bonn', days: 2 })

const cityOf = { name: 'city_of', description: 'Of the user', parameters: { type: 'object', properties: {} } }
const withTool = model.bindTools([{ type: 'function', function: cityOf }])
const question = new HumanMessage('use city_of {}')
const asking = await withTool.invoke([question])
const [call] = asking.tool_calls
assert.equal(call.name, 'city_of')
const result = new ToolMessage({ content: 'Bonn', tool_call_id: call.id })
assert.equal((await withTool.invoke([question, asking, result])).content, 'The tool says: Bonn')

const agent = new ChatOpenAI({ model: 'agent:t.sums', apiKey: 'none', configuration })
assert.match((await agent.invoke('use sum {"a":2,"b":3}')).content, /The tool says: .*5/)
