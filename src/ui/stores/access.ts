import { signal } from '@preact/signals'
import type { ApiClient } from '../api/client.js'
import type { KeyScope } from '../api/shapes.js'

/** What the key may do: the page offers nothing else. */
export interface Access {
  /** Whether the key has the scope, or that is not known yet. Components that call it render again when the key changes. */
  may(scope: KeyScope): boolean
  /** True once the service said what the key may do. */
  isKnown(): boolean
  /** Asks the service. @throws ApiError */
  load(): Promise<void>
}

/** Knows nothing, and forbids nothing, until it is loaded. */
export function createAccess(api: ApiClient): Access {
  const scopes = signal<ReadonlySet<KeyScope> | undefined>(undefined)
  return {
    may: (scope) => scopes.value?.has(scope) ?? true,
    isKnown: () => scopes.value !== undefined,
    async load() {
      const me = await api.me()
      scopes.value = new Set(me.scopes)
    },
  }
}
