import type { HookExecutor } from '../agents/hook-executor.js'
import type { AgentSource } from '../agents/prepared-agent.js'
import type { Model } from '../llm/model.js'
import type { StateStore } from '../state/state-store.js'
import type { CallContext } from '../util/call-context.js'
import type { Clock } from '../util/clock.js'
import type { JsonObject } from '../util/json.js'
import type { Tracer } from '../util/tracer.js'
import type { TaskEngine } from './engine/task-engine.js'
import type { PlannerPrompts } from './planner-prompts.js'
import type { TaskEvent, WireTaskResult } from './task-event.js'
import type { TaskAgentSetup } from './task-setup.js'

/** What tasks work with; whoever makes it closes it. */
export interface TaskRuntime {
  readonly store: StateStore
  readonly engine: TaskEngine
  readonly agents: AgentSource
  /** Carries out tasks that name no agent: every tool of the catalog as it is now. */
  readonly defaultAgent: () => TaskAgentSetup
  readonly model: Model
  /** The `planner.*` documents that the catalog has now, by name. */
  readonly pinPrompts: () => JsonObject
  /** Prompts of these documents; what they lack is built in. */
  readonly prompts: (pinned: ReadonlyMap<string, JsonObject>, call: CallContext) => PlannerPrompts
  readonly hooks: HookExecutor
  readonly clock: Clock
  /** Longest time of one tool call, in milliseconds. */
  readonly toolTimeoutMs: number
  /** How long a task may take that says nothing about it, in milliseconds. */
  readonly taskTimeoutMs: number
  readonly leaseMs: number
  readonly observer: TaskObserver
  /** Makes spans of every run of a task and its phases; undefined for none. */
  readonly tracer?: Tracer | undefined
}

/** Told of what happens, for metrics and the log. Never of contents. */
export interface TaskObserver {
  event(task: string, event: TaskEvent): void
  ended(task: string, result: WireTaskResult, durationMs: number): void
  /** Something that was not foreseen, for the log. */
  failed(task: string, error: unknown): void
}
