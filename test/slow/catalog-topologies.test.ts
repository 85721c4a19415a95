import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readyMirror } from '../support/redis-mirror.js'
import { clusterWithWriter, startRedisSentinel } from '../support/redis-topologies.js'
import { waitUntil } from '../support/wait-until.js'

describe('a cluster', () => {
  it('is followed when slots move, also to a master that is new', async () => {
    const { cluster, writer } = await clusterWithWriter()
    await writer.set('shenma:environs:{tag}:a', '1')
    await writer.set('shenma:environs:{tag}:b', '2')
    const registry = await readyMirror(cluster.url)
    await waitUntil(() => registry.status.store.mode === 'tracking', 'tracking')
    const slot = Number(await cluster.client(0).cluster('KEYSLOT', 'tag'))
    const owner = cluster.nodes.findIndex((_, index) => slot < Math.floor((16_384 * (index + 1)) / 3))
    await cluster.moveSlot(slot, owner, (owner + 1) % 3)
    const valueAt = (id: string) => registry.current.environs.get(id)?.value
    await writer.set('shenma:environs:{tag}:a', '3')
    await waitUntil(() => valueAt('{tag}.a') === 3 && valueAt('{tag}.b') === 2, 'the moved slot')
    const added = await cluster.addNode()
    await cluster.moveSlot(slot, (owner + 1) % 3, added)
    await writer.set('shenma:environs:{tag}:a', '4')
    await waitUntil(() => valueAt('{tag}.a') === 4 && valueAt('{tag}.b') === 2, 'the new master')
    await waitUntil(() => registry.status.store.mode === 'tracking', 'tracking everywhere')
    await writer.set('shenma:environs:{tag}:b', '5')
    await waitUntil(() => valueAt('{tag}.b') === 5, 'a change on the new master')
  })

  it('keeps serving while a master is down', async () => {
    const { cluster, writer } = await clusterWithWriter()
    for (let index = 0; index < 30; index += 1) await writer.set(`shenma:environs:k${index}`, '1')
    const registry = await readyMirror(cluster.url)
    await cluster.nodes[1]?.kill()
    await waitUntil(() => registry.status.stale || registry.status.store.mode === 'polling', 'the loss')
    expect(registry.current.environs.size).toBe(30)
  })
})

describe('sentinel', () => {
  it('leads to the new master after a failover', async () => {
    const sentinel = await startRedisSentinel()
    onTestFinished(() => sentinel.stop())
    const before = new Redis(sentinel.master.url)
    before.on('error', () => {})
    onTestFinished(() => before.disconnect())
    await before.set('shenma:environs:a', '1')
    await before.wait(1, 1000)
    const registry = await readyMirror(sentinel.url)
    expect(registry.status.store).toMatchObject({ connected: true, mode: 'tracking' })
    await before.set('shenma:environs:a', '2')
    await waitUntil(() => registry.current.context['a'] === 2, 'a change on the first master')
    await before.wait(1, 1000)
    await sentinel.master.kill()
    const after = new Redis(sentinel.replica.url)
    onTestFinished(() => after.disconnect())
    await waitUntil(
      async () => (await after.info('replication')).includes('role:master'),
      'the failover',
      15_000,
    )
    await after.set('shenma:environs:a', '3')
    await waitUntil(
      () => registry.current.context['a'] === 3 && !registry.status.stale,
      'the new master',
      15_000,
    )
    await waitUntil(() => registry.status.store.mode === 'tracking', 'tracking there')
    await after.set('shenma:environs:a', '4')
    await waitUntil(() => registry.current.context['a'] === 4, 'a change on the new master')
  }, 40_000)
})
