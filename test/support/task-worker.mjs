// A process that works on tasks and may be killed, frozen or cut off. Every call of its tools, and every step whose end is
// stored, is written down in a Redis of its own, so that what happened is known whatever became of the state.
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
import { localTool } from '../../dist/tools/local-tool.js'
import { createToolbox } from '../../dist/tools/toolbox.js'
import { silentLogger } from '../../dist/util/telemetry/logger.js'
import { systemClock } from '../../dist/util/time/clock.js'

const { url, keyPrefix, leaseMs, witnessUrl, concurrency, toolMs } = JSON.parse(process.argv[2])
const witness = new Redis(witnessUrl)
const store = createRedisState({
  ...{ url, keyPrefix, leaseMs },
  ttlMs: 3_600_000,
  taskCheckMs: 1_000,
  logger: silentLogger(),
})
await store.open()

const commit = store.commit.bind(store)
store.commit = async (lease, what) => {
  const reply = await commit(lease, what)
  const done = [...(what.entries ?? [])].filter(([, { status }]) => status?.s === 'completed')
  for (const [step] of done) await witness.sadd(`${keyPrefix}:finished`, `${lease.id} ${step}`)
  return reply
}

const work = (name, readOnly) =>
  localTool({
    name,
    readOnly,
    async execute({ step }, { session }) {
      const key = `${session} 1.${step}`
      const call = { name, key, task: session, pid: process.pid, at: Date.now() }
      const isFinished = (await witness.sismember(`${keyPrefix}:finished`, key)) === 1
      await witness.rpush(`${keyPrefix}:calls`, JSON.stringify({ ...call, isFinished }))
      await sleep(toolMs)
      return 'done'
    },
  })
const verdict = {
  overall_score: 95,
  is_successful: true,
  dimensions: { completeness: 95, correctness: 98, efficiency: 95, reliability: 95 },
}
const tasks = new Tasks({
  store,
  engine: createBullmqEngine({ url, keyPrefix, concurrency, leaseMs, onFailure: () => {} }),
  agents: NO_AGENTS,
  defaultAgent: () => defaultTaskAgent('scripted', createToolbox([work('read', true), work('write', false)])),
  model: createScriptedModel([{ text: JSON.stringify(verdict) }]),
  pinPrompts: () => ({}),
  prompts: createBuiltInPrompts,
  hooks: new HookExecutor(),
  clock: systemClock,
  toolTimeoutMs: 5_000,
  taskTimeoutMs: 600_000,
  leaseMs,
  observer: { event() {}, ended() {}, decided() {}, failed: (task, error) => console.error(task, error) },
})
tasks.start(1_000)
process.send?.('ready')
process.on('message', async () => {
  await tasks.close(5_000)
  process.exit(0)
})
