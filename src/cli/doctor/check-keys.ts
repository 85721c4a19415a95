import type { Config } from '../../config.js'
import { isLoopback } from '../../http/doors/is-loopback.js'
import type { OpenKeys } from '../../open-keys.js'
import type { Finding } from './finding.js'

/** Who may call. */
export function checkKeys({ host, apiKeys, keysFile }: Config, keys: OpenKeys | undefined): Finding {
  if (keys === undefined) return unguarded(host)
  const named = keysFile === undefined ? [] : [`${keys.status()?.keys ?? 0} of ${keysFile}`]
  const whole = apiKeys.length === 0 ? [] : [`${apiKeys.length} of API_KEYS, which may do everything`]
  return { check: 'keys', status: 'ok', message: [...whole, ...named].join(', ') }
}

function unguarded(host: string): Finding {
  const message = `none: everybody who reaches ${host} may do everything`
  if (isLoopback(host)) return { check: 'keys', status: 'note', message }
  return { check: 'keys', status: 'fix', message, advice: 'set API_KEYS or KEYS_FILE' }
}
