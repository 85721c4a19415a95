import { Redis } from 'ioredis'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { parseRedisUrl } from '../../../src/redis/redis-url.js'
import { createStateClient } from '../../../src/redis/writing/state-clients.js'
import { startRedisSentinel } from '../../support/redis-topologies.js'
import { waitUntil } from '../../support/wait-until.js'

const warnings: Error[] = []
const note = (warning: Error) => void warnings.push(warning)
afterEach(() => void process.off('warning', note))

it('leaves a master that became a replica once, however many writes it refuses', async () => {
  process.on('warning', note)
  const servers = await startRedisSentinel()
  onTestFinished(() => servers.stop())
  const admin = new Redis(servers.master.url)
  onTestFinished(() => admin.disconnect())
  const client = createStateClient(parseRedisUrl(servers.url))
  onTestFinished(() => client.disconnect())
  await client.connect()
  await admin.replicaof('127.0.0.1', String(servers.replica.port))
  const writes = Array.from({ length: 50 }, (_, index) => client.set(`key${index}`, 'x'))
  const refused = await Promise.allSettled(writes)
  expect(refused.filter(({ status }) => status === 'rejected')).toHaveLength(50)
  expect(warnings.map(({ name }) => name)).toEqual([])
  await admin.replicaof('NO', 'ONE')
  await waitUntil(() => client.set('later', 'x').then(Boolean, () => false), 'a master')
  await admin.replicaof('127.0.0.1', String(servers.replica.port))
  await expect(client.set('key', 'x')).rejects.toThrow('READONLY')
  await admin.replicaof('NO', 'ONE')
  await waitUntil(() => client.set('later', 'x').then(Boolean, () => false), 'a master again')
})
