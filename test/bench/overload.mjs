// What becomes of a service that gets more than it can do: the best it does under a closed loop, then an open loop at 1.5
// times that, for two kinds of work: the prompts of the bundled catalog in turn, as they are, and one prompt that takes
// some milliseconds. Probes are asked by a process of their own, so that they do not wait for the load's client; how long
// refusals took is what the service says itself. Goodput is also told by processor time of the service, which says the same
// on a machine that others use too. How much they use of it is reported as well: a service that has less than a core while it
// is asked for more than it can is late with everything, and a round with half a core of others says nothing of refusals.
//
//   npm run bench:overload [-- --seconds 10 --rounds 3 --only bundled|long]
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Agent, request } from 'undici'
import { cpuMicros, machineMicros } from './cpu-micros.mjs'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
})
const SECONDS = Number(options.seconds)
const PORT = 18_943
const BASE = `http://127.0.0.1:${PORT}`
const FACTOR = 1.5
const CONNECTIONS = 1000
const CLOSED_LOOP_CLIENTS = 8
const TICK_MS = 5
/** Until V8 has optimised what the work needs: before that, what is best would be too little. */
const WARM_UP_SECONDS = 10
const root = resolve(import.meta.dirname, '../..')

const directory = mkdtempSync(join(tmpdir(), 'aps-overload-'))
cpSync(join(root, 'examples/catalog'), directory, { recursive: true })
mkdirSync(join(directory, 'templates/bench'), { recursive: true })
const userPrompt =
  '{{range $i, $e := until 12000}}{{if eq (mod $e 1000) 0}}{{$e}} {{end}}{{end}}{{.variables.q}}'
writeFileSync(join(directory, 'templates/bench/work.json'), JSON.stringify({ name: 'work', userPrompt }))

const service = spawn(process.execPath, [join(root, 'dist/main.js')], {
  env: { PATH: process.env.PATH, PORT: String(PORT), CATALOG_DIR: directory, LOG_LEVEL: 'warn' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let log = ''
service.stdout.setEncoding('utf8').on('data', (text) => {
  log += text
})
const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 })

try {
  while (!(await isReady())) await sleep(50)
  const kinds = { bundled: await bundled(), long: long() }
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0].model}`)
  for (const [name, requests] of Object.entries(kinds))
    if (options.only === undefined || options.only === name) await measure(name, requests)
} finally {
  service.kill()
  rmSync(directory, { recursive: true, force: true })
}

async function isReady() {
  return ask({ path: '/readyz', method: 'GET' }).then(
    ({ status }) => status === 200,
    () => false,
  )
}

/** What the catalog brings along and calls no tool, each with variables of its own. */
async function bundled() {
  const code = 'func add(a, b int) int {\n\treturn a + b\n}\n'.repeat(4)
  const variables = {
    'chat.explain_code': { code },
    'chat.project_assistant': { question: 'Where are orders written?' },
    'completion.fill_in_middle': { prefix: code, suffix: code },
    'completion.unit_tests': { code },
    'data.text_to_sql': {
      question: 'Who ordered most last year?',
      tables: { orders: ['id', 'customer_id'], customers: ['id', 'name'] },
    },
    'evaluator.evaluate_quality': { path: 'orders.go', code },
    'translator.translate_zh_en': { code },
  }
  const requests = Object.entries(variables).map(([id, values]) => renderOf(id, values))
  for (const each of requests) {
    const { status } = await ask(each)
    if (status !== 200) throw new Error(`${each.path} answers ${status}`)
  }
  return requests
}

/** Little to read and to write: a refusal costs as much as any other request. */
function long() {
  return [renderOf('bench.work', { q: 'overload' })]
}

function renderOf(id, variables) {
  return {
    path: `/api/render/prompts/${id}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ variables }),
  }
}

async function ask({ path, ...rest }) {
  const startedAt = performance.now()
  const answer = await request(BASE + path, { dispatcher: agent, ...rest })
  await answer.body.dump()
  return { status: answer.statusCode, ms: performance.now() - startedAt }
}

/** Rounds of both loops right after each other; of each figure the median. */
async function measure(name, requests) {
  await closedLoop(WARM_UP_SECONDS, requests)
  await Promise.all(Array.from({ length: CONNECTIONS }, () => ask({ path: '/healthz', method: 'GET' })))
  const rounds = []
  for (let round = 0; round < Number(options.rounds); round += 1) rounds.push(await oneRound(requests))
  console.log(`\n${name}`)
  for (const figure of Object.keys(rounds[0])) {
    const values = rounds.map((each) => each[figure])
    const all = values.map((value) => value.toFixed(2)).join(', ')
    console.log(`${figure.padEnd(44)}${quantile(values, 0.5).toFixed(2).padStart(10)}   (${all})`)
  }
}

async function oneRound(requests) {
  const best = await closedLoop(Math.max(2, SECONDS / 2), requests)
  await lagInside()
  const before = await histogramInside()
  log = ''
  const { answers, health, cpu, others } = await openLoop(SECONDS, best.rate * FACTOR, requests)
  const lag = await lagInside()
  const times = (status) => answers.filter((answer) => answer.status === status).map(({ ms }) => ms)
  const [answered, refused] = [times(200), times(503)]
  return {
    'best, renders a second': best.rate,
    'asked for, renders a second': answers.length / SECONDS,
    'answered, renders a second': answered.length / SECONDS,
    'goodput of the best': answered.length / SECONDS / best.rate,
    'the same by processor time of the service': answered.length / cpu / best.perCpu,
    'cores that other programs took meanwhile': others,
    'refused, %': (refused.length / answers.length) * 100,
    'begun and not ended in time, count': codesInside().filter((code) => code !== 'overloaded').length,
    'otherwise, count': answers.length - answered.length - refused.length,
    '/healthz p50, ms': quantile(health, 0.5),
    '/healthz p99, ms': quantile(health, 0.99),
    '/healthz inside, p99 at most, ms': healthInside(before, await histogramInside()),
    'refused p50 inside, ms': quantile(refusedInside(), 0.5),
    'refused p99 inside, ms': quantile(refusedInside(), 0.99),
    'answered p99, ms': quantile(answered, 0.99),
    'event loop lag p99 inside, ms': lag,
  }
}

async function closedLoop(seconds, requests) {
  const cpu = cpuOfService()
  const endsAt = performance.now() + seconds * 1000
  let asked = 0
  let done = 0
  const client = async () => {
    while (performance.now() < endsAt) {
      asked += 1
      if ((await ask(requests[asked % requests.length])).status === 200) done += 1
    }
  }
  await Promise.all(Array.from({ length: CLOSED_LOOP_CLIENTS }, client))
  return { rate: done / seconds, perCpu: done / (cpuOfService() - cpu) }
}

async function openLoop(seconds, rate, requests) {
  const answers = []
  const probes = fork(join(import.meta.dirname, 'overload-probe.mjs'), [BASE])
  const ours = [service.pid, process.pid, probes.pid]
  const before = [machineMicros(), ...ours.map(cpuMicros)]
  const startedAt = performance.now()
  let sent = 0
  for (let at = 0; at < seconds * 1000; at = performance.now() - startedAt) {
    for (; sent < (at / 1000) * rate; sent += 1)
      answers.push(ask(requests[sent % requests.length]).catch(() => ({ status: 0, ms: 0 })))
    await sleep(TICK_MS)
  }
  const all = await Promise.all(answers)
  const elapsed = performance.now() - startedAt
  const [machine, cpu, ...beside] = [machineMicros(), ...ours.map(cpuMicros)].map(
    (micros, index) => (micros - before[index]) / 1e6,
  )
  const others = (machine - cpu - beside[0] - beside[1]) / (elapsed / 1000)
  probes.send('stop')
  const [health] = await once(probes, 'message')
  return { answers: all, health, cpu, others }
}

function quantile(values, share) {
  return (
    [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
  )
}

/** How long refusals took, in milliseconds, as the service's own log says. */
function refusedInside() {
  return [...log.matchAll(/"status":503,"durationMs":([\d.]+)[^\n]*"code":"overloaded"/g)].map(([, ms]) =>
    Number(ms),
  )
}

/** How often `/healthz` was answered so far within this many milliseconds, as the service itself measures. */
async function histogramInside() {
  const { body } = await request(`${BASE}/metrics`)
  const buckets = (await body.text()).matchAll(
    /^http_request_duration_seconds_bucket\{[^}]*route="\/healthz",le="([\d.]+|\+Inf)"\} (\d+)$/gm,
  )
  return new Map(
    Array.from(buckets, ([, bound, count]) => [
      Number(bound.replace('+Inf', 'Infinity')) * 1000,
      Number(count),
    ]),
  )
}

/** The bound of the bucket below which 99 % of what came in between lies. */
function healthInside(before, after) {
  const counts = [...after].map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)])
  const all = counts.at(-1)?.[1] ?? 0
  return counts.find(([, count]) => count >= all * 0.99)?.[0] ?? 0
}

function codesInside() {
  return [...log.matchAll(/"status":503,[^\n]*"code":"(\w+)"/g)].map(([, code]) => code)
}

/** Seconds of processor time so far. */
function cpuOfService() {
  return cpuMicros(service.pid) / 1e6
}

async function lagInside() {
  const { body: text } = await request(`${BASE}/metrics`)
  return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await text.text())?.[1]) * 1000
}
