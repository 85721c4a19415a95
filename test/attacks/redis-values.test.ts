import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Registry } from '../../src/registry/registry.js'
import { openMirror } from '../support/redis-mirror.js'
import { type RedisServer, startRedisServer } from '../support/redis-server.js'
import { someOf } from '../support/some-of.js'
import { waitUntil } from '../support/wait-until.js'
import { leastBusy } from './support/least-busy.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'
import { type AttackedByRedis, mistakeOfDocument, startAttackedByRedis } from './support/redis-attack.js'
import { REDIS_VALUES, REFUSALS } from './tables/redis-values.js'

let server: RedisServer | undefined
let registry: Registry | undefined

afterEach(async () => {
  await registry?.close()
  await server?.stop()
})

it.each(REFUSALS)('says why it reads nothing: $name', async ({ args, user, says }) => {
  const warnings: string[] = []
  const log = { info: () => {}, warn: (facts: object) => void warnings.push(JSON.stringify(facts)) }
  server = await startRedisServer({ args })
  registry = openMirror(`redis://${user}127.0.0.1:${server.port}`, { log })
  await waitUntil(() => warnings.some((warning) => warning.includes(says)), 'the warning')
  expect(registry.status).toMatchObject({ ready: false, store: { detail: expect.stringContaining(says) } })
  expect(warnings.join()).not.toContain('sesam')
})

describe('a value in Redis that is no document', () => {
  let attacked: AttackedByRedis
  beforeAll(async () => {
    attacked = await startAttackedByRedis()
  })
  afterAll(async () => {
    expect(await attacked.stop()).toBe(0)
  })

  it.each(someOf(REDIS_VALUES))('is told of, and the last good one is served: $name', async (row) => {
    const busy = await leastBusy(async () => {
      await attacked.mend()
      const document = await attacked.write(row)
      expect(mistakeOfDocument(row, document)).toBeUndefined()
      return document
    })
    expect(busy).toBeLessThan(LOOP_BOUND_MS)
  })
})
