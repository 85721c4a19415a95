import { Redis } from 'ioredis'
import { expect, inject, it } from 'vitest'
import { STATE_BACKENDS } from '../../support/state-backends.js'
import { describeState } from './state-suite.js'

describeState('memory')
describeState('Redis')

it('state in Redis is written by a server that has lost its scripts', async () => {
  const backend = await STATE_BACKENDS.Redis()
  const store = await backend.open()
  const redis = new Redis(inject('redisUrl'))
  const head = { a: 1 }
  await store.create({ kind: 'session', id: 'scripts', owner: '-', token: 't', head })
  await store.read({ kind: 'session', id: 'scripts' })
  await redis.script('FLUSH')
  expect((await store.read({ kind: 'session', id: 'scripts' })).head).toEqual(head)
  redis.disconnect()
  await backend.stop()
})
