import { ServiceError } from '../errors.js'
import type { Model } from '../llm/model.js'
import type { HookExecutor } from './hook-executor.js'
import type { MemoryRetriever } from './memory/memory-retriever.js'
import type { MemoryStore } from './memory/memory-store.js'
import { type AgentConfig, DEFAULT_AGENT_CONFIG, type RuntimeBundle } from './runtime-bundle.js'
import { RETRIEVE, retrieveTool } from './tools/retrieve-tool.js'
import type { ToolRegistry } from './tools/tool-registry.js'

/** Puts the parts of an application together, one call each. */
export class AgentBuilder {
  #provider: Model | undefined
  #toolRegistry: ToolRegistry | undefined
  #hookExecutor: HookExecutor | undefined
  #memoryStore: MemoryStore | undefined
  #retriever: MemoryRetriever | undefined
  #sessionMemoryBackend: MemoryStore | undefined
  #config: Partial<AgentConfig> = {}

  provider(model: Model): this {
    this.#provider = model
    return this
  }

  toolRegistry(registry: ToolRegistry): this {
    this.#toolRegistry = registry
    return this
  }

  hookExecutor(hooks: HookExecutor): this {
    this.#hookExecutor = hooks
    return this
  }

  /** Optional. */
  memoryStore(store: MemoryStore): this {
    this.#memoryStore = store
    return this
  }

  /** Optional; the model gets a tool named `retrieve` with it. */
  retriever(retriever: MemoryRetriever): this {
    this.#retriever = retriever
    return this
  }

  /** Optional. */
  sessionMemoryBackend(store: MemoryStore): this {
    this.#sessionMemoryBackend = store
    return this
  }

  /** Optional; what it leaves out has its default. */
  config(config: Partial<AgentConfig>): this {
    this.#config = config
    return this
  }

  /** @throws ServiceError `invalid_config` that names the part that is missing */
  build(): RuntimeBundle {
    const toolRegistry = needed('tool_registry', this.#toolRegistry)
    const bundle: RuntimeBundle = {
      provider: needed('provider', this.#provider),
      toolRegistry,
      hookExecutor: needed('hook_executor', this.#hookExecutor),
      memoryStore: this.#memoryStore,
      retriever: this.#retriever,
      sessionMemoryBackend: this.#sessionMemoryBackend,
      config: { ...DEFAULT_AGENT_CONFIG, ...this.#config },
    }
    if (this.#retriever !== undefined && toolRegistry.get(RETRIEVE) === undefined) {
      toolRegistry.register(retrieveTool(this.#retriever))
    }
    return bundle
  }
}

function needed<Part>(name: string, part: Part | undefined): Part {
  if (part === undefined) throw new ServiceError('invalid_config', `missing ${name}`)
  return part
}
