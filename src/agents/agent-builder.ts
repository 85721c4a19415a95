import { ServiceError } from '../errors.js'
import type { AnsweringModel } from '../llm/model.js'
import { modelNameOf } from '../llm/model-name.js'
import { type AgentConfig, settleConfig } from './agent-config.js'
import type { HookExecutor } from './hook-executor.js'
import type { MemoryRetriever } from './memory/memory-retriever.js'
import type { MemoryStore } from './memory/memory-store.js'
import type { RuntimeBundle } from './runtime-bundle.js'
import { RETRIEVE, retrieveTool } from './tools/retrieve-tool.js'
import type { ToolRegistry } from './tools/tool-registry.js'

/** Puts the parts of an application together, one call each. */
export class AgentBuilder {
  #parts: Partial<RuntimeBundle> = {}
  #config: Partial<AgentConfig> = {}

  provider(model: AnsweringModel): this {
    return this.#with({ provider: model })
  }

  toolRegistry(registry: ToolRegistry): this {
    return this.#with({ toolRegistry: registry })
  }

  hookExecutor(hooks: HookExecutor): this {
    return this.#with({ hookExecutor: hooks })
  }

  /** Optional: where sessions keep the memory that their contexts share. */
  memoryStore(store: MemoryStore): this {
    return this.#with({ memoryStore: store })
  }

  /** Optional; the model gets a tool named `retrieve` with it. */
  retriever(retriever: MemoryRetriever): this {
    return this.#with({ retriever })
  }

  /** Optional: in place of `memoryStore`, for the memory that contexts of a session share. */
  sessionMemoryBackend(store: MemoryStore): this {
    return this.#with({ sessionMemoryBackend: store })
  }

  /** Optional; what it leaves out has its default. */
  config(config: Partial<AgentConfig>): this {
    this.#config = config
    return this
  }

  /** @throws ServiceError `invalid_config` that names the part that is missing, or the option that does not exist */
  build(): RuntimeBundle {
    const { hookExecutor, memoryStore, retriever, sessionMemoryBackend } = this.#parts
    const toolRegistry = needed('tool_registry', this.#parts.toolRegistry)
    const provider = needed('provider', this.#parts.provider)
    const bundle: RuntimeBundle = {
      provider,
      toolRegistry,
      hookExecutor: needed('hook_executor', hookExecutor),
      ...{ memoryStore, retriever, sessionMemoryBackend },
      config: settleConfig(this.#config, modelNameOf(provider, this.#config.model)),
    }
    if (retriever !== undefined && toolRegistry.get(RETRIEVE) === undefined)
      toolRegistry.register(retrieveTool(retriever))
    return bundle
  }

  #with(part: Partial<RuntimeBundle>): this {
    this.#parts = { ...this.#parts, ...part }
    return this
  }
}

function needed<Part>(name: string, part: Part | undefined): Part {
  if (part === undefined)
    throw new ServiceError('invalid_config', `Missing ${name}: call ${methodOf(name)}(…) before build()`)
  return part
}

/** `tool_registry` is the part's name, `toolRegistry` the method. */
function methodOf(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
