// What two workers cost beside one process: processor time per render of all processes together, and how evenly the workers
// share the connections. In turns, medians. Where two processes and the client share two cores, each render costs more
// anybody who serves it: two processes that know nothing of each other are the control. A process that has little to do takes
// more for each request: a turn of its event loop brings few, and each wakes it. So both are asked twice: for as much as they can, where on two cores the client keeps one
// process busy and two not, and at a steady rate that is the same for each process that serves.
//
//   npm run bench:workers [-- --rounds 9 --seconds 3 --rate 3000]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { cpuMicros } from './cpu-micros.mjs'
import { freePort } from './free-port.mjs'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '3000' },
  },
})
/** Of each process that serves. */
const CONNECTIONS = 32
const RATE = Number(options.rate)
const PROMPT = '/api/render/prompts/evaluator.evaluate_quality'

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0].model}, ${CONNECTIONS} connections a process`,
)
const one = await start(1)
const two = await start(2)
const apart = { ...one, apart: await start(1) }
await Promise.all([cannon(apart, 4), cannon(two, 4)])
const rounds = []
for (let round = 0; round < Number(options.rounds); round += 1) rounds.push(await oneRound(round))
for (const name of Object.keys(rounds[0])) {
  const [micros, rate] = ['micros', 'rate'].map((field) => median(rounds.map((round) => round[name][field])))
  console.log(
    `${name.padEnd(13)} ${micros.toFixed(1)} µs of processor time per render, ${Math.round(rate)} renders a second`,
  )
}
const PAIRS = {
  'two workers / one process': ['two', 'one'],
  'two workers / two processes apart': ['two', 'apart'],
}
for (const kind of ['', ', steady'])
  for (const [pair, [of, beside]] of Object.entries(PAIRS)) {
    const ratios = rounds.map((round) => round[of + kind].micros / round[beside + kind].micros)
    const all = ratios.map((ratio) => ratio.toFixed(3)).join(', ')
    console.log(`processor time per render, ${pair}${kind}: ${median(ratios).toFixed(3)} (${all})`)
  }
console.log(
  `share of the first worker: ${rounds.map((round) => `${(round.two.share * 100).toFixed(1)} %`).join(', ')}`,
)
console.log(
  `processor time of the primary: ${rounds.map((round) => `${(round.two.primary * 100).toFixed(1)} %`).join(', ')} of all`,
)
for (const { child } of [one, two, apart.apart]) {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Every other round the other way about: what is measured last finds another machine than what is measured first. */
async function oneRound(index) {
  const kinds = [
    ['one', one],
    ['two', two],
    ['apart', apart],
  ]
  const figures = {}
  for (const rate of index % 4 < 2 ? [undefined, RATE] : [RATE, undefined])
    for (const [name, service] of index % 2 === 0 ? kinds : kinds.toReversed())
      figures[rate === undefined ? name : `${name}, steady`] = await measure(service, rate)
  return figures
}

async function start(workers) {
  const port = await freePort()
  const child = spawn(process.execPath, ['dist/main.js'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, PORT: String(port), WORKERS: String(workers) },
  })
  const service = { child, workers, url: `http://127.0.0.1:${port}` }
  while (!(await fetch(`${service.url}/readyz`).catch(() => ({ ok: false }))).ok) await sleep(50)
  while (workers > 1 && childrenOf(child.pid).length < workers) await sleep(50)
  await sleep(2_000)
  return service
}

/** @param rate renders a second of each process; undefined for as many as it can */
async function measure(service, rate) {
  const before = spent(service)
  const results = await cannon(service, Number(options.seconds), rate)
  const after = spent(service)
  const each = after.map((cpu, index) => cpu - before[index])
  const total = sum(each)
  const answered = sum(results.map((result) => result['2xx']))
  // The first one is the primary, where there are workers.
  const [share, primary] = service.workers === 1 ? [1, 0] : [each[1] / (each[1] + each[2]), each[0] / total]
  return { micros: total / answered, rate: answered / results[0].duration, share, primary }
}

/** One client for each process that serves: one for both workers would ask both in the same moments, and those apart not. */
function cannon({ url, workers, apart }, duration, rate) {
  const urls = apart === undefined ? Array(workers).fill(url) : [url, apart.url]
  return Promise.all(urls.map((origin) => render(origin, duration, rate)))
}

function render(origin, duration, rate) {
  return autocannon({
    url: `${origin}${PROMPT}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ variables: { path: 'a', code: 'b'.repeat(200) } }),
    connections: CONNECTIONS,
    duration,
    ...(rate === undefined ? {} : { overallRate: rate }),
  })
}

/** Microseconds of processor time so far, of the process and its workers, or of both that are apart. */
function spent({ child, apart }) {
  const pids = [child.pid, ...childrenOf(child.pid), ...(apart === undefined ? [] : [apart.child.pid])]
  return pids.map(cpuMicros)
}

function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
