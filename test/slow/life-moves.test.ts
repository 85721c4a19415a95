import { createHash } from 'node:crypto'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../src/app.js'
import { compileFound } from '../../src/prompts/compile-found.js'
import { findPrompt } from '../../src/prompts/find-prompt.js'
import { buildTestApp } from '../support/build-test-app.js'
import { release, version } from '../support/lives.js'
import { createRandom } from '../support/random.js'
import { type RedisServer, startRedisServer } from '../support/redis-server.js'
import { type ServiceProcess, startService } from '../support/service-process.js'

const SEED = Number(process.env['LIFE_SEED'] ?? Date.now() % 1_000_000)
const RENDERS = 1_000_000
const VERSIONS = 20

let server: RedisServer
let redis: Redis
const set = (key: string, value: unknown) => redis.set(`shenma:${key}`, JSON.stringify(value))

beforeAll(async () => {
  server = await startRedisServer()
  redis = new Redis(server.url)
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

describe(`labels that move all the time, with the seed ${SEED}`, () => {
  const text = (number: number) => `v${number} {{template "m.outer" .}} {{.variables.x}}`
  const partials = (number: number) => ({
    'm.outer': { userPrompt: `outer${number} {{template "m.inner" .}}` },
    'm.inner': { userPrompt: `inner${number}` },
  })
  const made = Array.from({ length: VERSIONS }, (_, index) =>
    version('m.main', index + 1, { userPrompt: text(index + 1) }, partials(index + 1)),
  )
  const random = createRandom(SEED)
  let app: App

  beforeAll(async () => {
    for (const { number, document } of made) await set(`templates:m:main@${number}`, document)
    await set('templates:m:main', { userPrompt: text(0) })
    await set('templates:m:outer', { userPrompt: 'outer0 {{template "m.inner" .}}' })
    await set('templates:m:inner', { userPrompt: 'inner0' })
    const [first] = made
    if (first !== undefined) await set('releases:m:main:production', release(first))
    app = await buildTestApp({ REDIS_URL: server.url })
  })
  afterAll(() => app.close())

  /** Moves the label, and edits what the heads include, a hundred times a second. */
  async function keepMoving(signal: AbortSignal): Promise<number> {
    let sequence = 1
    for (; !signal.aborted; sequence += 1) {
      const [one, other] = [random.pick(made), random.pick(made)]
      const isSplit = one !== other && random.chance() < 0.3
      const target = isSplit
        ? ([
            [one, 60],
            [other, 40],
          ] as const)
        : one
      await set('releases:m:main:production', release(target, { sequence: sequence + 1 }))
      const draft = 1_000 + sequence
      await set('templates:m:inner', { userPrompt: `inner${draft}` })
      await sleep(10)
    }
    return sequence
  }

  it(`mix no versions and no partials in ${RENDERS} renders`, async () => {
    const stop = new AbortController()
    const moving = keepMoving(stop.signal)
    const { registry, renderer } = app
    const seen = new Set<number>()
    const call = { requestId: 'test', signal: new AbortController().signal }
    const wrong: string[] = []
    for (let index = 0; index < RENDERS; index += 1) {
      const found = await findPrompt(registry, 'm.main', { label: 'production' })
      const rendered = await renderer.render({
        ...compileFound(registry, found),
        variables: { x: index },
        call,
      })
      const number = found.served?.number ?? -1
      seen.add(number)
      const expected = `v${number} outer${number} inner${number} ${index}`
      const said = rendered.kind === 'prompt' ? rendered.text : ''
      if (said !== expected) wrong.push(`${said} is not ${expected}`)
      if (index % 500 === 0) await turn()
    }
    stop.abort()
    const moves = await moving
    expect(wrong).toEqual([])
    expect(seen.size).toBe(VERSIONS)
    expect(moves).toBeGreaterThan(VERSIONS)
  }, 600_000)
})

describe('a split label on three processes', () => {
  const KEYS = 100_000
  const SHARES = [70, 25, 5] as const
  const made = SHARES.map((_, index) => version('s.main', index + 1, { userPrompt: `${index + 1}` }))
  let services: readonly ServiceProcess[]

  beforeAll(async () => {
    for (const { number, document } of made) await set(`templates:s:main@${number}`, document)
    await set('releases:s:main:production', release(made.map((each, index) => [each, SHARES[index] ?? 0])))
    const environment = { REDIS_URL: server.url }
    services = await Promise.all([1, 2, 3].map(() => startService(environment)))
  })
  afterAll(() => Promise.all(services.map((service) => service.stop())))

  /** Which version each key gets from one process. */
  async function askAll(url: string): Promise<readonly number[]> {
    const pool = new Pool(url, { connections: 8, pipelining: 8 })
    const got: number[] = []
    let next = 0
    const worker = async () => {
      for (let key = next++; key < KEYS; key = next++) {
        const { headers, body } = await pool.request({
          method: 'POST',
          path: '/api/render/prompts/s.main?label=production',
          headers: { 'content-type': 'application/json', 'x-prompt-key': `user-${key}` },
          body: '{}',
        })
        await body.dump()
        got[key] = Number(headers['x-prompt-version'])
      }
    }
    await Promise.all(Array.from({ length: 64 }, worker))
    await pool.close()
    return got
  }

  it(`gives ${KEYS} keys the same versions, and each version its share`, async () => {
    const expected = Array.from({ length: KEYS }, (_, key) => {
      const digest = createHash('sha256').update(`s.main\nproduction\nuser-${key}`).digest()
      const bucket = digest.readUInt32BE(0) % 10_000
      return bucket < 7_000 ? 1 : bucket < 9_500 ? 2 : 3
    })
    for (const { url } of services) expect(await askAll(url)).toEqual(expected)
    SHARES.forEach((share, index) => {
      const count = expected.filter((number) => number === index + 1).length
      expect(Math.abs(count / KEYS - share / 100)).toBeLessThan(0.01)
    })
  }, 600_000)
})
