import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { inject } from 'vitest'
import { createRedisState } from '../../src/state/redis-state.js'
import { createBullmqEngine } from '../../src/tasks/engine/bullmq-engine.js'
import type { WireTask } from '../../src/tasks/wire-task.js'
import { createScriptedModel } from '../../src/testing/scripted-model.js'
import { silentLogger } from '../../src/util/telemetry/logger.js'
import { openTestTasks } from './open-tasks.js'

export interface TaskFarmOptions {
  /** In the forms of `REDIS_URL`. */
  readonly url: string
  readonly leaseMs: number
  /** Processes that work. Default 2. */
  readonly workers?: number
  /** Tasks of one of them at once. Default 4. */
  readonly concurrency?: number
  /** What a call of a tool takes. Default 30. */
  readonly toolMs?: number
  /** The address by which the first worker sees the state, where that is not the others'. */
  readonly firstUrl?: string
}

/** A call of a tool, as its worker wrote it down. */
export interface WorkerCall {
  readonly name: 'read' | 'write'
  /** Task, round and step. */
  readonly key: string
  readonly task: string
  readonly pid: number
  /** Milliseconds of the clock. */
  readonly at: number
  /** The end of this step was stored before. */
  readonly isFinished: boolean
}

/** A process that makes tasks and runs none, and others that run them. The caller closes it. */
export interface TaskFarm {
  readonly workers: readonly ChildProcess[]
  /** Makes a task of this many steps that read and write in turns. */
  make(steps: number): Promise<string>
  read(id: string): Promise<WireTask>
  /** Resolves when the task has ended. */
  end(id: string): Promise<WireTask>
  /** Starts another process in the place of one that is gone. */
  replace(index: number): Promise<void>
  /** Every call of every worker, in order. */
  calls(): Promise<readonly WorkerCall[]>
  close(): Promise<void>
}

/** Often enough to be exact, and not so often that looking is what the machine does. */
const POLL_MS = 20
const END_MS = 60_000
const WORKER = join(import.meta.dirname, 'task-worker.mjs')

/** Opens a farm over a Redis. What workers do is written down in the tests' own Redis. */
export async function openTaskFarm(options: TaskFarmOptions): Promise<TaskFarm> {
  const { url, leaseMs, workers: count = 2, concurrency = 4, toolMs = 30, firstUrl = url } = options
  const keyPrefix = `farm-${Math.random().toString(36).slice(2)}`
  const witnessUrl = inject('redisUrl')
  const witness = new Redis(witnessUrl)
  const store = createRedisState({
    ...{ url, keyPrefix, leaseMs },
    ttlMs: 3_600_000,
    taskCheckMs: 1_000,
    logger: silentLogger(),
  })
  await store.open()
  const engine = createBullmqEngine({ url, keyPrefix, concurrency: 0, leaseMs, onFailure: () => {} })
  const tools = ['read', 'write'].map((name) => ({ name, execute: () => null }))
  const { tasks } = openTestTasks({ store, engine, model: createScriptedModel(['']), tools, leaseMs })
  const start = async (index: number) => {
    const seen = index === 0 ? firstUrl : url
    const order = JSON.stringify({ url: seen, keyPrefix, leaseMs, witnessUrl, concurrency, toolMs })
    const child = fork(WORKER, [order], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    await once(child, 'message')
    return child
  }
  const workers = await Promise.all(Array.from({ length: count }, (_, index) => start(index)))
  const call = Object.freeze({ requestId: 'test', signal: new AbortController().signal })
  const read = (id: string) => tasks.read({ kind: 'task', id })
  return {
    workers,
    read,
    async make(steps) {
      const plan = { steps: Array.from({ length: steps }, (_, index) => stepOf(index)) }
      const order = { owner: '-', description: 'work', metadata: {}, domainKnowledge: '', plan, config: {} }
      return (await tasks.create(order, call)).id
    },
    async end(id) {
      for (const until = performance.now() + END_MS; performance.now() < until; await sleep(POLL_MS)) {
        const task = await read(id).catch(() => undefined)
        if (task?.result !== undefined) return task
      }
      throw new Error(`the task ${id} did not end within ${END_MS} ms`)
    },
    async replace(index) {
      workers[index] = await start(index)
    },
    async calls() {
      const lines = await witness.lrange(`${keyPrefix}:calls`, 0, -1)
      return lines.map((line) => JSON.parse(line) as WorkerCall)
    },
    async close() {
      for (const each of workers) each.kill('SIGKILL')
      await tasks.close(2_000)
      await store.close()
      witness.disconnect()
    },
  }
}

function stepOf(index: number) {
  const id = `s${index}`
  return {
    step_id: id,
    step_name: 'work',
    tool_id: index % 2 === 0 ? 'read' : 'write',
    parameters: { step: id },
  }
}
