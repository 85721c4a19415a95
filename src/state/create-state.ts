import { createMemoryState, type MemoryStateOptions } from './memory-state.js'
import { createRedisState, type RedisStateOptions } from './redis-state.js'
import type { StateStore } from './state-store.js'

export interface StateOptions
  extends Omit<RedisStateOptions, 'url'>,
    Pick<MemoryStateOptions, 'clock' | 'maxIdle' | 'refusal'> {
  /** Without one, state is kept in memory. */
  readonly url?: string | undefined
}

/**
 * Makes the store of sessions and tasks; `open` it before use.
 *
 * @throws RedisUrlError
 */
export function createState({ url, ...options }: StateOptions): StateStore {
  return url === undefined ? createMemoryState(options) : createRedisState({ ...options, url })
}
