// A million prompts in Redis and one process that serves them: how long it loads, what it takes in memory, how many
// renders it answers when few prompts are asked for often and many seldom (Zipf), how soon a change is served, and what
// comparing everything costs. Renders and changes are over before the first round of comparing begins.
//
//   npm run bench:scale [-- --prompts 1000000] [--semi-space 16 (MB; more, and Node 24 goes through everything for each 64 MB read)]
//     [--redis redis://127.0.0.1:6379 (already filled by --fill-only)]
//
// `--other DIRECTORY` compares this build with another one in place of that: over one Redis, in turns, in this many `--rounds`
// pairs of processes; with 100,000 prompts a round takes a minute and a half.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { Redis } from 'ioredis'
import { cpuMicros } from './cpu-micros.mjs'
import { freePort } from './free-port.mjs'
import { compareInTurns } from './in-turns.mjs'
import { openLoop, requestBytes } from './scale/open-loop.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
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
/** Of the build that is measured for a comparison; this one is measured for itself. */
const [COMPARED] = positionals
const PROMPTS = Number(options.prompts)
const SECONDS = Number(options.seconds)
const EXTENSIONS = 1_000
const WRITE_BATCH = 500
const CONNECTIONS = 64
/** Renders that a connection asks for before it begins again; more than it gets to, since the same list again is not Zipf's. */
const ASKED = 4_000
const CALM_RATE = 4_000
/** Until what each render runs is compiled, beside a heap of gigabytes. Shorter in pairs, so that renders end before the round. */
const WARM_UP_S = COMPARED === undefined ? 10 : 6
const CHANGES = 300
const CHANGES_BACKGROUND_RATE = 1_000
/** What comparing everything comes from by default, in seconds; `plan-resync.ts` says the same. */
const INTERVAL_S = Math.max(60, PROMPTS / 2_500)
/** Of the interval: what a round is spread over, and the mean rest before it. */
const [SPREAD, MEAN_WAIT] = [0.1, 0.775]
/** Shorter, so that a round comes within the measurement, and after the renders; the price of one does not depend on it. */
const MEASURED_INTERVAL_S = Math.max(COMPARED === undefined ? 80 : 40, PROMPTS / 10_000)
const IDLE_S = 5
/** Of a quarter of a second: no heartbeat takes as much, and the shortest round takes more. */
const ROUND_BYTES = Math.min(1e6, PROMPTS * 50)
const PACE = { connections: CONNECTIONS, seconds: SECONDS }
const IDLE_SERVER = new URL('scale/answers-at-once.mjs', import.meta.url).pathname
const PROBE = new URL('../attacks/support/loop-probe.mjs', import.meta.url).pathname
const FILLER =
  'Follow the conventions of the project, name things for what they are, and say what you left out. '

const idOf = (index) => `team${index % EXTENSIONS}.prompt_${index}`
const keyOf = (index) => `shenma:templates:team${index % EXTENSIONS}:prompt_${index}`

const redisServer = options.redis === undefined ? await startRedis() : undefined
const redisUrl = options.redis ?? redisServer.url
try {
  if (options.redis === undefined || options['fill-only']) await fill()
  if (options.other !== undefined) console.log(await inTurns(options.other))
  else if (COMPARED !== undefined) console.log(JSON.stringify(await figures()))
  else if (!options['fill-only']) await measure()
} finally {
  redisServer?.child.kill('SIGKILL')
}

function documentOf(index, version = 0) {
  const text = `You help team ${index % EXTENSIONS} with task ${index}, version ${version}. Answer {{.variables.name}} in {{.variables.language}}.
{{if .variables.strict}}Be strict.{{end}}
${FILLER.repeat(18)}${index}
{{range .variables.rules}}- {{.}}
{{end}}`
  return JSON.stringify({ name: `prompt_${index}`, description: `Task ${index}`, userPrompt: text })
}

async function fill() {
  const redis = new Redis(redisUrl)
  const startedAt = performance.now()
  for (let start = 0; start < PROMPTS; start += WRITE_BATCH) {
    const batch = Array.from(
      { length: Math.min(WRITE_BATCH, PROMPTS - start) },
      (_, offset) => start + offset,
    )
    await redis.mset(batch.flatMap((index) => [keyOf(index), documentOf(index)]))
  }
  await redis.quit()
  console.log(`${PROMPTS} prompts of ${documentOf(0).length} bytes written in ${seconds(startedAt)} s`)
}

function inTurns(other) {
  const { prompts, seconds, rounds, 'semi-space': semiSpace } = options
  const args = ['--redis', redisUrl, '--prompts', prompts, '--seconds', seconds, '--semi-space', semiSpace]
  const show = (figure) => figure.toPrecision(3)
  return compareInTurns({ script: import.meta.filename, args, other, rounds: Number(rounds), show })
}

/** What two builds are compared by: of each figure less is better. */
async function figures() {
  const service = await startService()
  try {
    const loaded = await load(service)
    const { perCore } = await renders(service)
    const times = await changes(service)
    const round = await resync(service)
    return {
      [`${PROMPTS} prompts: processor time`]: {
        'load, s': loaded.cpuS,
        'a render, µs': 1e6 / perCore,
        'comparing everything, a round, s': round.cpuS,
      },
      'by the clock': { 'load, s': loaded.s, 'a change → served, p50, ms': Number(at(times, 0.5)) },
      'resident memory, GiB': { 'after the load': loaded.rss, 'at most': memory(service, 'VmHWM') },
    }
  } finally {
    await stop(service)
  }
}

async function measure() {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0].model}`)
  const service = await startService()
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

async function stop({ child }) {
  child.kill('SIGTERM')
  await once(child, 'exit')
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
  await cannon(service, { duration: WARM_UP_S })
  const before = cpuOf(service)
  const full = await cannon(service, { duration: SECONDS })
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
  const requests = Array.from({ length: CALM_RATE * SECONDS }, nextRender)
  let sent = 0
  const next = () => requests[sent++]
  const { times, failed } = await openLoop({ ...PACE, origin, next, rate: CALM_RATE })
  return `p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms, longest ${at(times, 1)} ms of ${times.length}; ${failed} failed`
}

function nextRender() {
  return requestBytes(renderOf(zipf()))
}

/** A write in Redis → the first answer that has it, while others render: the times of all changes in ms, sorted. */
async function changes(service) {
  const redis = new Redis(redisUrl)
  const over = new AbortController()
  const { signal } = over
  const endless = { connections: CONNECTIONS, rate: CHANGES_BACKGROUND_RATE, seconds: 600, next: nextRender }
  const background = openLoop({ ...endless, origin: service.url, signal })
  const times = []
  // Another process may have changed the same prompts before.
  const first = Date.now()
  for (let version = first; version < first + CHANGES; version += 1) {
    const index = zipf()
    const startedAt = performance.now()
    redis.set(keyOf(index), documentOf(index, version))
    while (!(await renderOnce(service, index)).includes(`version ${version}.`));
    times.push(performance.now() - startedAt)
    await sleep(5)
  }
  over.abort()
  await background
  redis.disconnect()
  return times.sort((a, b) => a - b)
}

/** The first round, with nobody else there. */
async function resync(service) {
  const count = async () => (await registry(service)).rounds
  const before = await count()
  // Somebody looks at the loop a thousand times a second: that is not the round's.
  const idleShare = await idle(service)
  const { cpu, startedAt } = await beforeRound(service)
  await service.probe('loop')
  while ((await count()) === before) await sleep(500)
  const cpuS = cpuOf(service) - cpu - (idleShare * (performance.now() - startedAt)) / 1_000
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

/** The share of a core that is spent on nothing; the median of some seconds, since a collection may begin in one. */
async function idle(service) {
  const shares = []
  for (let second = 0; second < IDLE_S; second += 1) {
    const before = cpuOf(service)
    await sleep(1_000)
    shares.push(cpuOf(service) - before)
  }
  return shares.sort((a, b) => a - b)[Math.floor(IDLE_S / 2)]
}

/** Each connection asks for prompts of its own choice: one list for all would be copied for each of them. */
function cannon({ url }, settings) {
  const headers = { 'content-type': 'application/json' }
  const setupClient = (client) =>
    client.setRequests(Array.from({ length: ASKED }, () => ({ ...renderOf(zipf()), headers })))
  return autocannon({ url, method: 'POST', headers, connections: CONNECTIONS, setupClient, ...settings })
}

function renderOf(index) {
  const name = `user ${Math.floor(Math.random() * 1_000)}`
  const variables = { name, language: 'English', strict: true, rules: ['one', 'two', 'three'] }
  return { method: 'POST', path: `/api/render/prompts/${idOf(index)}`, body: JSON.stringify({ variables }) }
}

/** Ranks from 0; the n-th is asked for 1/n times as often as the first. */
function zipf() {
  return Math.min(PROMPTS - 1, Math.floor(Math.exp(Math.random() * Math.log(PROMPTS + 1))) - 1)
}

async function renderOnce({ url }, index) {
  const response = await fetch(`${url}/api/render/prompts/${idOf(index)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ variables: { name: 'x', language: 'English', strict: true, rules: [] } }),
  })
  return response.text()
}

async function registry({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = (name) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
  return {
    documents: value('registry_documents'),
    rounds: value('registry_full_loads'),
    last: value('registry_last_load_seconds'),
  }
}

async function startService() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  const child = spawn(
    process.execPath,
    [
      '--max-old-space-size=8192',
      `--max-semi-space-size=${options['semi-space']}`,
      '--import',
      PROBE,
      join(COMPARED ?? '.', 'dist/main.js'),
    ],
    {
      stdio: ['ignore', COMPARED === undefined ? 'inherit' : 'ignore', 'inherit', 'ipc'],
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        LOG_LEVEL: 'fatal',
        REDIS_URL: redisUrl,
        TEMPLATE_CACHE_SIZE: '10000',
        RESYNC_INTERVAL_MS: String(MEASURED_INTERVAL_S * 1_000),
      },
    },
  )
  while (!(await fetch(`${url}/readyz`).catch(() => ({ ok: false }))).ok) await sleep(100)
  const readyS = (performance.now() - startedAt) / 1_000
  let asked = 0
  const probe = async (take) => {
    asked += 1
    child.send({ take, id: asked })
    const [answer] = await once(child, 'message')
    return answer
  }
  return { child, url, readyS, probe }
}

/** Seconds of processor time so far. */
function cpuOf({ child }) {
  return cpuMicros(child.pid) / 1e6
}

/** In GiB. */
function memory({ child }, field) {
  const kilobytes = new RegExp(`${field}:\\s+(\\d+)`).exec(
    readFileSync(`/proc/${child.pid}/status`, 'utf8'),
  )[1]
  return Number(kilobytes) / 2 ** 20
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

async function startRedis() {
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept')) break
  return { child, url: `redis://127.0.0.1:${port}` }
}
