import type { MemoryState } from '../../state/contract/context-state.js'
import { memoryNotFound } from './memory-store.js'
import type { SessionMemory } from './session-memory.js'

/** The memory of one session, kept in a program's own store, as sessions use it: every address is this session. */
export function toMemoryState(memory: SessionMemory): MemoryState {
  return {
    read: async () => new Map(await memory.entries()),
    set: (_address, key, value) => memory.set(key, value),
    async delete(_address, key) {
      if (!(await memory.remove(key))) throw memoryNotFound(key)
    },
    clear: () => memory.clear(),
  }
}
