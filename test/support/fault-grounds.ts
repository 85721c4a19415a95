import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { startRedisCluster, startRedisSentinel } from './redis-topologies.js'
import { openTcpProxy } from './tcp-proxy.js'
import { waitUntil } from './wait-until.js'

/** What is done to the Redis of a session; it loses nothing that was confirmed. Resolves when it is over. */
type Strike = (session: string) => Promise<void>

/** A Redis of some topology and what goes wrong with it. The caller closes it. */
export interface FaultGround {
  readonly url: string
  readonly strikes: Readonly<Record<string, Strike>>
  /** The strikes that may last longer than a lease. */
  readonly long: readonly string[]
  close(): Promise<void>
}

/** Longer than an answer takes, shorter than anybody takes for the end of a server. */
const FREEZE_MS = 200
/** Writes wait while a replica gets what it has not, and becomes the master. */
const HANDOVER_MS = 60_000
const NODES = 3
const SLOTS = 16_384

export type GroundName = keyof typeof GROUNDS

/** Opens a ground; `redisUrl` is the server that the run has. */
export const GROUNDS = {
  'one server': openOneServer,
  Sentinel: openSentinel,
  Cluster: openCluster,
} as const satisfies Record<string, (redisUrl: string) => Promise<FaultGround>>

async function openOneServer(redisUrl: string): Promise<FaultGround> {
  const proxy = await openTcpProxy(Number(new URL(redisUrl).port))
  return {
    url: proxy.url,
    long: ['freeze'],
    strikes: {
      swallow: async () => proxy.swallowReply(),
      disconnect: async () => proxy.cut(),
      // What was frozen is given up after longer than a lease.
      async freeze() {
        proxy.freeze()
        await sleep(FREEZE_MS)
        proxy.restore()
      },
    },
    close: () => proxy.close(),
  }
}

async function openSentinel(): Promise<FaultGround> {
  // On a busy machine a pause may last: what the sentinel does about it by itself may lose writes.
  const servers = await startRedisSentinel(30_000)
  const nodes = [servers.master, servers.replica]
  const clients = nodes.map(({ url }) => new Redis(url))
  const sentinel = new Redis(servers.sentinelUrl)
  for (const client of [...clients, sentinel]) client.on('error', () => {})
  const masterIndex = async () => {
    const address = (await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')) as string[]
    return nodes.findIndex(({ port }) => String(port) === address[1])
  }
  // Refused while the sentinel is busy with its last failover, or has not heard from a replica that was frozen.
  const isAccepted = () =>
    sentinel.call('SENTINEL', 'FAILOVER', 'mymaster').then(
      () => true,
      () => false,
    )
  return {
    url: servers.url,
    long: ['disconnect', 'freeze', 'handover'],
    strikes: {
      async disconnect() {
        await clients[await masterIndex()]?.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      },
      async freeze() {
        const master = nodes[await masterIndex()]
        master?.pause()
        await sleep(FREEZE_MS)
        master?.resume()
      },
      async handover() {
        const old = await masterIndex()
        const [master, replica] = [clients[old], clients[1 - old]] as [Redis, Redis]
        const isLinked = async () => (await replica.info('replication')).includes('master_link_status:up')
        await waitUntil(isLinked, 'the replica')
        await master.call('CLIENT', 'PAUSE', String(HANDOVER_MS), 'WRITE')
        await waitUntil(async () => hasEverything(await master.info('replication')), 'what was confirmed')
        const isHandedOver = async () => (await masterIndex()) === 1 - old
        await waitUntil(isAccepted, 'the sentinel')
        await waitUntil(isHandedOver, 'the new master')
        // As the sentinel does it when it looks the next time: until then the old one would still take writes.
        await master.replicaof('127.0.0.1', nodes[1 - old]?.port ?? 0)
        await master.call('CLIENT', 'UNPAUSE')
        await master.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      },
    },
    async close() {
      for (const client of [...clients, sentinel]) client.disconnect()
      await servers.stop()
    },
  }
}

/** Whether the one replica of a master has all that was written, by its `INFO replication`. */
function hasEverything(info: string): boolean {
  const written = /^master_repl_offset:(\d+)/m.exec(info)?.[1]
  const received = /^slave0:.*offset=(\d+)/m.exec(info)?.[1]
  return written !== undefined && written === received
}

async function openCluster(): Promise<FaultGround> {
  const cluster = await startRedisCluster(NODES)
  const moved = new Map<number, number>()
  const placeOf = async (session: string) => {
    const slot = Number(await cluster.client(0).cluster('KEYSLOT', `{${session}}`))
    const first = Array.from({ length: NODES }, (_, node) => node).find(
      (node) => slot < Math.floor((SLOTS * (node + 1)) / NODES),
    )
    return { slot, node: moved.get(slot) ?? first ?? 0 }
  }
  return {
    url: cluster.url,
    long: ['disconnect', 'freeze', 'move'],
    strikes: {
      async disconnect() {
        for (let node = 0; node < NODES; node += 1)
          await cluster.client(node).call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      },
      async freeze(session) {
        const { node } = await placeOf(session)
        cluster.nodes[node]?.pause()
        await sleep(FREEZE_MS)
        cluster.nodes[node]?.resume()
      },
      async move(session) {
        const { slot, node } = await placeOf(session)
        moved.set(slot, (node + 1) % NODES)
        await cluster.moveSlot(slot, node, (node + 1) % NODES)
      },
    },
    close: () => cluster.stop(),
  }
}
