// What a process takes beside processor time: memory while it rests and under load, bytes of its log for each request, and
// bytes that a full resync reads from Redis.
//   npm run bench:footprint -- [--rounds 3] [--prompts 20000] [--seconds 5]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { Redis } from 'ioredis'
import { freePort } from './free-port.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    prompts: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '5' },
  },
})
const [ROUNDS, PROMPTS, SECONDS] = [values.rounds, values.prompts, values.seconds].map(Number)
const REST_MS = 10_000
const RESYNC_MS = 10_000
const WRITE_BATCH = 500
/** Of the resync interval: the mean wait before a resync, and what one is spread over; see `plan-resync.ts`. */
const PERIOD = 0.775 + 0.1
/** What the documentation says of eight replicas of a million prompts, whose interval is 400 seconds. */
const [REPLICAS, MANY, MANY_INTERVAL_S] = [8, 1e6, 400]
const RENDER = {
  path: '/api/render/prompts/writing.role_question',
  body: '{"variables":{"question":"What is idempotence?"}}',
}
const HEADERS = { 'content-type': 'application/json' }
const TRACED = { ...HEADERS, traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }
const CHAT = {
  path: '/v1/chat/completions',
  body: '{"model":"prompt:writing.role_question","messages":[],"variables":{"question":"What is idempotence?"}}',
}
const CONNECTIONS = 64

console.log(`Node ${process.version}`)
const rounds = []
for (let round = 0; round < ROUNDS; round += 1) rounds.push(await memoryAndLog())
for (const [name, unit, read] of [
  ['memory of an idle process, bundled catalog', 'MiB', ({ idle }) => idle],
  ['under full load of renders, at most', 'MiB', ({ most }) => most],
  ['and of chats with `echo`', 'MiB', ({ withChats }) => withChats],
  ['a render in the log', 'bytes', ({ line }) => line],
  ['the same with `traceparent`', 'bytes', ({ traced }) => traced],
]) {
  const all = rounds.map(read).sort((a, b) => a - b)
  console.log(`| ${name} | ${all.map((each) => each.toFixed(0)).join(', ')} ${unit} |`)
}
const perPrompt = await resyncBytes()
const perSecond = (REPLICAS * MANY * perPrompt) / (MANY_INTERVAL_S * PERIOD) / 1e6
console.log(`| a full resync reads for each prompt | ${perPrompt.toFixed(0)} bytes |`)
console.log(`| ${REPLICAS} replicas of a million prompts, on average | ${perSecond.toFixed(1)} MB a second |`)

/** Of one process: MiB while it rests and at most, and the mean length of its log lines about renders. */
async function memoryAndLog() {
  const service = await start({ LOG_LEVEL: 'info' })
  await sleep(REST_MS)
  const idle = memory(service, 'VmRSS')
  for (const headers of [HEADERS, TRACED]) await load(service, [{ ...RENDER, headers }])
  const most = memory(service, 'VmHWM')
  await load(service, [{ ...CHAT, headers: HEADERS }])
  const withChats = memory(service, 'VmHWM')
  await service.stop()
  const lines = service
    .log()
    .split('\n')
    .filter((line) => line.includes('"route":"/api/render/prompts/'))
  const [traced, line] = [true, false].map((isTraced) =>
    meanBytes(lines.filter((each) => each.includes('"traceparent"') === isTraced)),
  )
  return { idle, most, withChats, line, traced }
}

function load({ url }, requests) {
  return autocannon({ url, method: 'POST', requests, connections: CONNECTIONS, duration: SECONDS })
}

/** Of lines, their line breaks included. */
function meanBytes(lines) {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0) / lines.length
}

/** What Redis sends for one resync, divided by the number of prompts; what it sends while nothing happens is taken off. */
async function resyncBytes() {
  const server = await startRedis()
  const redis = new Redis(server.url)
  await fill(redis)
  const service = await start({
    REDIS_URL: server.url,
    RESYNC_INTERVAL_MS: String(RESYNC_MS),
    LOG_LEVEL: 'error',
  })
  const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))[1])
  const [first, before, startedAt] = [await resyncs(service), await sent(), performance.now()]
  await sleep(RESYNC_MS / 4)
  const idleRate = ((await sent()) - before) / (performance.now() - startedAt)
  while ((await resyncs(service)) === first) await sleep(100)
  const bytes = (await sent()) - before - idleRate * (performance.now() - startedAt)
  await service.stop()
  redis.disconnect()
  server.child.kill('SIGKILL')
  return bytes / PROMPTS
}

async function resyncs({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^registry_full_loads (.*)$/m.exec(text)?.[1])
}

async function fill(redis) {
  const userPrompt = `Answer {{.variables.name}}. ${'Follow the conventions of the project, and name things for what they are. '.repeat(26)}`
  const document = (index) => JSON.stringify({ name: `prompt_${index}`, userPrompt: `${userPrompt}${index}` })
  for (let begin = 0; begin < PROMPTS; begin += WRITE_BATCH) {
    const batch = Array.from(
      { length: Math.min(WRITE_BATCH, PROMPTS - begin) },
      (_, offset) => begin + offset,
    )
    await redis.mset(
      batch.flatMap((index) => [`shenma:templates:team${index % 100}:prompt_${index}`, document(index)]),
    )
  }
  console.log(`${PROMPTS} prompts of ${document(0).length} bytes`)
}

async function start(environment) {
  const port = await freePort()
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: { PATH: process.env.PATH, PORT: String(port), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pieces = []
  child.stdout.on('data', (piece) => pieces.push(piece))
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/readyz`).catch(() => ({ ok: false }))).ok) await sleep(50)
  const stop = async () => {
    const exited = once(child, 'close')
    child.kill('SIGTERM')
    await exited
  }
  return { child, url, stop, log: () => Buffer.concat(pieces).toString() }
}

function memory({ child }, field) {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)[1]) / 1024
}

async function startRedis() {
  const port = await freePort()
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''])
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept')) break
  return { child, url: `redis://127.0.0.1:${port}` }
}
