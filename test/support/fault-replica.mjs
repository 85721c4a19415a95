// A replica that may be killed at any time. Its agent asks for two calls a round, as often as the user says, of the tools
// that the user names: `act`, which counts every run of every call in Redis, past the proxy, and `look`, which only reads.
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { DEFAULT_CYCLE_PROMPTS } from '../../dist/agents/cycle/turn.js'
import { DEFAULT_GUARDS } from '../../dist/agents/guards/guard-settings.js'
import { buildApp, loadConfig } from '../../dist/bundle/index.js'
import { createScriptedModel } from '../../dist/bundle/testing.js'
import { localTool } from '../../dist/tools/local-tool.js'
import { createToolbox } from '../../dist/tools/toolbox.js'

const redis = new Redis(process.env.EFFECTS_URL)
const act = localTool({
  name: 'act',
  async execute({ ms }, { idempotencyKey }) {
    await redis.hincrby(process.env.EFFECTS_KEY, idempotencyKey, 1)
    await sleep(ms)
    return 'done'
  },
})
const look = localTool({
  name: 'look',
  readOnly: true,
  async execute({ ms }) {
    await sleep(ms)
    return 'seen'
  },
})
const agents = {
  prepare: async (id) => ({
    id,
    revision: 'r1',
    system: undefined,
    model: 'scripted',
    parameters: {},
    toolbox: createToolbox([act, look]),
    permission: () => 'allow',
    protocol: 'native',
    answer: 'text',
    agentRole: 'main',
    guards: { ...DEFAULT_GUARDS, loop: false },
    limits: {},
    context: { keepToolResults: -1, compact: true },
    prompts: DEFAULT_CYCLE_PROMPTS,
  }),
}

const model = createScriptedModel([
  ({ messages }) => {
    const asked = messages.findLastIndex(({ role }) => role === 'user')
    const { rounds, words, ms, tools } = JSON.parse(messages[asked].content)
    const done = messages.slice(asked).filter(({ role }) => role === 'assistant').length
    if (done >= rounds) return { text: Array.from({ length: words }, (_, n) => `w${n} `).join(''), paceMs: 2 }
    const call = (n) => ({ id: `c${asked}-${done}-${n}`, name: tools[n], arguments: { ms: ms + n } })
    return { text: 'Let me see. ', paceMs: 2, toolCalls: [call(0), call(1)] }
  },
])
const app = await buildApp(loadConfig(), { agents, model })
await app.server.listen({ host: '127.0.0.1', port: 0 })
process.send?.(app.server.server.address().port)
