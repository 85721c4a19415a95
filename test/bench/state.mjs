// State: what a commit costs beside a ping, what turns and events cost, and what idle sessions and followers hold.
// Starts a Redis of its own, unless REDIS_URL names one.
import { spawn } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from './free-port.mjs'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15)
const CALLS = Number(process.env.BENCH_CALLS ?? 500)
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 10_000)
const FOLLOWERS = Number(process.env.BENCH_FOLLOWERS ?? 10_000)
const LEASE_MS = 60_000
const TTL_MS = 3_600_000

const { createMemoryState } = await import('../../dist/state/memory-state.js')
const { createRedisState } = await import('../../dist/state/redis-state.js')
const { LeasedRun } = await import('../../dist/state/leased-run.js')
const { typedEvent } = await import('../../dist/state/logged-event.js')
const { systemClock } = await import('../../dist/util/time/clock.js')
const { silentLogger } = await import('../../dist/util/telemetry/logger.js')

const message = (text) => ({ id: 'm', turn: 1, message: { role: 'assistant', content: text } })
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
let names = 0

await main()

async function main() {
  console.log(`${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.version}\n`)
  const server = await openRedis()
  try {
    await costs(server.url)
    await memory('memory', () => createMemoryState({ clock: systemClock, leaseMs: LEASE_MS, ttlMs: TTL_MS }))
    await memory('Redis', () => openState(server.url))
  } finally {
    server.stop()
  }
}

/** Time and processor time of one thing at a time, all kinds in turns; medians of the rounds. */
async function costs(url) {
  const redis = await openState(url)
  const inMemory = createMemoryState({ clock: systemClock, leaseMs: LEASE_MS, ttlMs: TTL_MS })
  const client = new Redis(url)
  const kinds = [
    { name: 'ping', prepare: async () => () => client.ping() },
    { name: 'commit, Redis', prepare: () => committing(redis) },
    { name: 'append of one event, Redis', prepare: () => appending(redis) },
    { name: 'turn (begin + commit), Redis', prepare: () => turning(redis) },
    { name: 'commit, memory', prepare: () => committing(inMemory) },
    { name: 'turn (begin + commit), memory', prepare: () => turning(inMemory) },
    { name: 'delta emitted, Redis', prepare: () => emitting(redis) },
    { name: 'delta emitted, memory', prepare: () => emitting(inMemory) },
  ]
  const results = kinds.map(() => ({ wall: [], cpu: [] }))
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [index, { prepare }] of kinds.entries()) {
      const work = await prepare()
      const { wall, cpu } = await timed(work)
      if (round > 0) {
        results[index].wall.push(wall)
        results[index].cpu.push(cpu)
      }
    }
  const ping = median(results[0].wall)
  console.log(`${'one at a time'.padEnd(32)}  µs   × ping   µs of processor time   per second`)
  for (const [index, { name }] of kinds.entries()) {
    const [wall, cpu] = [median(results[index].wall), median(results[index].cpu)]
    const columns = [wall.toFixed(1), (wall / ping).toFixed(2), cpu.toFixed(1), Math.round(1e6 / wall)]
    console.log(name.padEnd(32), columns.map((column) => String(column).padStart(10)).join(' '))
  }
  client.disconnect()
  await redis.close()
}

async function timed(work) {
  const cpu = process.cpuUsage()
  const start = performance.now()
  for (let call = 0; call < CALLS; call += 1) await work()
  const wall = ((performance.now() - start) * 1_000) / CALLS
  const { user, system } = process.cpuUsage(cpu)
  return { wall, cpu: (user + system) / CALLS }
}

async function session(store) {
  names += 1
  const id = `bench-${process.pid}-${names}`
  await store.create({ kind: 'session', id, owner: '-', token: id, head: { agent: 'a', usage: {} } })
  return { kind: 'session', id }
}

async function committing(store) {
  const address = await session(store)
  const { lease } = await store.begin({ address, by: 'b', purpose: 'start', input: {} })
  let n = 0
  return () => {
    n += 1
    const events = { first: n, events: [typedEvent('tool.result', { call_id: 'c', ok: true })] }
    const messages = [
      { context: 'main', keep: 10, append: [message('The result of a tool, some words of it.')] },
    ]
    return store.commit(lease, { n, events, messages, turn: { state: { v: 1, step: n } } })
  }
}

async function appending(store) {
  const address = await session(store)
  const { lease } = await store.begin({ address, by: 'b', purpose: 'start', input: {} })
  let first = 0
  return () => {
    first += 1
    return store.events.append(lease, { first, events: [typedEvent('text.delta', { text: 'some words' })] })
  }
}

async function turning(store) {
  const address = await session(store)
  return async () => {
    const by = String(Math.random())
    const { lease } = await store.begin({ address, by, purpose: 'start', input: { text: 'hi' } })
    const events = { first: 1, events: [typedEvent('turn.completed', { result: {} })] }
    const messages = [
      { context: 'main', keep: 10, append: [message('hi'), message('An answer of some words.')] },
    ]
    await store.commit(lease, { n: 1, messages, events, turn: { status: 'completed', result: {} } })
  }
}

/** As a stream of a model: a delta per turn of the event loop, gathered before it is stored. */
async function emitting(store) {
  const address = await session(store)
  const { lease } = await store.begin({ address, by: 'b', purpose: 'start', input: {} })
  const gather = (earlier, later) => ({ type: 'text.delta', text: earlier.text + later.text })
  const run = new LeasedRun({ store, lease, clock: systemClock, gather })
  setTimeout(() => run.close(), 5_000).unref()
  return () => {
    run.emit({ type: 'text.delta', text: 'word ' })
    return new Promise((resolve) => setImmediate(resolve))
  }
}

/** Heap of sessions that nobody uses, and of readers that wait. */
async function memory(name, open) {
  const store = await open()
  await new Promise((resolve) => setTimeout(resolve, 500))
  const before = heap()
  const words = 'A sentence of an answer, about as long as such sentences are. '.repeat(5)
  for (let index = 0; index < SESSIONS; index += 1) {
    const address = await session(store)
    const { lease } = await store.begin({ address, by: 'b', purpose: 'start', input: { text: words } })
    const append = Array.from({ length: 10 }, (_, number) => message(`${number} ${words}`))
    const events = { first: 1, events: [typedEvent('turn.completed', { result: {} })] }
    await store.commit(lease, {
      n: 1,
      messages: [{ context: 'main', append }],
      events,
      turn: { status: 'completed', result: {} },
    })
  }
  const idle = heap() - before
  console.log(`\n${SESSIONS} idle sessions of 10 messages in ${name}: ${megabytes(idle)} of heap`)
  const address = await session(store)
  const { lease } = await store.begin({ address, by: 'b', purpose: 'start', input: {} })
  const started = heap()
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const iterators = Array.from({ length: FOLLOWERS }, () => follow(store, address, lease, stop.signal))
  const first = iterators.map((iterator) => iterator.next())
  await store.events.append(lease, { first: 1, events: [typedEvent('turn.started', {})] })
  await Promise.all(first)
  for (const iterator of iterators) void iterator.next()
  await new Promise((resolve) => setTimeout(resolve, 100))
  console.log(`${FOLLOWERS} followers in ${name}: ${megabytes(heap() - started)} of heap`)
  stop.abort()
  await store.close()
}

function follow(store, address, lease, signal) {
  return store.events.follow(address, { from: `${lease.epoch}-1`, signal })[Symbol.asyncIterator]()
}

function heap() {
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

function megabytes(bytes) {
  return `${(bytes / 1_048_576).toFixed(1)} MB`
}

async function openState(url) {
  const keyPrefix = `bench-${process.pid}`
  const store = createRedisState({ url, keyPrefix, leaseMs: LEASE_MS, ttlMs: TTL_MS, logger: silentLogger() })
  await store.open()
  return store
}

async function openRedis() {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, stop() {} }
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'bench-state-'))
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    directory,
    '--save',
    '',
    '--appendonly',
    'no',
  ]
  const child = spawn('redis-server', args, { stdio: 'ignore' })
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 100 })
  client.on('error', () => {})
  await client.ping()
  client.disconnect()
  const stop = () => {
    child.kill()
    rmSync(directory, { recursive: true, force: true })
  }
  return { url: `redis://127.0.0.1:${port}`, stop }
}
