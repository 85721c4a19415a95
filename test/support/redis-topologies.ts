import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cluster, Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { freePort } from './free-port.js'
import { type RedisServer, startRedisServer } from './redis-server.js'
import { waitUntil } from './wait-until.js'

const SLOTS = 16_384

export interface RedisClusterServers {
  readonly url: string
  readonly nodes: readonly RedisServer[]
  /** A connection to one node, not to the cluster. */
  client(node: number): Redis
  /** Moves a slot with all its keys from one node to another, the way redis-cli does. */
  moveSlot(slot: number, from: number, to: number): Promise<void>
  /** Joins a further, empty master. Returns its index. */
  addNode(): Promise<number>
  stop(): Promise<void>
}

/** A cluster with a client that writes to it, until the test is over. */
export async function clusterWithWriter(): Promise<{ cluster: RedisClusterServers; writer: Cluster }> {
  const cluster = await startRedisCluster()
  onTestFinished(() => cluster.stop())
  const writer = new Cluster(cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port })))
  writer.on('error', () => {})
  writer.on('node error', () => {})
  onTestFinished(() => writer.disconnect())
  return { cluster, writer }
}

/** Starts a cluster of masters that share the slots evenly. */
export async function startRedisCluster(size = 3): Promise<RedisClusterServers> {
  const nodes: RedisServer[] = []
  const clients: Redis[] = []
  const start = async () => {
    const busPort = String(await freePort())
    const args = ['--cluster-enabled', 'yes', '--cluster-port', busPort, '--cluster-node-timeout', '2000']
    const node = await startRedisServer({ args })
    nodes.push(node)
    // A node that a test ends is not reached any more.
    clients.push(new Redis(node.url).on('error', () => {}))
    return { node, busPort, index: nodes.length - 1 }
  }
  const client = (node: number) => clients[node] as Redis
  const agree = () =>
    waitUntil(async () => {
      const states = await Promise.all(clients.map((each) => each.call('CLUSTER', 'INFO')))
      return states.every(
        (state) =>
          String(state).includes('cluster_state:ok') &&
          String(state).includes(`cluster_known_nodes:${nodes.length}`),
      )
    }, 'the cluster')

  const started = []
  for (let index = 0; index < size; index += 1) started.push(await start())
  for (const { index } of started) {
    const from = Math.floor((SLOTS * index) / size)
    const to = Math.floor((SLOTS * (index + 1)) / size) - 1
    await client(index).call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to))
    await client(index).call('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
  }
  for (const { node, busPort } of started.slice(1))
    await client(0).call('CLUSTER', 'MEET', '127.0.0.1', String(node.port), busPort)
  await agree()

  return {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    client,
    async moveSlot(slot, from, to) {
      const [source, target] = [client(from), client(to)]
      const [sourceId, targetId] = await Promise.all([source.cluster('MYID'), target.cluster('MYID')])
      await target.call('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', sourceId)
      await source.call('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', targetId)
      const keys = (await source.call('CLUSTER', 'GETKEYSINSLOT', String(slot), '1000')) as string[]
      const port = String((nodes[to] as RedisServer).port)
      if (keys.length > 0) await source.call('MIGRATE', '127.0.0.1', port, '', '0', '5000', 'KEYS', ...keys)
      await target.call('CLUSTER', 'SETSLOT', String(slot), 'NODE', targetId)
      await source.call('CLUSTER', 'SETSLOT', String(slot), 'NODE', targetId)
    },
    async addNode() {
      const { node, busPort, index } = await start()
      await client(0).call('CLUSTER', 'MEET', '127.0.0.1', String(node.port), busPort)
      await agree()
      return index
    },
    async stop() {
      for (const each of clients) each.disconnect()
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}

export interface SentinelServers {
  readonly url: string
  /** Of the sentinel itself. */
  readonly sentinelUrl: string
  readonly master: RedisServer
  readonly replica: RedisServer
  stop(): Promise<void>
}

/**
 * Starts a master, a replica of it and a sentinel that watches them.
 *
 * @param downAfterMs how long a master is silent before the sentinel takes the other one
 */
export async function startRedisSentinel(downAfterMs = 300): Promise<SentinelServers> {
  const master = await startRedisServer()
  const replica = await startRedisServer({ args: ['--replicaof', '127.0.0.1', String(master.port)] })
  const directory = mkdtempSync(join(tmpdir(), 'aps-sentinel-'))
  const configFile = join(directory, 'sentinel.conf')
  writeFileSync(
    configFile,
    [
      `sentinel monitor mymaster 127.0.0.1 ${master.port} 1`,
      `sentinel down-after-milliseconds mymaster ${downAfterMs}`,
      'sentinel failover-timeout mymaster 2000',
      '',
    ].join('\n'),
  )
  const sentinel = await startRedisServer({ sentinel: true, configFile })
  const client = new Redis(sentinel.url)
  await waitUntil(
    async () => ((await client.call('SENTINEL', 'REPLICAS', 'mymaster')) as unknown[]).length === 1,
    'sentinel',
  )
  const replicaClient = new Redis(replica.url)
  await waitUntil(
    async () => (await replicaClient.info('replication')).includes('master_link_status:up'),
    'replica',
  )
  client.disconnect()
  replicaClient.disconnect()
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel.port}/mymaster`,
    sentinelUrl: sentinel.url,
    master,
    replica,
    async stop() {
      await Promise.all([sentinel.stop(), master.stop(), replica.stop()])
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
