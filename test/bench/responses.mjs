// What keeping a response adds to the same response that nobody keeps: one request at a time, kinds in turns, in memory
// and over a Redis of its own. The service, the upstream and Redis are processes of their own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from './chat/servers.mjs'
import { upstream } from './chat/upstream.mjs'
import { freePort } from './free-port.mjs'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15)
/** Requests of one kind in a row. */
const BLOCK = Number(process.env.BENCH_BLOCK ?? 20)
const WARM_UPS = Number(process.env.BENCH_WARM_UPS ?? 300)
const STREAM_CHUNKS = 20
/** Processor time is counted in these. */
const TICKS_PER_SECOND = 100
const self = fileURLToPath(import.meta.url)

if (process.argv[2] === 'upstream') upstream()
else await main()

async function main() {
  console.log(`${cpus()[0].model.trim()}, Node ${process.version}, load ${loadavg()[0].toFixed(1)}\n`)
  const directory = mkdtempSync(join(tmpdir(), 'responses-'))
  mkdirSync(join(directory, 'catalog'))
  const redisPort = await freePort()
  const redis = spawn('redis-server', ['--port', String(redisPort), '--save', '', '--bind', '127.0.0.1'])
  const servers = []
  try {
    const up = await startServer('upstream', [self, 'upstream'])
    servers.push(up)
    await fetch(`http://127.0.0.1:${up.port}/behave?delayMs=0&paceMs=0&chunks=${STREAM_CHUNKS}`)
    for (const [place, environment] of [
      ['memory', {}],
      ['Redis', { STATE_URL: `redis://127.0.0.1:${redisPort}` }],
    ]) {
      const service = await startServer('service', ['dist/main.js'], {
        LLM_BASE_URL: `http://127.0.0.1:${up.port}/v1`,
        LLM_API_KEY: 'x',
        CATALOG_DIR: join(directory, 'catalog'),
        MAX_LOOP_DELAY_MS: '0',
        LOG_FILE: join(directory, 'service.log'),
        ...environment,
      })
      servers.push(service)
      while (!(await fetch(`http://127.0.0.1:${service.port}/readyz`).catch(() => ({ ok: false }))).ok)
        await new Promise((done) => setTimeout(done, 50))
      await measure(place, service)
    }
  } finally {
    for (const { child } of servers) child.kill()
    redis.kill('SIGKILL')
    await once(redis, 'exit')
    rmSync(directory, { recursive: true })
  }
}

async function measure(place, { port, child }) {
  const ask = async (more) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'Is this safe when two write at once?', ...more }),
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(text)
    return text
  }
  let parent = JSON.parse(await ask({ store: true })).id
  for (let link = 0; link < 3; link += 1)
    parent = JSON.parse(await ask({ store: true, previous_response_id: parent })).id
  const kinds = {
    'not kept': {},
    kept: { store: true },
    'kept, the fifth of a chain': { store: true, previous_response_id: parent },
    'streamed, not kept': { stream: true },
    'streamed, kept': { stream: true, store: true },
  }
  for (let index = 0; index < WARM_UPS; index += 1) for (const more of Object.values(kinds)) await ask(more)
  const times = new Map(Object.keys(kinds).map((name) => [name, []]))
  const processor = new Map(Object.keys(kinds).map((name) => [name, 0]))
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, more] of Object.entries(kinds)) {
      const before = ticksOf(child.pid)
      for (let index = 0; index < BLOCK; index += 1) {
        const begun = performance.now()
        await ask(more)
        times.get(name).push(performance.now() - begun)
      }
      processor.set(name, processor.get(name) + ticksOf(child.pid) - before)
    }
  const perRequest = (name) => ((processor.get(name) / TICKS_PER_SECOND) * 1_000) / (ROUNDS * BLOCK)
  console.log(`| ${place} | p50 ms | p99 ms | p50 over not kept | processor ms |`)
  console.log('| --- | --: | --: | --: | --: |')
  for (const name of Object.keys(kinds)) {
    const base = quantile(times.get(name.startsWith('streamed') ? 'streamed, not kept' : 'not kept'), 0.5)
    const [p50, p99] = [quantile(times.get(name), 0.5), quantile(times.get(name), 0.99)]
    const cells = [p50.toFixed(2), p99.toFixed(2), (p50 - base).toFixed(2), perRequest(name).toFixed(2)]
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
  console.log('')
}

/** Processor time that a process has used, in ticks. */
function ticksOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return Number(fields[11]) + Number(fields[12])
}

function quantile(values, part) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]
}
