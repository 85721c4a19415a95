import type { Config } from '../../config.js'
import { openState } from '../../open-state.js'
import type { StateStatus } from '../../state/state-store.js'
import { documentAt } from '../../util/packages/version.js'
import { silentLogger } from '../../util/telemetry/logger.js'
import type { Finding } from './finding.js'

/** Whether sessions and tasks may be written, and whether they stay. @throws ConfigError */
export async function checkState(config: Config): Promise<Finding> {
  const state = await openState(config, silentLogger())
  try {
    await state.open()
    return toFinding(state.status)
  } finally {
    await state.close()
  }
}

function toFinding({ kind, location, writable, reason = '', warning }: StateStatus): Finding {
  const check = 'state'
  if (kind === 'memory') {
    const message = 'in memory: sessions and tasks end with their process, and no other one sees them'
    return { check, status: 'note', message, advice: 'set STATE_URL for more than one process' }
  }
  if (!writable) {
    const advice = `check the url and the rights of its user (${documentAt('reference/redis.md')})`
    return { check, status: 'fix', message: `${location} may not be written: ${reason}`, advice }
  }
  if (warning !== undefined) {
    const advice =
      'CONFIG SET maxmemory-policy noeviction: sessions and the queue of tasks must not be dropped'
    return { check, status: 'fix', message: `${location}: ${warning}`, advice }
  }
  return { check, status: 'ok', message: `${location} may be written` }
}
