import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from './free-port.mjs'

/** Prompts of the catalog, beside what a benchmark is about. */
const PROMPTS = 10_000

/** Starts a Redis of its own with 10,000 prompts and `values` by their keys, and the built service over it. */
export async function startServiceOverRedis(values) {
  const [redisPort, port] = [await freePort(), await freePort()]
  const redisServer = spawn('redis-server', [
    '--port',
    String(redisPort),
    '--save',
    '',
    '--bind',
    '127.0.0.1',
  ])
  const redis = new Redis({ port: redisPort, retryStrategy: () => 100 })
  const others = Array.from({ length: PROMPTS }, (_, index) => [
    `shenma:templates:team${index % 40}:prompt_${index}`,
    JSON.stringify({ description: `Does number ${index}`, userPrompt: 'Hello' }),
  ])
  const own = Object.entries(values).map(([key, value]) => [`shenma:${key}`, JSON.stringify(value)])
  await redis.mset(...[...others, ...own].flat())
  const url = `http://127.0.0.1:${port}`
  const environment = { PATH: process.env.PATH, PORT: String(port), LOG_LEVEL: 'warn' }
  const service = spawn(process.execPath, ['dist/main.js'], {
    env: { ...environment, REDIS_URL: `redis://127.0.0.1:${redisPort}` },
    stdio: 'inherit',
  })
  while (!(await fetch(`${url}/readyz`).catch(() => ({ ok: false }))).ok) await sleep(50)
  return {
    redis,
    url,
    async stop() {
      service.kill('SIGTERM')
      await once(service, 'exit')
      redis.disconnect()
      redisServer.kill('SIGKILL')
    },
  }
}
