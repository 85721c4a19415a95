import type { AgentOptions } from '../agents/cycle/turn.js'
import type { PreparedAgent } from '../agents/prepared-agent.js'
import type { SessionRuntime } from '../agents/sessions/session-runtime.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json/json.js'
import type { Checkpoint } from './checkpoint.js'
import type { Evaluation } from './evaluation.js'
import type { Plan } from './plan.js'
import type { PlannerPrompts } from './planner-prompts.js'
import type { StepRecord } from './step-record.js'
import type { TaskConfig } from './task-config.js'
import type { TaskEvent } from './task-event.js'

/** What somebody asked for. */
export interface TaskRequest {
  readonly description: string
  readonly metadata: JsonObject
  /** What a planner should know about the field; the package itself knows nothing of any. */
  readonly domainKnowledge: string
  /** The first round's, where it was given. */
  readonly plan?: Plan
  readonly config: TaskConfig
}

/** Makes what happened durable. */
export interface TaskJournal {
  /** Writes all of it or nothing; resolves when it is durable. Entries are written in the order of the calls. */
  write(entry: TaskJournalEntry): Promise<void>
}

export interface TaskJournalEntry {
  readonly checkpoint: Checkpoint
  /** Records of steps by `stepKey`. */
  readonly records?: ReadonlyMap<string, StepRecord>
  /** Published once the entry is durable. */
  readonly events?: readonly TaskEvent[]
  /** It may become durable with the next entry, or when the event loop turns: nothing acts before that. */
  readonly isSoon?: true
}

/** The agent that carries out steps, and whose model plans, evaluates and reflects. */
export type TaskAgentSetup = Pick<
  PreparedAgent,
  'id' | 'system' | 'model' | 'protocol' | 'toolbox' | 'revision' | 'document' | keyof AgentOptions
>

/** Phases that a program does itself: no model is asked. What is left out is the model's. */
export interface OwnPhases {
  /** Plans a round, of every round. @param history what earlier rounds came to, as text */
  plan?(round: number, history: string): Plan
  /** Judges what came of a round's plan. */
  evaluate?(plan: Plan): Evaluation
}

/** Everything a task needs and nothing it changes. */
export interface TaskSetup
  extends Pick<SessionRuntime, 'model' | 'hooks' | 'clock' | 'toolTimeoutMs' | 'tracer'> {
  /** Names the task among all. */
  readonly task: string
  readonly request: TaskRequest
  readonly agent: TaskAgentSetup
  readonly prompts: PlannerPrompts
  readonly phases?: OwnPhases | undefined
  readonly journal: TaskJournal
  /** For events that belong to no entry: those of an agent's turn. */
  readonly emit: (event: TaskEvent) => void
  readonly call: CallContext
}
