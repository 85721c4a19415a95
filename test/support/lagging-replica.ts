import { Redis } from 'ioredis'
import { startRedisServer } from './redis-server.js'
import { replicated } from './replicated.js'
import { openTcpProxy } from './tcp-proxy.js'
import { waitUntil } from './wait-until.js'

/** A master and a replica behind one address, which loses at a failover what the replica did not get. */
export interface LaggingReplica {
  readonly url: string
  /** From now on the replica misses everything. */
  detach(): Promise<void>
  /** Ends the master; the address is the replica's. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

/** Starts both servers, linked. The caller stops them. */
export async function startLaggingReplica(): Promise<LaggingReplica> {
  const master = await startRedisServer()
  const replica = await startRedisServer({ args: ['--replicaof', '127.0.0.1', String(master.port)] })
  const proxy = await openTcpProxy(master.port)
  const [onMaster, onReplica] = [new Redis(master.url), new Redis(replica.url)]
  onMaster.on('error', () => {})
  const isLinked = async () => (await onReplica.info('replication')).includes('master_link_status:up')
  await waitUntil(isLinked, 'the link')
  return {
    url: proxy.url,
    async detach() {
      await replicated(onMaster)
      await onReplica.replicaof('NO', 'ONE')
    },
    async failOver() {
      await master.kill()
      proxy.retarget(replica.port)
    },
    async stop() {
      onMaster.disconnect()
      onReplica.disconnect()
      await Promise.all([master.stop(), replica.stop(), proxy.close()])
    },
  }
}
