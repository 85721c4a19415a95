// A million prompts in Redis and one process that serves them: how long it loads, what it takes in memory, how many
// renders it answers when few prompts are asked for often and many seldom (Zipf), how soon a change is served, and what
// comparing everything costs. Renders and changes are over before the first round of comparing begins.
//
//   npm run bench:scale [-- --prompts 1000000] [--semi-space 16 (MB; more, and Node 24 goes through everything for each 64 MB read)]
//     [--redis redis://127.0.0.1:6379 (already filled by --fill-only)]
//
// `--other DIRECTORY` compares this build with another one in place of that: over one Redis, in turns, in this many `--rounds`
// pairs of processes; with 100,000 prompts a pair takes six minutes.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { comparePairs } from './in-turns.mjs'
import { CONNECTIONS, cannon, documentOf, fill, nextRender, startRedis } from './scale/catalog.mjs'
import { timesOfChanges } from './scale/changes.mjs'
import { openLoop } from './scale/open-loop.mjs'
import { cpuOf, idleShare, memory, registry, startService, stop } from './scale/service.mjs'
import { figuresOfPair } from './scale/side-by-side.mjs'

const { values: options } = parseArgs({
  options: {
    prompts: { type: 'string', default: '1000000' },
    redis: { type: 'string' },
    'fill-only': { type: 'boolean', default: false },
    seconds: { type: 'string', default: '8' },
    'semi-space': { type: 'string', default: '16' },
    other: { type: 'string' },
    rounds: { type: 'string', default: '3' },
  },
})
const PROMPTS = Number(options.prompts)
const SECONDS = Number(options.seconds)
const CALM_RATE = 4_000
/** Until what each render runs is compiled, beside a heap of gigabytes. */
const WARM_UP_S = 10
const CHANGES = 300
/** What comparing everything comes from by default, in seconds; `plan-resync.ts` says the same. */
const INTERVAL_S = Math.max(60, PROMPTS / 2_500)
/** Of the interval: what a round is spread over, and the mean rest before it. */
const [SPREAD, MEAN_WAIT] = [0.1, 0.775]
/** Shorter, so that a round comes within the measurement, and after the renders; the price of one does not depend on it. */
const MEASURED_INTERVAL_S = Math.max(80, PROMPTS / 10_000)
/** Of a quarter of a second: no heartbeat takes as much, and the shortest round takes more. */
const ROUND_BYTES = Math.min(1e6, PROMPTS * 50)
const PACE = { connections: CONNECTIONS, seconds: SECONDS }
const IDLE_SERVER = new URL('scale/answers-at-once.mjs', import.meta.url).pathname

const redisServer = options.redis === undefined ? await startRedis() : undefined
const redisUrl = options.redis ?? redisServer.url
try {
  if (options.redis === undefined || options['fill-only']) await fillRedis()
  if (options.other !== undefined) console.log(await inTurns(options.other))
  else if (!options['fill-only']) await measure()
} finally {
  redisServer?.child.kill('SIGKILL')
}

async function fillRedis() {
  const startedAt = performance.now()
  await fill(redisUrl, PROMPTS)
  console.log(`${PROMPTS} prompts of ${documentOf(0).length} bytes written in ${seconds(startedAt)} s`)
}

function inTurns(other) {
  const settings = { redisUrl, prompts: PROMPTS, semiSpace: options['semi-space'] }
  const measurePair = (builds) => figuresOfPair(builds, settings)
  return comparePairs(measurePair, {
    other,
    rounds: Number(options.rounds),
    show: (figure) => figure.toPrecision(3),
  })
}

async function measure() {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0].model}`)
  const service = await startService({
    build: '.',
    redisUrl,
    semiSpace: options['semi-space'],
    resyncMs: MEASURED_INTERVAL_S * 1_000,
    isWatched: true,
  })
  try {
    showLoad(service, await load(service))
    await idleServer()
    showRenders(await renders(service))
    console.log(`renders, ${CALM_RATE} a second: ${await timesOf(service.url)}`)
    const times = await changes(service)
    console.log(`a change → served: p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms of ${CHANGES}`)
    showRound(await resync(service))
    console.log(
      `RSS at the end ${gibibytes(service, 'VmRSS')} GiB, at most ${gibibytes(service, 'VmHWM')} GiB`,
    )
  } finally {
    await stop(service)
  }
}

/** From the start of the process until it is ready. */
async function load(service) {
  const cpuS = cpuOf(service)
  const rss = memory(service, 'VmRSS')
  const { turns } = await service.probe('loop')
  const { documents, last } = await registry(service)
  return { documents, s: last, cpuS, rss, turns: turns.sort((a, b) => a - b) }
}

function showLoad({ readyS }, { documents, s, cpuS, rss, turns }) {
  console.log(
    `load: ready ${readyS.toFixed(1)} s after the start of the process, of which ${s.toFixed(1)} s for ${documents} documents; ` +
      `${cpuS.toFixed(1)} s of processor time; turns of the event loop p99 ${at(turns, 0.99)} ms, longest ${at(turns, 1)} ms; ` +
      `RSS ${rss.toFixed(2)} GiB`,
  )
}

/** As many as the service can. */
async function renders(service) {
  await cannon(service, PROMPTS, WARM_UP_S)
  const before = cpuOf(service)
  const full = await cannon(service, PROMPTS, SECONDS)
  return { full, perCore: full['2xx'] / (cpuOf(service) - before) }
}

function showRenders({ full, perCore }) {
  console.log(
    `renders, as many as it can: ${Math.round(full['2xx'] / SECONDS)} a second, ${Math.round(perCore)} a second of processor time; ` +
      `p50 ${full.latency.p50} ms, p99 ${full.latency.p99} ms; ${full.non2xx + full.errors} failed`,
  )
}

/** What the client and the machine add: before the service is warm, since one that rests is collected by V8 as a whole. */
async function idleServer() {
  const child = fork(IDLE_SERVER)
  const [port] = await once(child, 'message')
  console.log(
    `${CALM_RATE} a second to a server that does nothing: ${await timesOf(`http://127.0.0.1:${port}`)}`,
  )
  child.kill('SIGKILL')
}

async function timesOf(origin) {
  const requests = Array.from({ length: CALM_RATE * SECONDS }, () => nextRender(PROMPTS))
  let sent = 0
  const next = () => requests[sent++]
  const { times, failed } = await openLoop({ ...PACE, origin, next, rate: CALM_RATE })
  return `p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms, longest ${at(times, 1)} ms of ${times.length}; ${failed} failed`
}

/** The times of changes in ms, sorted. */
async function changes(service) {
  const redis = new Redis(redisUrl)
  const times = await timesOfChanges(service, { redis, prompts: PROMPTS, changes: CHANGES })
  redis.disconnect()
  return times.sort((a, b) => a - b)
}

/** The first round, with nobody else there. */
async function resync(service) {
  const count = async () => (await registry(service)).rounds
  const before = await count()
  // Somebody looks at the loop a thousand times a second: that is not the round's.
  const share = await idleShare(service)
  const { cpu, startedAt } = await beforeRound(service)
  await service.probe('loop')
  while ((await count()) === before) await sleep(500)
  const cpuS = cpuOf(service) - cpu - (share * (performance.now() - startedAt)) / 1_000
  const { turns } = await service.probe('loop')
  return { cpuS, s: seconds(startedAt), turns: turns.sort((a, b) => a - b) }
}

function showRound({ cpuS, s, turns }) {
  const share = cpuS / (INTERVAL_S * (SPREAD + MEAN_WAIT))
  console.log(
    `comparing everything: ${cpuS.toFixed(2)} s of processor time a round of ${s} s, with the default interval of ${INTERVAL_S} s ` +
      `${(share * 100).toFixed(2)} % of a core; turns p99 ${at(turns, 0.99)} ms, longest ${at(turns, 1)} ms`,
  )
}

/** Just before Redis begins to send more than beats: what V8 collects while the service rests is not the round's. */
async function beforeRound(service) {
  const redis = new Redis(redisUrl)
  const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))[1])
  let moment = { cpu: cpuOf(service), startedAt: performance.now() }
  for (let known = await sent(), now = known; now - known < ROUND_BYTES; ) {
    known = now
    moment = { cpu: cpuOf(service), startedAt: performance.now() }
    await sleep(250)
    now = await sent()
  }
  redis.disconnect()
  return moment
}

function gibibytes(service, field) {
  return memory(service, field).toFixed(2)
}

function at(sorted, share) {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
}

function seconds(startedAt) {
  return ((performance.now() - startedAt) / 1_000).toFixed(1)
}
