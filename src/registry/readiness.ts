import type { RegistryStatus } from './registry.js'

/** Whether a catalog serves: not before its first load; `degraded` while the last good data serves without the store. */
export type Readiness = 'not_ready' | 'degraded' | 'ready'

/** Derives readiness from the state of the mirror. */
export function readinessOf({ ready, stale }: Pick<RegistryStatus, 'ready' | 'stale'>): Readiness {
  if (!ready) return 'not_ready'
  return stale ? 'degraded' : 'ready'
}
