// A process that works on tasks and may be killed: counts every call of its tool in Redis, before and after it acts.
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { HookExecutor } from '../../dist/agents/hook-executor.js'
import { NO_AGENTS } from '../../dist/agents/no-agents.js'
import { createRedisState } from '../../dist/state/redis-state.js'
import { defaultTaskAgent } from '../../dist/tasks/default-agent.js'
import { createBullmqEngine } from '../../dist/tasks/engine/bullmq-engine.js'
import { createBuiltInPrompts } from '../../dist/tasks/planner-prompts.js'
import { Tasks } from '../../dist/tasks/tasks.js'
import { createScriptedModel } from '../../dist/testing.js'
import { createToolbox } from '../../dist/tools/create-toolbox.js'
import { localTool } from '../../dist/tools/local-tool.js'
import { systemClock } from '../../dist/util/clock.js'
import { silentLogger } from '../../dist/util/logger.js'

const [url, keyPrefix, lease] = process.argv.slice(2)
const leaseMs = Number(lease)
const redis = new Redis(url)
const store = createRedisState({
  url,
  keyPrefix,
  leaseMs,
  ttlMs: 3_600_000,
  taskCheckMs: 1_000,
  logger: silentLogger(),
})
await store.open()

const work = (name, readOnly) =>
  localTool({
    name,
    readOnly,
    async execute({ key }) {
      await redis.hincrby(`${keyPrefix}:begun`, `${name} ${key}`, 1)
      await sleep(30)
      return 'done'
    },
  })
const model = createScriptedModel([
  {
    text: JSON.stringify({
      overall_score: 95,
      is_successful: true,
      dimensions: { completeness: 95, correctness: 98, efficiency: 95, reliability: 95 },
    }),
  },
])
const tasks = new Tasks({
  store,
  engine: createBullmqEngine({ url, keyPrefix, concurrency: 4, leaseMs, onFailure: () => {} }),
  agents: NO_AGENTS,
  defaultAgent: () => defaultTaskAgent('scripted', createToolbox([work('read', true), work('write', false)])),
  model,
  pinPrompts: () => ({}),
  prompts: createBuiltInPrompts,
  hooks: new HookExecutor(),
  clock: systemClock,
  toolTimeoutMs: 5_000,
  taskTimeoutMs: 600_000,
  leaseMs,
  observer: { event() {}, ended() {}, failed: (task, error) => console.error(task, error) },
})
tasks.start(1_000)
process.send?.('ready')
process.on('message', async () => {
  await tasks.close(5_000)
  process.exit(0)
})
