import type { CallDecision } from '../agents/cycle/cycle-state.js'
import type { CallUsage } from '../llm/usage.js'
import { chargeCheckpoint } from './ask-planner.js'
import {
  type Checkpoint,
  currentRound,
  type Phase,
  type PhaseTime,
  type RoundRecord,
  withRound,
} from './checkpoint.js'
import type { Plan } from './plan.js'
import { planWithRecords, type StepRecord, stepKey } from './step-record.js'
import type { TaskEvent } from './task-event.js'
import type { TaskJournal, TaskJournalEntry } from './task-setup.js'

/** Where a task continues from. */
export interface TaskStart {
  readonly checkpoint: Checkpoint
  readonly records: ReadonlyMap<string, StepRecord>
  /** What was decided, by the id of the approval. */
  readonly decisions: ReadonlyMap<string, CallDecision>
}

type Change = (checkpoint: Checkpoint) => Checkpoint
type EventsOf = (plan: Plan) => readonly TaskEvent[]

/** How far a task is while it runs: every change is durable before the next thing happens. */
export class TaskProgress {
  readonly decisions: TaskStart['decisions']
  readonly #journal: TaskJournal
  readonly #records: Map<string, StepRecord>
  #checkpoint: Checkpoint

  constructor(journal: TaskJournal, { checkpoint, records, decisions }: TaskStart) {
    this.#journal = journal
    this.#checkpoint = checkpoint
    this.#records = new Map(records)
    this.decisions = decisions
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint
  }

  get records(): ReadonlyMap<string, StepRecord> {
    return this.#records
  }

  /** The round that is under way. @throws Error before the first */
  get round(): RoundRecord {
    const round = currentRound(this.#checkpoint)
    if (round === undefined) throw new Error('no round was begun')
    return round
  }

  /** The round's plan with the current state of its steps. @throws Error without one */
  get plan(): Plan {
    const plan = planWithRecords(this.round, this.#records)
    if (plan === undefined) throw new Error('the round has no plan')
    return plan
  }

  recordOf(stepId: string): StepRecord | undefined {
    return this.#records.get(stepKey(this.round.round, stepId))
  }

  /** Counts what was used; durable with the next entry. */
  readonly spend = (spent: CallUsage): void => {
    this.#checkpoint = chargeCheckpoint(this.#checkpoint, spent)
  }

  /** Notes when a phase of the round began and ended; durable with the next entry. One that was interrupted began once. */
  noteTime(phase: Phase, [startedAt, endedAt]: PhaseTime): void {
    const times = this.round.times ?? {}
    const [first = startedAt] = times[phase] ?? []
    this.#checkpoint = withRound(this.#checkpoint, { times: { ...times, [phase]: [first, endedAt] } })
  }

  async write(change: Change, ...events: TaskEvent[]): Promise<void> {
    this.#checkpoint = change(this.#checkpoint)
    await this.#journal.write({ checkpoint: this.#checkpoint, events })
  }

  /**
   * Writes what comes before a thing that may be done twice, or before another entry: it is written together with that,
   * or when the event loop turns.
   */
  async writeSoon(change: Change, ...events: readonly TaskEvent[]): Promise<void> {
    this.#checkpoint = change(this.#checkpoint)
    await this.#journal.write({ checkpoint: this.#checkpoint, events, isSoon: true })
  }

  async writeStep(
    stepId: string,
    record: StepRecord,
    eventsOf: EventsOf = () => [],
    change: Change = (checkpoint) => checkpoint,
  ): Promise<void> {
    this.#checkpoint = change(this.#checkpoint)
    await this.#journal.write(this.#entryOf(stepId, record, eventsOf))
  }

  /** A step that is settled: no other acts before it is durable. */
  async settleStep(stepId: string, record: StepRecord, eventsOf: EventsOf): Promise<void> {
    await this.#journal.write({ ...this.#entryOf(stepId, record, eventsOf), isSoon: true })
  }

  #entryOf(stepId: string, record: StepRecord, eventsOf: EventsOf): TaskJournalEntry {
    const key = stepKey(this.round.round, stepId)
    this.#records.set(key, record)
    return { checkpoint: this.#checkpoint, records: new Map([[key, record]]), events: eventsOf(this.plan) }
  }
}
