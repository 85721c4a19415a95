import { expect, inject, it } from 'vitest'
import { REDIS_TIMINGS } from '../../../src/redis/redis-timings.js'
import { parseRedisUrl } from '../../../src/redis/redis-url.js'
import { createSingleAccess } from '../../../src/store/redis-access.js'
import { QUICK } from '../../support/redis-mirror.js'
import { waitUntil } from '../../support/wait-until.js'

const timings = { ...REDIS_TIMINGS, ...QUICK }

it('connects again after a client that ended for good, and not after it was closed', async () => {
  let readies = 0
  const events = {
    onReady: () => {
      readies += 1
    },
    onLost: () => {},
    onNodes: () => {},
  }
  const access = createSingleAccess(parseRedisUrl(inject('redisUrl')), timings, events)
  await access.open()
  await waitUntil(() => access.connected)
  const [node] = access.nodes()
  for (const expected of [2, 3]) {
    // What a failover during a connect comes to: `end`, without another attempt.
    node?.client.disconnect()
    await waitUntil(() => readies === expected && access.connected, 'the connection after the end')
  }
  access.close()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect([access.connected, readies]).toEqual([false, 3])
})
