import type { Config } from '../../config.js'
import { parseRedisUrl } from '../../redis/redis-url.js'
import { missingQueueRights } from '../../tasks/engine/missing-queue-rights.js'
import { queuePrefix } from '../../tasks/engine/open-queue.js'
import { documentAt } from '../../util/packages/version.js'
import type { Finding } from './finding.js'
import { withRedisServer } from './with-redis-server.js'

/**
 * Whether tasks can be queued; nothing if they need no Redis, or if it is unreachable, which the check of the state
 * reports.
 */
export async function checkQueue({ stateUrl, redisUrl, keyPrefix }: Config): Promise<readonly Finding[]> {
  const url = stateUrl ?? redisUrl
  if (url === undefined) return []
  const target = parseRedisUrl(url)
  const prefix = queuePrefix({ url, keyPrefix })
  try {
    const rules = await withRedisServer(target, (server) => missingQueueRights(server, prefix))
    return [toFinding(`${target.location}, keys ${prefix}:*`, target.username ?? 'default', rules)]
  } catch {
    return []
  }
}

function toFinding(place: string, user: string, rules: readonly string[]): Finding {
  const check = 'task queue'
  if (rules.length === 0) return { check, status: 'ok', message: `${place} may be used` }
  const message = `${place}: its user may not do all that tasks need`
  const advice = `ACL SETUSER ${user} ${rules.join(' ')} (${documentAt('reference/redis.md')})`
  return { check, status: 'fix', message, advice }
}
