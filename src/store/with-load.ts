import type { Store } from './store.js'

/** A store that is loaded in another way, and is otherwise as it was. */
export function withLoad(store: Store, load: Store['load']): Store {
  return {
    kind: store.kind,
    location: store.location,
    load,
    get: (addresses, options) => store.get(addresses, options),
    watch: (listener) => store.watch(listener),
    health: () => store.health(),
    ...(store.history && {
      history: (name: string, limit: number) => store.history?.(name, limit) ?? NO_HISTORY,
    }),
    unread: () => store.unread(),
    close: () => store.close(),
  }
}

const NO_HISTORY = Promise.resolve(undefined)
