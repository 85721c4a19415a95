// What becomes of a service that gets more than it can do: the best it does under a closed loop, then an open loop at 1.5
// times that. Probes are asked by a process of their own, so that they do not wait for the load's client; the time of
// refusals and the lag of the event loop are taken inside.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'

const SECONDS = Number(process.argv[2] ?? 10)
const PORT = 18_943
const BASE = `http://127.0.0.1:${PORT}`
const FACTOR = 1.5
const CONNECTIONS = 1000
const TICK_MS = 5

const directory = mkdtempSync(join(tmpdir(), 'aps-overload-'))
mkdirSync(join(directory, 'templates/bench'), { recursive: true })
// About a millisecond, and little to write: what is refused costs as much as a request that does nothing.
const userPrompt =
  '{{range $i, $e := until 1200}}{{if eq (mod $e 100) 0}}{{$e}} {{end}}{{end}}{{.variables.q}}'
writeFileSync(join(directory, 'templates/bench/work.json'), JSON.stringify({ name: 'work', userPrompt }))

const service = spawn(process.execPath, [resolve(import.meta.dirname, '../../dist/main.js')], {
  env: {
    PATH: process.env.PATH,
    PORT: String(PORT),
    CATALOG_DIR: directory,
    LOG_LEVEL: 'warn',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let log = ''
service.stdout.setEncoding('utf8').on('data', (text) => {
  log += text
})
const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 })
const body = JSON.stringify({ variables: { q: 'overload' } })

async function ask(path, options = {}) {
  const startedAt = performance.now()
  const answer = await request(BASE + path, { dispatcher: agent, ...options })
  await answer.body.dump()
  return { status: answer.statusCode, ms: performance.now() - startedAt }
}
const render = () =>
  ask('/api/render/prompts/bench.work', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })

async function closedLoop(seconds, clients) {
  const endsAt = performance.now() + seconds * 1000
  let done = 0
  const client = async () => {
    while (performance.now() < endsAt) if ((await render()).status === 200) done += 1
  }
  await Promise.all(Array.from({ length: clients }, client))
  return done / seconds
}

async function openLoop(seconds, rate) {
  const answers = []
  const startedAt = performance.now()
  const probes = fork(join(import.meta.dirname, 'overload-probe.mjs'), [BASE])
  let sent = 0
  for (let at = 0; at < seconds * 1000; at = performance.now() - startedAt) {
    for (; sent < (at / 1000) * rate; sent += 1) answers.push(render().catch(() => ({ status: 0, ms: 0 })))
    await sleep(TICK_MS)
  }
  probes.send('stop')
  const [health] = await once(probes, 'message')
  return { answers: await Promise.all(answers), health }
}

function quantile(values, share) {
  return (
    [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
  )
}

/** How long refusals took, as the service's own log says. */
function refusedInside() {
  return [...log.matchAll(/"status":503,"durationMs":([\d.]+)/g)].map(([, ms]) => Number(ms))
}

async function lagInside() {
  const { body: text } = await request(`${BASE}/metrics`)
  return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await text.text())?.[1]) * 1000
}

try {
  while (
    !(await ask('/readyz').then(
      ({ status }) => status === 200,
      () => false,
    ))
  )
    await sleep(50)
  await closedLoop(2, 8)
  await Promise.all(Array.from({ length: CONNECTIONS }, () => ask('/healthz')))
  const best = await closedLoop(Math.max(2, SECONDS / 2), 8)
  await lagInside()
  log = ''
  const { answers, health } = await openLoop(SECONDS, best * FACTOR)
  const lag = await lagInside()
  const times = (status) => answers.filter((answer) => answer.status === status).map(({ ms }) => ms)
  const goodput = times(200).length / SECONDS
  const rows = {
    'best, renders/s': best,
    'asked for, renders/s': answers.length / SECONDS,
    'answered, renders/s': goodput,
    'goodput of the best': goodput / best,
    'refused, %': (times(503).length / answers.length) * 100,
    'otherwise, count': answers.length - times(200).length - times(503).length,
    '/healthz p50, ms': quantile(health, 0.5),
    '/healthz p99, ms': quantile(health, 0.99),
    'refused p99 inside, ms': quantile(refusedInside(), 0.99),
    'refused p99 outside, ms': quantile(times(503), 0.99),
    'answered p99, ms': quantile(times(200), 0.99),
    'event loop lag p99 inside, ms': lag,
  }
  for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(32)}${value.toFixed(2)}`)
} finally {
  service.kill()
  rmSync(directory, { recursive: true, force: true })
}
