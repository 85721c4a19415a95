import type { ObserveDecision, SessionRuntime } from '../agents/sessions/session-runtime.js'
import type { StateStore } from '../state/state-store.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json/json.js'
import type { TaskEngine } from './engine/task-engine.js'
import type { PlannerPrompts } from './planner-prompts.js'
import type { TaskConfig } from './task-config.js'
import type { TaskEvent, WireTaskResult } from './task-event.js'
import type { TaskAgentSetup } from './task-setup.js'

/** The dependencies of tasks; the code that creates them closes them. */
export interface TaskRuntime extends Omit<SessionRuntime, 'observer' | 'store'> {
  readonly store: StateStore
  readonly engine: TaskEngine
  /** Carries out tasks that name no agent: every tool of the catalog as it is now. */
  readonly defaultAgent: () => TaskAgentSetup
  /** The `planner.*` documents that the catalog has now, by name. */
  readonly pinPrompts: () => JsonObject
  /** Prompts of these documents; what they lack is built in. */
  readonly prompts: (pinned: ReadonlyMap<string, JsonObject>, call: CallContext) => PlannerPrompts
  /** How long a task may take that says nothing about it, in milliseconds. */
  readonly taskTimeoutMs: number
  /** What tasks are carried out with that say nothing about it. */
  readonly taskDefaults?: Partial<TaskConfig> | undefined
  /** How long a task waits for approvals before it is ended, in milliseconds. Default: for ever. */
  readonly waitLimitMs?: number | undefined
  readonly observer: TaskObserver
}

/** Notified of events for metrics and the log, never with contents. */
export interface TaskObserver {
  event(task: string, event: TaskEvent): void
  ended(task: string, result: WireTaskResult, durationMs: number): void
  /** Something that was not foreseen, for the log. */
  failed(task: string, error: unknown): void
  decided: ObserveDecision
}
