// How long a start takes until the service is ready, beside `node -e 0` in the same minute.
//   npm run bench:start -- [--rounds 10] [--keys 10000]
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { freePort } from './free-port.mjs'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '10' }, keys: { type: 'string', default: '10000' } },
})
const rounds = Number(values.rounds)
const MICROSECONDS = 1_000
/** Ticks of Linux's processor times. */
const TICK_MS = 10

const redis = await startRedis()
const rows = { 'node -e 0': [], 'bundled catalog': [], [`${values.keys} keys in Redis`]: [] }
for (let round = 0; round < rounds; round += 1) {
  rows['node -e 0'].push(runEmpty())
  rows['bundled catalog'].push(await start({}))
  rows[`${values.keys} keys in Redis`].push(await start({ REDIS_URL: redis.url }))
}
await redis.stop()

const base = median(rows['node -e 0'])
console.log('| start of | wall, ms | processor, ms | × `node -e 0` (wall) | × (processor) |')
console.log('|---|---:|---:|---:|---:|')
for (const [name, runs] of Object.entries(rows)) {
  const { wall, cpu } = median(runs)
  const ratios = [wall / base.wall, cpu / base.cpu].map((ratio) => ratio.toFixed(1))
  console.log(`| ${name} | ${wall.toFixed(0)} | ${cpu.toFixed(0)} | ${ratios.join(' | ')} |`)
}

function runEmpty() {
  const startedAt = performance.now()
  const script = 'const { user, system } = process.cpuUsage(); console.log(user + system)'
  const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
  return { wall: performance.now() - startedAt, cpu: Number(stdout) / MICROSECONDS }
}

/** Until /readyz answers 200. */
async function start(environment) {
  const port = await freePort()
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: { PATH: process.env.PATH, PORT: String(port), LOG_LEVEL: 'error', ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(child, 'exit')
  while (!(await isReady(port))) await new Promise((wake) => setTimeout(wake, 2))
  const result = { wall: performance.now() - startedAt, cpu: processorTime(child.pid) }
  child.kill('SIGKILL')
  await ended
  return result
}

async function isReady(port) {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`)
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

function processorTime(pid) {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13)
    return (Number(user) + Number(system)) * TICK_MS
  } catch {
    return Number.NaN
  }
}

async function startRedis() {
  const port = await freePort()
  const child = spawn(
    'redis-server',
    ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: 'ignore' },
  )
  const client = new Redis({ port, retryStrategy: () => 20 })
  client.on('error', () => {})
  const batch = client.pipeline()
  for (let index = 0; index < Number(values.keys); index += 1)
    batch.set(
      `shenma:templates:e${index % 20}:p${index}`,
      JSON.stringify({ userPrompt: `Prompt ${index}: review {{.variables.code}} of {{.project.name}}.` }),
    )
  await batch.exec()
  client.disconnect()
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

function median(runs) {
  const middle = (name) => runs.map((run) => run[name]).sort((a, b) => a - b)[Math.floor(runs.length / 2)]
  return { wall: middle('wall'), cpu: middle('cpu') }
}
