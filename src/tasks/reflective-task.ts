import { randomUUID } from 'node:crypto'
import { HookExecutor } from '../agents/hook-executor.js'
import { HookedModel } from '../agents/hooked-model.js'
import type { AnsweringModel } from '../llm/model.js'
import type { Toolbox } from '../tools/toolbox.js'
import type { CancelSignal } from '../util/cancellation.js'
import { type Clock, systemClock } from '../util/clock.js'
import type { JsonObject } from '../util/json.js'
import { newCheckpoint } from './checkpoint.js'
import { defaultTaskAgent } from './default-agent.js'
import { createBuiltInPrompts, type PlannerPrompts } from './planner-prompts.js'
import { runTask } from './run-task.js'
import { DEFAULT_TASK_CONFIG, type TaskConfig } from './task-config.js'
import type { TaskEvent, WireTaskResult } from './task-event.js'
import { TaskProgress } from './task-progress.js'
import { taskResult } from './task-result.js'

/** A task of a program: nothing of it is stored. */
export interface ReflectiveTaskOptions {
  readonly provider: AnsweringModel
  readonly model: string
  readonly tools: Toolbox
  readonly description: string
  readonly metadata?: JsonObject
  readonly domainKnowledge?: string
  readonly config?: Partial<TaskConfig>
  readonly hooks?: HookExecutor
  readonly prompts?: PlannerPrompts
  readonly onEvent?: (event: TaskEvent) => void
  readonly signal?: CancelSignal
  readonly clock?: Clock
  /** Longest time of one tool call, in milliseconds. Default 60,000. */
  readonly toolTimeoutMs?: number
}

const DEFAULT_TOOL_TIMEOUT_MS = 60_000

/**
 * Plans, carries out, evaluates, reflects, and again, in this process, until one of the task's endings.
 *
 * @throws ServiceError as the model does; the signal's reason when it aborts
 */
export async function runReflectiveTask(options: ReflectiveTaskOptions): Promise<WireTaskResult> {
  const { provider, model, tools, description, clock = systemClock, onEvent = () => {} } = options
  const { hooks = new HookExecutor() } = options
  const journal = {
    async write({ events = [] }: { readonly events?: readonly TaskEvent[] }) {
      for (const event of events) onEvent(event)
    },
  }
  const progress = new TaskProgress(journal, {
    checkpoint: newCheckpoint(clock.now()),
    records: new Map(),
    decisions: new Map(),
  })
  const stop = await runTask(
    {
      task: randomUUID(),
      request: {
        description,
        metadata: options.metadata ?? {},
        domainKnowledge: options.domainKnowledge ?? '',
        config: { ...DEFAULT_TASK_CONFIG, ...options.config },
      },
      // Nobody can be asked here.
      agent: {
        ...defaultTaskAgent(model, tools),
        permission: ({ permission }) => (permission === 'ask' ? 'deny' : 'allow'),
      },
      model: HookedModel.of(provider, hooks),
      prompts: options.prompts ?? createBuiltInPrompts(),
      journal,
      emit: onEvent,
      hooks,
      call: Object.freeze({
        requestId: randomUUID(),
        signal: options.signal ?? new AbortController().signal,
      }),
      clock,
      toolTimeoutMs: options.toolTimeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
    },
    progress,
  )
  const endedBy = stop.kind === 'ended' ? stop.endedBy : 'error'
  return taskResult(endedBy, progress.checkpoint, progress.records)
}
