import { HookExecutor } from '../../src/agents/hook-executor.js'
import { HookedModel } from '../../src/agents/hooked-model.js'
import { PLAIN_AGENT } from '../../src/agents/plain-agent.js'
import type { PreparedAgent } from '../../src/agents/prepared-agent.js'
import type { Model } from '../../src/llm/model.js'
import { newCheckpoint } from '../../src/tasks/checkpoint.js'
import { createBuiltInPrompts } from '../../src/tasks/planner-prompts.js'
import type { StepRecord } from '../../src/tasks/step-record.js'
import { DEFAULT_TASK_CONFIG, type TaskConfig } from '../../src/tasks/task-config.js'
import type { TaskEvent } from '../../src/tasks/task-event.js'
import { TaskProgress, type TaskStart } from '../../src/tasks/task-progress.js'
import type { TaskJournalEntry, TaskRequest, TaskSetup } from '../../src/tasks/task-setup.js'
import { type LocalTool, localTool } from '../../src/tools/local-tool.js'
import { createToolbox } from '../../src/tools/toolbox.js'
import { createFakeClock } from './fake-clock.js'

/** A task without a store: what it writes and tells is kept in lists. */
export interface TaskStage {
  readonly setup: TaskSetup
  readonly progress: TaskProgress
  readonly entries: TaskJournalEntry[]
  readonly events: TaskEvent[]
}

export interface TaskStageOptions {
  readonly model: Model
  readonly tools?: readonly LocalTool[]
  readonly request?: Partial<TaskRequest>
  readonly config?: Partial<TaskConfig>
  readonly agent?: Partial<PreparedAgent>
  readonly start?: Partial<TaskStart>
  readonly hooks?: HookExecutor
  readonly signal?: AbortSignal
}

/** An agent with these tools that may do everything. */
export function testAgent(tools: readonly LocalTool[], more: Partial<PreparedAgent> = {}): PreparedAgent {
  return {
    ...PLAIN_AGENT,
    id: 't.main',
    revision: '1',
    model: 'scripted',
    toolbox: createToolbox(tools.map((tool) => localTool(tool))),
    ...more,
  }
}

export function taskStage(options: TaskStageOptions): TaskStage {
  const entries: TaskJournalEntry[] = []
  const events: TaskEvent[] = []
  const clock = createFakeClock()
  const { hooks = new HookExecutor() } = options
  const journal = {
    async write(entry: TaskJournalEntry) {
      entries.push(entry)
      events.push(...(entry.events ?? []))
    },
  }
  const setup: TaskSetup = {
    task: 'task-1',
    request: {
      description: 'Forecast the load of /data/load.csv',
      metadata: {},
      domainKnowledge: '',
      ...options.request,
      config: { ...DEFAULT_TASK_CONFIG, ...options.config },
    },
    agent: testAgent(options.tools ?? [], options.agent),
    model: HookedModel.of(options.model, hooks),
    prompts: createBuiltInPrompts(),
    journal,
    emit: (event) => events.push(event),
    hooks,
    call: Object.freeze({ requestId: 'test', signal: options.signal ?? new AbortController().signal }),
    clock,
    toolTimeoutMs: 1_000,
  }
  const progress = new TaskProgress(journal, {
    checkpoint: newCheckpoint(clock.now()),
    records: new Map<string, StepRecord>(),
    decisions: new Map(),
    ...options.start,
  })
  return { setup, progress, entries, events }
}

/** Which phase asks, by what its system prompt says. */
export function phaseOf(request: { readonly [name: string]: unknown }): string {
  const [first] = request['messages'] as readonly { readonly content: unknown }[]
  const text = String(first?.content)
  if (text.includes('professional task planner')) return 'plan'
  if (text.includes('strict evaluator')) return 'evaluate'
  if (text.includes('deep reflection')) return 'reflect'
  return text.includes('A step of a task has failed') ? 'step' : 'turn'
}

/** An evaluation with these scores. */
export function evaluation(
  overall: number,
  correctness: unknown,
  isSuccessful = correctness === 100,
): object {
  return {
    evaluation_id: 'e',
    overall_score: overall,
    is_successful: isSuccessful,
    dimensions: { completeness: 90, correctness, efficiency: 80, reliability: 85 },
    successes: [],
    failures: [],
    improvement_suggestions: [],
  }
}
