import type { GuardCounter } from './agents/guards/count-guards.js'
import type { HookExecutor } from './agents/hook-executor.js'
import { HookedModel } from './agents/hooked-model.js'
import type { AgentSource } from './agents/prepared-agent.js'
import type { ObserveDecision } from './agents/sessions/session-runtime.js'
import type { Config } from './config.js'
import { toLlmSettings } from './llm/llm-settings.js'
import type { AnsweringModel } from './llm/model.js'
import type { Webhooks } from './open-webhooks.js'
import type { LeaseObserver } from './state/lease-observer.js'
import type { StateStore } from './state/state-store.js'
import { type CatalogPromptsDependencies, catalogPrompts, pinPrompts } from './tasks/catalog-prompts.js'
import { defaultTaskAgent } from './tasks/default-agent.js'
import { createMemoryEngine } from './tasks/engine/memory-engine.js'
import type { TaskEngine, TaskEngineStatus } from './tasks/engine/task-engine.js'
import { ENDINGS } from './tasks/next-phase.js'
import { observeTasks } from './tasks/task-metrics.js'
import { Tasks } from './tasks/tasks.js'
import { catalogTools } from './tools/catalog-tools.js'
import type { ToolCaller } from './tools/tool.js'
import { invalidInput } from './util/errors/invalid-input.js'
import { jsonObject } from './util/json/json-fields.js'
import type { Logger } from './util/telemetry/logger.js'
import type { Metrics } from './util/telemetry/metrics.js'
import type { Tracer } from './util/telemetry/tracer.js'
import { systemClock } from './util/time/clock.js'

/** What tasks are made of, beside the configuration. */
export interface TaskParts extends CatalogPromptsDependencies {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly guards: GuardCounter
  /** Counts what people decide. */
  readonly decided: ObserveDecision
  readonly model: AnsweringModel
  readonly agents: AgentSource
  readonly tools: ToolCaller
  readonly state: StateStore
  readonly hooks: HookExecutor
  /** Notified of what happens to leases. */
  readonly leases: LeaseObserver
  /** Notified of what ended. Default: nobody is. */
  readonly webhooks?: Pick<Webhooks, 'send'> | undefined
  /** Makes spans of turns, tasks and phases; undefined for none. */
  readonly tracer?: Tracer | undefined
}

/** Tasks, ready to be served. The caller starts and closes them. */
export interface ServedTasks {
  readonly tasks: Tasks
  status(): TaskEngineStatus
}

/** Opens tasks over the state there is: in Redis any process continues with them, in memory they are this process's. */
export async function openTasks(config: Config, parts: TaskParts): Promise<ServedTasks> {
  const { logger, metrics, guards, model, agents, tools, state, hooks, leases, registry, webhooks } = parts
  const observer = observeTasks(metrics, guards, logger)
  const engine = await openEngine(config, state, logger)
  const { defaultModel } = toLlmSettings(config)
  const tasks = new Tasks({
    store: state,
    engine,
    agents,
    defaultAgent: () => defaultTaskAgent(known(defaultModel), catalogTools(registry.current, tools)),
    model: HookedModel.of(model, hooks),
    pinPrompts: () => pinPrompts(registry),
    prompts: (pinned, call) => catalogPrompts(parts, pinned, call),
    hooks,
    clock: systemClock,
    toolTimeoutMs: config.agentToolTimeoutMs,
    taskTimeoutMs: config.taskTimeoutMs,
    taskDefaults: config.file.tasks,
    waitLimitMs: config.sessionTtlMs,
    leaseMs: config.stateLeaseMs,
    observer: {
      ...observer,
      decided: parts.decided,
      ended(task, result, durationMs) {
        observer.ended(task, result, durationMs)
        const { ended_by, rounds, failure_count, usage } = result
        const { status } = ENDINGS[ended_by]
        webhooks?.send(`task.${status}`, jsonObject({ task, status, ended_by, rounds, failure_count, usage }))
      },
    },
    leases,
    tracer: parts.tracer,
  })
  return { tasks, status: () => engine.status }
}

/** @throws ServiceError `invalid_request` */
function known(model: string | undefined): string {
  if (model !== undefined) return model
  throw invalidInput('agent', 'No model is configured: set LLM_MODEL, or name an agent that has one')
}

async function openEngine(config: Config, state: StateStore, logger: Logger): Promise<TaskEngine> {
  const { stateUrl, redisUrl, keyPrefix, stateLeaseMs: leaseMs, taskConcurrency: concurrency } = config
  const url = stateUrl ?? redisUrl
  const onFailure = (task: string, err: unknown) => logger.warn({ task, err }, 'the queue of tasks failed')
  if (state.status.kind === 'memory' || url === undefined)
    return createMemoryEngine({ concurrency, onFailure })
  const { createBullmqEngine } = await import('./tasks/engine/bullmq-engine.js')
  return createBullmqEngine({ url, keyPrefix, concurrency, leaseMs, onFailure })
}
