import { Redis } from 'ioredis'
import { describe, expect, inject, it } from 'vitest'
import { startRedisServer } from '../../support/redis-server.js'

describe('redis for tests', () => {
  it('is provided to every test', async () => {
    const redis = new Redis(inject('redisUrl'))
    expect(await redis.ping()).toBe('PONG')
    redis.disconnect()
  })

  it('starts an own server with arguments, kills it and starts it again on its port', async () => {
    const first = await startRedisServer({ args: ['--requirepass', 'secret'] })
    await first.kill()
    const second = await startRedisServer({ port: first.port, args: ['--requirepass', 'secret'] })
    const redis = new Redis(second.url, { password: 'secret' })
    expect(await redis.ping()).toBe('PONG')
    redis.disconnect()
    await Promise.all([first.stop(), second.stop()])
  })
})
