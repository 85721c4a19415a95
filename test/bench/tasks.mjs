/**
 * What tasks cost beside their models: `npm run bench:tasks`.
 *
 * Tasks of two steps whose tools and models answer at once, through BullMQ on a Redis of its own, beside bare BullMQ jobs
 * that commit as often. The rival that the goal counts (0.4 ×) commits as a task does: fenced by a lease, by the same
 * script, in the service's own state. The other one writes a hash and a stream in one transaction, without a lease, an index
 * or a list: a row to know what those cost. In turns, medians of the rounds. Then what tasks that wait for a person hold in
 * the process. `--other DIRECTORY` compares what a task costs with another build, in one process whose windows take turns,
 * this many `--rounds`: processor time, which other work on the machine changes less than the clock.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { measureWindows, WINDOWS_TITLE, windowsLine } from './in-turns.mjs'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    other: { type: 'string' },
    rounds: { type: 'string', default: '240' },
  },
})
// Of this build for every other: it may have them in another place.
const { createToolbox } = await import('../../dist/tools/toolbox.js')
const { silentLogger } = await import('../../dist/util/telemetry/logger.js')
const { systemClock } = await import('../../dist/util/time/clock.js')
const OWN = await load(resolve(import.meta.dirname, '../..'))

const ROUNDS = flags.quick ? 1 : 5
const TASKS = flags.quick ? 20 : 150
const WAITING = flags.quick ? 20 : 1_000
/** So many in one window of a build, before it is the other's turn. */
const WINDOW_TASKS = 100
/** Tasks that are over and kept: more are a heap that grows, whose collection is not a task's. */
const MAX_IDLE = 500
const CONCURRENCY = 4
const LEASE_MS = 30_000
const CALL = Object.freeze({ requestId: 'bench', signal: new AbortController().signal })
const PLAN = {
  steps: ['a', 'b'].map((id) => ({
    step_id: id,
    step_name: 'work on it',
    tool_id: 'work',
    parameters: { text: 'x'.repeat(200) },
  })),
}
const VERDICT = {
  overall_score: 95,
  is_successful: true,
  dimensions: { completeness: 95, correctness: 98, efficiency: 95, reliability: 95 },
}
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

const server = await startRedis()
try {
  console.log(`${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.version}\n`)
  if (flags.other === undefined) await measure(server.url)
  else await compare(server.url, await load(resolve(flags.other)), Number(flags.rounds))
} finally {
  server.stop()
}

/** What of a build is measured. */
async function load(directory) {
  const files = [
    'agents/hook-executor',
    'agents/no-agents',
    'state/leased-run',
    'state/memory-state',
    'state/redis-state',
  ]
  files.push(
    'tasks/default-agent',
    'tasks/engine/bullmq-engine',
    'tasks/engine/memory-engine',
    'tasks/planner-prompts',
  )
  files.push('tasks/tasks', 'testing', 'tools/local-tool')
  const modules = files.map((file) => import(pathToFileURL(join(directory, 'dist', `${file}.js`)).href))
  return Object.assign({}, ...(await Promise.all(modules)))
}

async function measure(url) {
  await measureRates(url)
  for (const [name, open] of Object.entries(stores(OWN, url))) {
    const kilobytes = ((await heapOfWaiting(OWN, open)) / 1_024).toFixed(1)
    console.log(`${WAITING} tasks that wait for approval, ${name}: ${kilobytes} KB of heap each`)
  }
}

/** What two builds are compared by. */
async function compare(url, other, rounds) {
  console.log(WINDOWS_TITLE)
  for (const kind of ['memory', 'Redis']) {
    const sides = []
    for (const build of [other, OWN]) sides.push(openOurs(build, await stores(build, url)[kind]()))
    const prepares = sides.map((side) => async () => () => side.run(WINDOW_TASKS))
    console.log(windowsLine(`a task, ${kind}`, await measureWindows(prepares, rounds), WINDOW_TASKS))
    for (const side of sides) await side.close()
  }
  // With Redis there is nothing to measure: what waits is not in the process.
  const held = [[], []]
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [side, build] of [other, OWN].entries())
      held[side].push(await heapOfWaiting(build, stores(build, url).memory))
  const [before, after] = held.map(median)
  const columns = [before, after].map((bytes) => bytes.toFixed(0).padStart(7))
  console.log(`${'a task that waits: bytes'.padEnd(32)} ${columns.join(' ')} ${(after / before).toFixed(3)}`)
}

/** Where tasks are kept, and what runs them. */
function stores(build, url) {
  const { createMemoryState, createMemoryEngine } = build
  return {
    memory: () => ({
      store: createMemoryState({
        clock: systemClock,
        leaseMs: LEASE_MS,
        ttlMs: 3_600_000,
        maxIdle: MAX_IDLE,
      }),
      engine: createMemoryEngine({ concurrency: CONCURRENCY }),
    }),
    Redis: () => onRedis(build, url, `bench-${Math.random().toString(36).slice(2)}`),
  }
}

async function measureRates(url) {
  const ours = openOurs(OWN, await onRedis(OWN, url, 'ours'))
  const commits = Math.round((await ours.run(TASKS)).writes / TASKS)
  const sides = { ours, fenced: await openFenced(url, commits), bare: await openBare(url, commits) }
  const results = Object.fromEntries(Object.keys(sides).map((name) => [name, []]))
  for (const side of Object.values(sides)) await side.run(TASKS)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, side] of Object.entries(sides)) results[name].push(await side.run(TASKS))
  const [own, fenced, bare] = Object.values(results).map(summarise)
  const times = (rival) => (own['tasks/s'] / rival['tasks/s']).toFixed(2)
  console.log(`${TASKS} tasks of two steps, ${CONCURRENCY} at once, ${commits} commits each`)
  console.table({
    tasks: own,
    'bare BullMQ, as many fenced commits': fenced,
    'bare BullMQ, as many HSET and XADD': bare,
  })
  console.log(
    `${times(fenced)} × with as many fenced commits (goal 0.4), ${times(bare)} × with plain writes\n`,
  )
  for (const side of Object.values(sides)) await side.close()
}

function summarise(rounds) {
  return {
    'tasks/s': Math.round(median(rounds.map(({ ms }) => (TASKS / ms) * 1_000))),
    'CPU ms per task': Number(median(rounds.map(({ cpuMs }) => cpuMs / TASKS)).toFixed(2)),
  }
}

async function timed(run) {
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(cpu)
  return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1_000 }
}

function openOurs(build, { store, engine }) {
  let writes = 0
  const commit = store.commit.bind(store)
  store.commit = (...args) => {
    writes += 1
    return commit(...args)
  }
  let ended = () => {}
  const tasks = openTasks(build, { store, engine, onEnd: () => ended() })
  tasks.start()
  return {
    async run(count) {
      writes = 0
      const all = countdown(count)
      ended = all.one
      const taken = await timed(async () => {
        await Promise.all(Array.from({ length: count }, () => makeTask(tasks)))
        await all.done
      })
      return { ...taken, writes }
    },
    async close() {
      await tasks.close(5_000)
      await store.close()
    },
  }
}

/** A hand-written worker that keeps what it did: a hash and a stream, written together. */
async function openBare(url, commits) {
  const connection = new Redis(url, { maxRetriesPerRequest: null })
  const state = JSON.stringify({ rounds: [{ plan: PLAN }] })
  return openJobs(url, 'bare', async (task) => {
    for (let n = 0; n < commits; n += 1)
      await connection
        .multi()
        .hset(`{bare:${task}}`, 'state', state, 'n', n)
        .xadd(`{bare:${task}}:e`, '*', 'event', '{"type":"step.updated"}')
        .exec()
  }).closing(() => connection.disconnect())
}

/** A worker that is bare but for its state, which is ours: leases, fenced commits, events that are published. */
async function openFenced(url, commits) {
  const { store } = await onRedis(OWN, url, 'fenced')
  const event = { type: 'step.updated' }
  const state = { rounds: [{ plan: PLAN }] }
  const address = (id) => ({ kind: 'task', id })
  const prepare = (id) =>
    store.create({ ...address(id), owner: '-', token: id, head: {}, input: { plan: PLAN } })
  const work = async (id) => {
    const { lease } = await store.begin({ address: address(id), by: id, purpose: 'resume' })
    const run = new OWN.LeasedRun({ store, lease, clock: systemClock, cancelRequested: false })
    for (let n = 1; n < commits; n += 1) await run.commit({ turn: { state }, events: [event] })
    await run.commit({ turn: { status: 'completed', result: {} }, events: [event] })
    run.close()
  }
  return openJobs(url, 'fenced', work, prepare).closing(() => store.close())
}

function openJobs(url, name, work, prepare = async () => {}) {
  const connection = new Redis(url, { maxRetriesPerRequest: null })
  const prefix = `{${name}-queue}`
  const queue = new Queue('jobs', { connection, prefix })
  let ended = () => {}
  const handle = async ({ data }) => {
    await work(data.task)
    ended()
  }
  const worker = new Worker('jobs', handle, { connection, prefix, concurrency: CONCURRENCY })
  worker.on('failed', (_job, error) => console.error(error))
  let names = 0
  const add = async () => {
    const task = `t${names++}`
    await prepare(task)
    await queue.add('task', { task }, { jobId: `${task}-1`, removeOnComplete: true })
  }
  const run = async (count) => {
    const all = countdown(count)
    ended = all.one
    return timed(async () => {
      await Promise.all(Array.from({ length: count }, add))
      await all.done
    })
  }
  const close = async () => {
    await worker.close()
    await queue.close()
    connection.disconnect()
  }
  return {
    closing: (more) => ({
      run,
      async close() {
        await close()
        await more()
      },
    }),
  }
}

/** @returns bytes */
async function heapOfWaiting(build, open) {
  const { store, engine } = await open()
  const tasks = openTasks(build, { store, engine, ask: true, onEnd() {} })
  tasks.start()
  await waitFor(tasks, [await makeTask(tasks)])
  const before = heap()
  const ids = await Promise.all(Array.from({ length: WAITING }, () => makeTask(tasks)))
  await waitFor(tasks, ids)
  await sleep(500)
  const bytes = (heap() - before) / WAITING
  await tasks.close(5_000)
  await store.close()
  return bytes
}

async function waitFor(tasks, ids) {
  for (const id of ids) while ((await tasks.read({ kind: 'task', id })).status !== 'waiting') await sleep(20)
}

function heap() {
  for (let run = 0; run < 3; run += 1) globalThis.gc()
  return process.memoryUsage().heapUsed
}

async function onRedis({ createRedisState, createBullmqEngine }, url, keyPrefix) {
  const store = createRedisState({
    ...{ url, keyPrefix, leaseMs: LEASE_MS, ttlMs: 3_600_000, taskCheckMs: 60_000 },
    logger: silentLogger(),
  })
  await store.open()
  const engine = createBullmqEngine({
    ...{ url, keyPrefix, concurrency: CONCURRENCY, leaseMs: LEASE_MS },
    onFailure: (_task, error) => console.error(error),
  })
  return { store, engine }
}

function openTasks(build, { store, engine, ask = false, onEnd }) {
  const {
    Tasks,
    NO_AGENTS,
    HookExecutor,
    createScriptedModel,
    defaultTaskAgent,
    createBuiltInPrompts,
    localTool,
  } = build
  const work = localTool({ name: 'work', readOnly: true, execute: ({ text }) => ({ done: text }) })
  return new Tasks({
    ...{ store, engine, agents: NO_AGENTS, model: createScriptedModel([{ text: JSON.stringify(VERDICT) }]) },
    defaultAgent: () => ({
      ...defaultTaskAgent('scripted', createToolbox([work])),
      permission: () => (ask ? 'ask' : 'allow'),
    }),
    pinPrompts: () => ({}),
    prompts: createBuiltInPrompts,
    hooks: new HookExecutor(),
    clock: systemClock,
    ...{ toolTimeoutMs: 5_000, taskTimeoutMs: 600_000, leaseMs: LEASE_MS },
    observer: { event() {}, ended: onEnd, decided() {}, failed: (_task, error) => console.error(error) },
  })
}

async function makeTask(tasks) {
  const order = { owner: '-', description: 'work', metadata: {}, domainKnowledge: '', plan: PLAN, config: {} }
  return (await tasks.create(order, CALL)).id
}

function countdown(count) {
  let left = count
  let finish = () => {}
  const done = new Promise((resolve) => {
    finish = resolve
  })
  return {
    done,
    one() {
      left -= 1
      if (left === 0) finish()
    },
  }
}

async function startRedis() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  const directory = mkdtempSync(join(tmpdir(), 'aps-bench-'))
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '']
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const text of child.stdout) if (String(text).includes('Ready to accept')) break
  return {
    url: `redis://127.0.0.1:${port}`,
    stop() {
      child.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
