// This build beside another, in one process whose windows take turns: what else runs on the machine meets both alike.
// `node test/bench/agents/pair.mjs <other checkout, built> [row]`, after `npm run build`. Processor time of a turn, medians of
// the later two thirds of the windows; the first third warms up. The ratio is the median of the ratios of windows that
// stood side by side, and behind it is where that median lies with 95 %. `turn by hand` is the same agent whose history a program
// reads and writes as one text: without a lease, an event, an intent before a call, or a second process. Last, what a session
// that nobody uses holds in the heap. Every row of `bench:agents` in processor time has its row
// here, and idle sessions in memory; those in Redis hold next to nothing. Starts a Redis of its own, unless REDIS_URL names one.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Redis } from 'ioredis'
import { freePort } from '../free-port.mjs'
import { measureWindows, WINDOWS_TITLE, windowsLine } from '../in-turns.mjs'
import { talkingModel } from './talking-model.mjs'

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 120)
const TURNS = 200
/** A session has this many: what was said before is part of a turn. */
const TURNS_EACH = 4
/** A turn that is streamed has this many, and a window so many of them. */
const DELTAS = 500
const STREAMED_TURNS = 8
/** So many sessions are there when their heap is looked at. */
const IDLE = 2_000
const IDLE_ROW = 'an idle session, memory: bytes'
const LEASE_MS = 60_000
const TTL_MS = 3_600_000
const CALL = { requestId: 'bench', signal: new AbortController().signal }
const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 0, reasoningTokens: 0 }
const message = (content) => ({ id: 'm', turn: 1, message: { role: 'assistant', content } })
const answered = (said, reason) => ({
  bytes: Buffer.alloc(0),
  body: {
    ...{ id: 'x', object: 'chat.completion', choices: [{ index: 0, message: said, finish_reason: reason }] },
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  },
  usage,
  report: { upstream: 'b', model: 'b', attempts: 1, upstreamMs: 0 },
})
const TOOL_CALL = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } }
const ASKING = answered({ role: 'assistant', content: null, tool_calls: [TOOL_CALL] }, 'tool_calls')
const ANSWERING = answered({ role: 'assistant', content: '5' }, 'stop')
/** Asks for the tool after a user, and answers after a result. */
const MODEL = { complete: async ({ messages }) => (messages.at(-1).role === 'user' ? ASKING : ANSWERING) }
const toEvent = (type, payload) => ({ type, json: JSON.stringify({ type, ...payload }) })

// As `serve` does.
setFlagsFromString('--no-allocation-site-pretenuring')
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')
const [other, only] = process.argv.slice(2)
if (other === undefined) throw new Error('name the other checkout, built')
// Of this build for both: the other may have them in another place.
const { systemClock } = await import('../../../dist/util/time/clock.js')
const { createToolbox } = await import('../../../dist/tools/toolbox.js')
const { silentLogger } = await import('../../../dist/util/telemetry/logger.js')
const redis = await startRedis()
const roots = [resolve(other), resolve(import.meta.dirname, '../../..')]
const sides = []
for (const [index, root] of roots.entries()) sides.push(await openSide(root, `pair-${index}`))
console.log(`${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.version}\n`)
console.log(WINDOWS_TITLE)
for (const name of Object.keys(sides[0].rows)) {
  if (only !== undefined && name !== only) continue
  const isStreamed = name.startsWith('a delta of a turn')
  const [works, parts] = isStreamed ? [STREAMED_TURNS, DELTAS] : [TURNS, 1]
  const prepares = sides.map(({ rows }) => async () => {
    const work = await rows[name]()
    return async () => {
      for (let done = 0; done < works; done += 1) await work()
    }
  })
  console.log(windowsLine(name, await measureWindows(prepares, WINDOWS), works * parts))
}
if (only === undefined || only === IDLE_ROW) {
  const [before, after] = [await sides[0].idle(), await sides[1].idle()]
  const columns = [before, after].map((bytes) => bytes.toFixed(0).padStart(7))
  console.log(IDLE_ROW.padEnd(32), ...columns, (after / before).toFixed(3))
}
for (const { close } of sides) await close()
redis.stop()

/** The rows of one build: each makes the work of a window. */
async function openSide(root, keyPrefix) {
  const load = (path) => import(join(root, 'dist', path))
  const { createMemoryState } = await load('state/memory-state.js')
  const { createRedisState } = await load('state/redis-state.js')
  const { LeasedRun } = await load('state/leased-run.js')
  const { LlmCycle } = await load('agents/llm-cycle.js')
  const { PLAIN_AGENT } = await load('agents/plain-agent.js')
  const agent = { ...PLAIN_AGENT, id: 'bench', revision: 'r', system: 'You add numbers.', model: 'scripted' }
  agent.toolbox = await toolboxOf(load)
  const reading = { ...agent, toolbox: await toolboxOf(load, { readOnly: true }) }
  const inMemory = createMemoryState({
    clock: systemClock,
    leaseMs: LEASE_MS,
    ttlMs: TTL_MS,
    maxIdle: 20_000,
  })
  const stored = { url: redis.url, keyPrefix, leaseMs: LEASE_MS, ttlMs: TTL_MS, logger: silentLogger() }
  const inRedis = createRedisState(stored)
  await inRedis.open()
  const byHand = new Redis(redis.url)
  const [inMemorySessions, inRedisSessions] = [await sessionsOf(inMemory), await sessionsOf(inRedis)]
  const talking = talkingModel(DELTAS)
  return {
    idle: () => heapOfIdle(),
    async close() {
      byHand.disconnect()
      await inRedis.close()
    },
    rows: {
      'the loop alone': async () => () => loop(),
      'turn, memory': async () => turning(inMemorySessions),
      'turn, Redis': async () => turning(inRedisSessions),
      'turn whose tool reads, Redis': async () => turning(await sessionsOf(inRedis, reading)),
      'turn by hand, Redis': async () => savingByHand(),
      'a delta of a turn, memory': async () => streaming(await sessionsOf(inMemory, agent, talking)),
      'a delta of a turn, Redis': async () => streaming(await sessionsOf(inRedis, agent, talking)),
      'state: begin + commit, memory': () => beginning(inMemory),
      'state: begin + commit, Redis': () => beginning(inRedis),
      'state: commit, Redis': () => committing(inRedis),
      'state: append, Redis': () => appending(inRedis),
      'a delta emitted, memory': () => emitting(inMemory),
      'a delta emitted, Redis': () => emitting(inRedis),
    },
  }

  async function loop() {
    const cycle = new LlmCycle(MODEL, { model: 'scripted', systemPrompt: 'You add numbers.' })
    const { message: said } = await cycle.submitWithTools('add 2 and 3', agent.toolbox)
    if (said.content !== '5') throw new Error(said.content)
  }

  function savingByHand() {
    let key
    let turns = 0
    return async () => {
      if (turns % TURNS_EACH === 0) key = `${keyPrefix}-hand-${Math.random()}`
      turns += 1
      const kept = await byHand.get(key)
      const cycle = new LlmCycle(MODEL, { model: 'scripted', systemPrompt: 'You add numbers.' })
      cycle.withMessages(kept === null ? [] : JSON.parse(kept))
      const { message: said } = await cycle.submitWithTools('add 2 and 3', agent.toolbox)
      if (said.content !== '5') throw new Error(said.content)
      await byHand.set(key, JSON.stringify(cycle.messages), 'PX', TTL_MS)
    }
  }

  /** What a session of four messages holds that nobody uses. */
  async function heapOfIdle() {
    const store = createMemoryState({
      clock: systemClock,
      leaseMs: LEASE_MS,
      ttlMs: TTL_MS,
      maxIdle: 2 * IDLE,
    })
    const turns = turning(await sessionsOf(store), 1)
    for (let each = 0; each < IDLE / 20; each += 1) await turns()
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let each = 0; each < IDLE; each += 1) await turns()
    collectGarbage()
    const bytes = (process.memoryUsage().heapUsed - before) / IDLE
    await store.close()
    return bytes
  }

  async function sessionsOf(store, answering = agent, model = MODEL) {
    const { Sessions } = await load('agents/sessions/sessions.js')
    const { HookExecutor } = await load('agents/hook-executor.js')
    return new Sessions({
      store,
      agents: { prepare: async () => answering },
      model,
      hooks: new HookExecutor(),
      clock: systemClock,
      toolTimeoutMs: LEASE_MS,
      leaseMs: LEASE_MS,
      observer: { event() {}, committed() {}, ended() {}, decided() {} },
    })
  }

  async function beginning(store) {
    const address = await sessionIn(store)
    return async () => {
      const by = String(Math.random())
      const { lease } = await store.begin({ address, by, purpose: 'start', input: { text: 'hi' } })
      const events = { first: 1, events: [toEvent('turn.completed', { result: {} })] }
      const append = [message('hi'), message('An answer of some words.')]
      const turn = { status: 'completed', result: {} }
      await store.commit(lease, { n: 1, messages: [{ context: 'main', append }], events, turn })
    }
  }

  async function committing(store) {
    const address = await sessionIn(store)
    const { lease } = await store.begin({ address, by: 'b', purpose: 'start', input: {} })
    let n = 0
    return () => {
      n += 1
      const events = { first: n, events: [toEvent('tool.result', { call_id: 'c', ok: true })] }
      const append = [message('The result of a tool, some words of it.')]
      return store.commit(lease, {
        n,
        events,
        messages: [{ context: 'main', append }],
        turn: { state: { v: 1, step: n } },
      })
    }
  }

  async function appending(store) {
    const address = await sessionIn(store)
    const { lease } = await store.begin({ address, by: 'b', purpose: 'start', input: {} })
    let first = 0
    return () => {
      first += 1
      return store.events.append(lease, { first, events: [toEvent('text.delta', { text: 'some words' })] })
    }
  }

  /** As a stream of a model: a delta per turn of the event loop, gathered before it is stored. */
  async function emitting(store) {
    const address = await sessionIn(store)
    const { lease } = await store.begin({ address, by: 'b', purpose: 'start', input: {} })
    const textOf = ({ json }) => JSON.parse(json).text
    const gather = (earlier, later) => toEvent('text.delta', { text: textOf(earlier) + textOf(later) })
    const run = new LeasedRun({ store, lease, clock: systemClock, gather })
    setTimeout(() => run.close(), 5_000).unref()
    return () => {
      run.emit(toEvent('text.delta', { text: 'word ' }))
      return new Promise(setImmediate)
    }
  }
}

function turning(sessions, turnsEach = TURNS_EACH) {
  let id
  let turns = 0
  return async () => {
    if (turns % turnsEach === 0)
      id = (await sessions.create({ owner: '-', agent: 'bench', variables: {} }, CALL)).id
    turns += 1
    const input = { content: 'add 2 and 3', stream: false, limits: {} }
    const started = await sessions.turns.start(
      { kind: 'session', owner: '-', id },
      { input, call: { requestId: 'bench' } },
    )
    const { kind } = await started.outcome()
    if (kind !== 'completed') throw new Error(kind)
  }
}

/** Turns of sessions of their own that are read as they come. */
function streaming(sessions) {
  const input = { content: 'talk', stream: true, limits: {} }
  return async () => {
    const { id } = await sessions.create({ owner: '-', agent: 'bench', variables: {} }, CALL)
    const address = { kind: 'session', owner: '-', id }
    const started = await sessions.turns.start(address, { input, call: { requestId: 'bench' } })
    let last
    for await (const event of started.events) last = event
    if (last?.type !== 'turn.completed') throw new Error(last?.type)
  }
}

async function sessionIn(store) {
  const id = `bench-${Math.random().toString(36).slice(2)}`
  await store.create({ kind: 'session', id, owner: '-', token: id, head: { agent: 'a', usage: {} } })
  return { kind: 'session', id }
}

async function toolboxOf(load, traits = {}) {
  const { localTool } = await load('tools/local-tool.js')
  const number = { type: 'number' }
  const parameters = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] }
  return createToolbox([localTool({ name: 'add', parameters, ...traits, execute: ({ a, b }) => a + b })])
}

async function startRedis() {
  if (process.env.REDIS_URL !== undefined) return { url: process.env.REDIS_URL, stop() {} }
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'bench-pair-'))
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory]
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((ready) => server.stdout.on('data', (text) => String(text).includes('Ready') && ready()))
  return {
    url: `redis://127.0.0.1:${port}`,
    stop() {
      server.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
