import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { foldTurn } from '../support/fold-turn.js'
import { startLaggingReplica } from '../support/lagging-replica.js'
import { startRedisCluster, startRedisSentinel } from '../support/redis-topologies.js'
import { type EventReader, type Replicas, readEvents, startReplicas } from '../support/replicas.js'
import { replicated } from '../support/replicated.js'
import { openTcpProxy } from '../support/tcp-proxy.js'
import { waitUntil } from '../support/wait-until.js'

const WORDS = Array.from({ length: 500 }, (_, index) => `w${index} `).join('')
const act = { name: 'act', execute: () => 'done' }
/** Two calls, then a text of some seconds. */
const REPLIES = [
  { toolCalls: [1, 2].map((n) => ({ id: `c${n}`, name: 'act', arguments: { n } })) },
  { text: WORDS, paceMs: 8 },
]

async function start(url: string, leaseMs: number, replies: typeof REPLIES = REPLIES): Promise<Replicas> {
  const replicas = await startReplicas({
    state: 'Redis',
    replies,
    leaseMs,
    agents: new Map([['helper', { tools: [act] }]]),
    environment: { STATE_URL: url, KEY_PREFIX: `top-${Math.random().toString(36).slice(2)}` },
  })
  onTestFinished(() => replicas.close())
  return replicas
}

/** A turn that is read where it runs, and followed on the other replica. */
async function turn({ first, second }: Replicas, id?: string) {
  const session = id ?? (await first.ask('POST', '/sessions', { agent: 'helper' })).body.id
  const path = `/sessions/${session}/turns`
  const live = await readEvents(first.url, path, { body: { input: 'go', stream: true } })
  const { data } = await live.event('turn.started')
  const follower = await readEvents(second.url, `${path}/${data.turn}/events`)
  await follower.event('text.delta')
  return { session, path: `${path}/${data.turn}`, live, follower }
}

const idsOf = ({ events }: EventReader) => events.map(({ id }) => id)

/** Both readers got every event once, and the answer is whole. */
async function expectWhole(replicas: Replicas, run: Awaited<ReturnType<typeof turn>>): Promise<void> {
  await Promise.all([run.live.ended, run.follower.ended])
  const epoch = run.live.events[0]?.id?.split('-')[0]
  expect(idsOf(run.live)).toEqual(run.live.events.map((_, index) => `${epoch}-${index + 1}`))
  expect(run.follower.events).toEqual(run.live.events)
  expect(run.live.events.at(-1)?.name).toBe('turn.completed')
  const { body } = await replicas.second.ask('GET', run.path)
  expect(body).toMatchObject({ status: 'completed', tool_calls: 2, message: { content: WORDS } })
}

describe('a turn over HTTP', () => {
  it('outlives a master that freezes: nothing is lost or told twice', async () => {
    const servers = await startRedisSentinel()
    onTestFinished(() => servers.stop())
    const admin = new Redis(servers.master.url)
    admin.on('error', () => {})
    onTestFinished(() => admin.disconnect())
    const replicas = await start(servers.url, 60_000)
    const run = await turn(replicas)
    await replicated(admin)
    servers.master.pause()
    onTestFinished(() => servers.master.resume())
    await expectWhole(replicas, run)
  }, 120_000)

  it('continues when a failover loses its confirmed commits, and takes back what was shown', async () => {
    const servers = await startLaggingReplica()
    onTestFinished(() => servers.stop())
    const calling = REPLIES[0] as (typeof REPLIES)[0]
    const slow = { ...REPLIES[1], text: WORDS, paceMs: 8 }
    const replicas = await start(servers.url, 3_000, [slow, slow, calling, slow] as typeof REPLIES)
    const run = await turn(replicas)
    await servers.detach()
    const missed = run.live.events.length
    await waitUntil(() => run.live.events.length > missed + 5, 'events that the replica misses')
    await servers.failOver()
    await run.live.ended
    await run.follower.ended
    expect(run.follower.events.at(-1)).toMatchObject({
      name: 'turn.completed',
      data: { result: { message: { content: WORDS } } },
    })
    expect(foldTurn(run.follower.events)).toMatchObject({ text: WORDS, began: 1 })
    // What was lost is named, never told again under another id.
    expect(run.follower.events.filter(({ name }) => name === 'gap')).toHaveLength(1)
    const ids = idsOf(run.follower).filter((id) => id !== undefined)
    expect(new Set(ids).size).toBe(ids.length)
    const path = `/sessions/${run.session}`
    await waitUntil(
      async () => (await replicas.second.ask('GET', path)).body.status === 'idle',
      'idle',
      20_000,
    )
    const { body } = await replicas.second.ask('POST', `${path}/turns`, { input: 'again' })
    expect(body).toMatchObject({ turn: 2, status: 'completed' })
  }, 120_000)

  it('goes on while the slot of its session moves to another node', async () => {
    const cluster = await startRedisCluster()
    onTestFinished(() => cluster.stop())
    for (let node = 0; node < 3; node += 1)
      await cluster.client(node).config('SET', 'cluster-require-full-coverage', 'no')
    const replicas = await start(cluster.url, 20_000)
    const run = await turn(replicas)
    const slot = Number(await cluster.client(0).cluster('KEYSLOT', `{${run.session}}`))
    const from = [0, 1, 2].find((node) => slot < Math.floor((16_384 * (node + 1)) / 3)) as number
    await cluster.moveSlot(slot, from, (from + 1) % 3)
    await expectWhole(replicas, run)
  }, 120_000)

  it('is followed to its end although the node that tells of events is frozen', async () => {
    const cluster = await startRedisCluster()
    onTestFinished(() => cluster.stop())
    for (let node = 0; node < 3; node += 1)
      await cluster.client(node).config('SET', 'cluster-require-full-coverage', 'no')
    const replicas = await start(cluster.url, 20_000)
    const listing = [0, 1, 2].map((node) => cluster.client(node).call('CLIENT', 'LIST', 'TYPE', 'PUBSUB'))
    const frozen = (await Promise.all(listing)).findIndex((list) =>
      String(list).includes('ai-prompt-shell-push'),
    )
    expect(frozen).not.toBe(-1)
    let session = ''
    const isThere = async () => {
      const slot = Number(await cluster.client(0).cluster('KEYSLOT', `{${session}}`))
      return [0, 1, 2].find((node) => slot < Math.floor((16_384 * (node + 1)) / 3)) === frozen
    }
    do session = (await replicas.first.ask('POST', '/sessions', { agent: 'helper' })).body.id
    while (await isThere())
    const run = await turn(replicas, session)
    const server = cluster.nodes[frozen]
    server?.pause()
    onTestFinished(() => server?.resume())
    await expectWhole(replicas, run)
  }, 120_000)

  it('is refused soon while the node of its session is dead, and others go on', async () => {
    const cluster = await startRedisCluster()
    onTestFinished(() => cluster.stop())
    for (let node = 0; node < 3; node += 1)
      await cluster.client(node).config('SET', 'cluster-require-full-coverage', 'no')
    const replicas = await start(cluster.url, 20_000, ['done'] as unknown as typeof REPLIES)
    const { first } = replicas
    const byNode = new Map<number, string>()
    while (byNode.size < 3) {
      const { id } = (await first.ask('POST', '/sessions', { agent: 'helper' })).body
      const slot = Number(await cluster.client(0).cluster('KEYSLOT', `{${id}}`))
      byNode.set(
        [0, 1, 2].findIndex((node) => slot < Math.floor((16_384 * (node + 1)) / 3)),
        id,
      )
    }
    await cluster.nodes[1]?.kill()
    const ask = (node: number) => first.ask('POST', `/sessions/${byNode.get(node)}/turns`, { input: 'go' })
    // Far longer than the two seconds that the service is patient, far shorter than a cluster's client.
    const answers = Promise.all([ask(0), ask(1), ask(2)])
    const late = sleep(9_000).then(() => Promise.reject(new Error('nobody answered')))
    const codes = (await Promise.race([answers, late])).map(({ status, body }) => body.error?.code ?? status)
    expect(codes).toEqual([200, 'state_unavailable', 200])
  }, 120_000)

  it('is done once although any reply of Redis is lost', async () => {
    const proxy = await openTcpProxy(Number(new URL(inject('redisUrl')).port))
    onTestFinished(() => proxy.close())
    const short = [REPLIES[0], 'done'] as unknown as typeof REPLIES
    const rounds = Array.from({ length: 20 }, () => short).flat() as typeof REPLIES
    const replicas = await start(proxy.url, 10_000, rounds)
    proxy.swallowReply()
    const { body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
    for (let number = 1; number <= 20; number += 1) {
      const asked = replicas.first.ask('POST', `/sessions/${body.id}/turns`, { input: `turn ${number}` })
      // One after another of the replies that a turn waits for.
      for (let lost = 0; lost <= number % 4; lost += 1) {
        proxy.swallowReply()
        await new Promise((resolve) => setTimeout(resolve, 15))
      }
      expect((await asked).body).toMatchObject({ turn: number, status: 'completed', tool_calls: 2 })
    }
    const { items } = (await replicas.second.ask('GET', `/sessions/${body.id}/messages?limit=1000`)).body
    const roles = items.map(({ message }: { message: { role: string } }) => message.role)
    expect(roles).toEqual(
      Array.from({ length: 20 }, () => ['user', 'assistant', 'tool', 'tool', 'assistant']).flat(),
    )
  }, 120_000)
})
