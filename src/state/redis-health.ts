import type { Cluster, Redis } from 'ioredis'
import type { RedisConnection } from './redis-connection.js'
import { ScriptCall } from './script-call.js'
import type { StateStatus } from './state-store.js'

/** The part of the status that has to be asked for. */
type Found = Pick<StateStatus, 'writable' | 'reason' | 'warning'>

/** The only policy under which nothing is thrown away that did not expire. */
const SAFE_POLICY = 'noeviction'

/** Finds out whether state may be written, and whether it would stay. Never rejects. */
export async function probeRedis(connection: RedisConnection, key: string): Promise<Found> {
  try {
    await connection.run('probe', [key], new ScriptCall())
  } catch (error) {
    return { writable: false, reason: error instanceof Error ? error.message : String(error) }
  }
  const policy = await evictionPolicy(connection.client)
  if (policy === undefined || policy === SAFE_POLICY) return { writable: true }
  return {
    writable: true,
    warning: `maxmemory-policy is ${policy}: under memory pressure Redis drops state; set ${SAFE_POLICY}`,
  }
}

/** What the server does when its memory is full; of a cluster, the first policy that is not the safe one. Undefined: it does not say. */
async function evictionPolicy(client: Redis | Cluster): Promise<string | undefined> {
  const nodes = 'nodes' in client ? client.nodes('master') : [client]
  const policies = await Promise.all(nodes.map((node) => policyOf(node)))
  return policies.find((policy) => policy !== undefined && policy !== SAFE_POLICY) ?? policies[0]
}

/** INFO has it, too, without the right to read the configuration. Without either right it is unknown. */
async function policyOf(node: Redis): Promise<string | undefined> {
  const reply = await node.info('memory').catch(() => '')
  return /^maxmemory_policy:(\S+)/m.exec(reply)?.[1]
}
