// One process that serves the catalog, and what it says of itself.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMicros } from '../cpu-micros.mjs'
import { freePort } from '../free-port.mjs'

const PROBE = new URL('../../attacks/support/loop-probe.mjs', import.meta.url).pathname

/**
 * @param build the directory of a build
 * @param semiSpace of V8, MB
 * @param resyncMs from one round of comparing everything to the next
 * @param isWatched whether it can be asked for the turns of its event loop, which costs it a look every millisecond
 * @param stdout where its output goes
 * @returns once the service is ready
 */
export async function startService({
  build,
  redisUrl,
  semiSpace,
  resyncMs,
  isWatched = false,
  stdout = 'inherit',
}) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  const memory = ['--max-old-space-size=8192', `--max-semi-space-size=${semiSpace}`]
  const flags = isWatched ? [...memory, '--import', PROBE] : memory
  const child = spawn(process.execPath, [...flags, join(build, 'dist/main.js')], {
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      LOG_LEVEL: 'fatal',
      REDIS_URL: redisUrl,
      TEMPLATE_CACHE_SIZE: '10000',
      RESYNC_INTERVAL_MS: String(resyncMs),
    },
  })
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

export async function stop({ child }) {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Documents, rounds of comparing everything so far, and the seconds of the last one. */
export async function registry({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = (name) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
  return {
    documents: value('registry_documents'),
    rounds: value('registry_full_loads'),
    last: value('registry_last_load_seconds'),
  }
}

/** Seconds of processor time so far. */
export function cpuOf({ child }) {
  return cpuMicros(child.pid) / 1e6
}

/** In GiB. */
export function memory({ child }, field) {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)[1]) / 2 ** 20
}

/** The share of a core that is spent on nothing; the median of some seconds, since a collection may begin in one. */
export async function idleShare(service, seconds = 5) {
  const shares = []
  for (let second = 0; second < seconds; second += 1) {
    const before = cpuOf(service)
    await sleep(1_000)
    shares.push(cpuOf(service) - before)
  }
  return shares.sort((a, b) => a - b)[Math.floor(seconds / 2)]
}
