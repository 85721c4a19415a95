import type { Config } from '../../config.js'
import { parseRedisUrl } from '../../redis/redis-url.js'
import type { RegistryStatus } from '../../registry/registry.js'
import { documentAt } from '../../util/packages/version.js'
import type { Finding } from './finding.js'

const RIGHTS = `give its user &__redis__:invalidate +client|id +client|tracking +subscribe (${documentAt('reference/redis.md')}); until then changes are found by reading everything again`

/** Where the catalog comes from, and how its changes are noticed. */
export function checkStore({ redisUrl }: Config, { store, sync }: RegistryStatus): Finding {
  const topology = redisUrl === undefined ? '' : `${parseRedisUrl(redisUrl).topology} `
  const place = `${topology}${store.kind} ${store.location}`
  const found = `${sync.documents} documents in ${Math.round(sync.lastLoadMs)} ms`
  if (store.kind !== 'redis' || store.mode !== 'polling')
    return { check: 'catalog store', status: 'ok', message: `${place}: ${found}, changes by ${store.mode}` }
  const message = `${place}: ${found}, but Redis may not report changes (mode polling)`
  return { check: 'catalog store', status: 'fix', message, advice: RIGHTS }
}

/** A catalog that could not be read. */
export function unreadableStore(reason: string): Finding {
  return {
    check: 'catalog store',
    status: 'fix',
    message: reason,
    advice: `check the url, its password, the network and the rights of its user (${documentAt('reference/redis.md')})`,
  }
}
