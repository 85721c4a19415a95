// The same turn with `ai`: two calls of a mock model and one tool. Prints µs of processor time of one turn.
// Both sides: a new conversation, whole answers of a mock in the process, one tool that is a function, usage added up, no
// telemetry. This side gets answers that are understood already and, with `jsonSchema`, does not validate arguments; ours
// reads the body of a chat completion, validates, holds answers against its guards and gives calls a time limit.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const TURNS = 400
/** Of the later half the code is warm, of the first it is not. */
const WINDOWS = 40
const FIRST_WINDOWS = 3
const require = createRequire(join(process.argv[2], 'package.json'))
const load = (name) => import(pathToFileURL(require.resolve(name)))
const { ToolLoopAgent, tool, jsonSchema } = await load('ai')
const { MockLanguageModelV4, MockLanguageModelV3 } = await load('ai/test')
const Mock = MockLanguageModelV4 ?? MockLanguageModelV3

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}
const model = new Mock({
  doGenerate: async ({ prompt }) =>
    prompt.at(-1).role === 'user'
      ? {
          content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: '{"a":2,"b":3}' }],
          finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
          usage,
          warnings: [],
        }
      : {
          content: [{ type: 'text', text: '5' }],
          finishReason: { unified: 'stop', raw: 'stop' },
          usage,
          warnings: [],
        },
})
const number = { type: 'number' }
const add = tool({
  description: 'adds',
  inputSchema: jsonSchema({ type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] }),
  execute: async ({ a, b }) => a + b,
})
const agent = new ToolLoopAgent({ model, instructions: 'You add numbers.', tools: { add } })
const turns = async () => {
  for (let turn = 0; turn < TURNS; turn += 1) {
    // The mock remembers every call, and would pay for it.
    model.doGenerateCalls.length = 0
    const { text } = await agent.generate({ prompt: 'add 2 and 3' })
    if (text !== '5') throw new Error(text)
  }
}
const windows = []
for (let window = 0; window < WINDOWS; window += 1) {
  const before = process.cpuUsage()
  await turns()
  const { user, system } = process.cpuUsage(before)
  windows.push((user + system) / TURNS)
}
const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1]
const [first, warm] = [windows.slice(0, FIRST_WINDOWS), windows.slice(WINDOWS / 2)].map(median)
console.log(JSON.stringify({ first, warm }))
