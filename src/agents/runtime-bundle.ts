import type { AnsweringModel } from '../llm/model.js'
import type { JsonObject } from '../util/json.js'
import type { ContextSettings } from './cycle/cycle-setup.js'
import { DEFAULT_LIMITS } from './cycle/limits.js'
import type { HookExecutor } from './hook-executor.js'
import type { MemoryRetriever } from './memory/memory-retriever.js'
import type { MemoryStore } from './memory/memory-store.js'
import type { ToolRegistry } from './tools/tool-registry.js'

/** How sessions of an application behave. */
export interface AgentConfig {
  /** Turns of one session. */
  readonly maxTurns: number
  /** Rounds of tool calls in one turn. */
  readonly maxToolTurns: number
  /** Milliseconds a session may be idle; undefined: for ever. */
  readonly sessionTtl?: number | undefined
  /** How much of a conversation the model is shown; undefined: everything. */
  readonly compactConfig?: ContextSettings | undefined
  /** The model's name, as in a chat completions request. */
  readonly model: string
  /** Sent with every request: `temperature`, `max_tokens` and the like. */
  readonly parameters: JsonObject
}

export const DEFAULT_AGENT_CONFIG: AgentConfig = Object.freeze({
  maxTurns: DEFAULT_LIMITS.maxTurns,
  maxToolTurns: DEFAULT_LIMITS.maxToolTurns,
  sessionTtl: undefined,
  compactConfig: undefined,
  model: 'echo',
  parameters: {},
})

/** What the sessions of one application share. Made by an `AgentBuilder`. */
export interface RuntimeBundle {
  readonly provider: AnsweringModel
  readonly toolRegistry: ToolRegistry
  readonly hookExecutor: HookExecutor
  readonly memoryStore: MemoryStore | undefined
  readonly retriever: MemoryRetriever | undefined
  /** Where sessions keep what their contexts tell each other; undefined: in memory. */
  readonly sessionMemoryBackend: MemoryStore | undefined
  readonly config: AgentConfig
}
