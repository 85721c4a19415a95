import { HookExecutor } from '../../src/agents/hook-executor.js'
import { HookedModel } from '../../src/agents/hooked-model.js'
import { NO_AGENTS } from '../../src/agents/no-agents.js'
import type { Model } from '../../src/llm/model.js'
import type { StateStore } from '../../src/state/state-store.js'
import { defaultTaskAgent } from '../../src/tasks/default-agent.js'
import type { TaskEngine } from '../../src/tasks/engine/task-engine.js'
import { createBuiltInPrompts } from '../../src/tasks/planner-prompts.js'
import { Tasks } from '../../src/tasks/tasks.js'
import { type LocalTool, localTool } from '../../src/tools/local-tool.js'
import { createToolbox, type Permission } from '../../src/tools/toolbox.js'
import { type Clock, systemClock } from '../../src/util/time/clock.js'

export interface OpenTasksOptions {
  readonly store: StateStore
  readonly engine: TaskEngine
  readonly model: Model
  readonly tools: readonly LocalTool[]
  readonly leaseMs: number
  readonly permission?: (name: string) => Permission
  readonly clock?: Clock
  readonly waitLimitMs?: number
}

/** Tasks over a store and an engine of a test, without a catalog. */
export function openTestTasks({
  store,
  engine,
  model,
  tools,
  leaseMs,
  permission,
  clock = systemClock,
  waitLimitMs,
}: OpenTasksOptions) {
  const failures: unknown[] = []
  const hooks = new HookExecutor()
  const tasks = new Tasks({
    store,
    engine,
    agents: NO_AGENTS,
    defaultAgent: () => ({
      ...defaultTaskAgent('scripted', createToolbox(tools.map((tool) => localTool(tool)))),
      permission: ({ name }) => permission?.(name) ?? 'allow',
    }),
    model: HookedModel.of(model, hooks),
    pinPrompts: () => ({}),
    prompts: createBuiltInPrompts,
    hooks,
    clock,
    toolTimeoutMs: 5_000,
    taskTimeoutMs: 60_000,
    waitLimitMs,
    leaseMs,
    observer: {
      event: () => {},
      ended: () => {},
      decided: () => {},
      failed: (_task, error) => failures.push(error),
    },
  })
  return { tasks, failures }
}
