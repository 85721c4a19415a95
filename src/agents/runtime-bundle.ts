import type { AnsweringModel } from '../llm/model.js'
import type { SettledConfig } from './agent-config.js'
import type { HookExecutor } from './hook-executor.js'
import type { MemoryRetriever } from './memory/memory-retriever.js'
import { InMemoryStore, type MemoryStore } from './memory/memory-store.js'
import { SessionMemory } from './memory/session-memory.js'
import type { ToolRegistry } from './tools/tool-registry.js'

/** What the sessions of one application share. Made by an `AgentBuilder`. */
export interface RuntimeBundle {
  readonly provider: AnsweringModel
  readonly toolRegistry: ToolRegistry
  readonly hookExecutor: HookExecutor
  /** Where sessions keep the memory that their contexts share, unless `sessionMemoryBackend` is given. */
  readonly memoryStore: MemoryStore | undefined
  readonly retriever: MemoryRetriever | undefined
  /** Where sessions keep the memory that their contexts share; undefined: in `memoryStore`, else in memory. */
  readonly sessionMemoryBackend: MemoryStore | undefined
  readonly config: SettledConfig
}

/** Summaries that contexts of a session pass to each other, if the bundle keeps them. */
export function sessionMemoryOf(
  { sessionMemoryBackend, memoryStore }: Pick<RuntimeBundle, 'sessionMemoryBackend' | 'memoryStore'>,
  sessionId: string,
): SessionMemory {
  return new SessionMemory(sessionMemoryBackend ?? memoryStore ?? new InMemoryStore(), sessionId)
}
