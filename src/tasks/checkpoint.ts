import type { Usage } from '../llm/model.js'
import { isUsage, NO_USAGE } from '../llm/usage.js'
import type { TASK_PHASES } from '../schema/task-work.js'
import { readStored } from '../state/read-stored.js'
import { isJsonObject, type JsonObject } from '../util/json/json.js'
import type { Evaluation } from './evaluation.js'
import type { Plan, StepError } from './plan.js'
import type { Reflection } from './reflection.js'

/** What a round does at a time. */
export type Phase = (typeof TASK_PHASES)[number]

/** One round of a task: what it has of these fields says how far it is. */
export interface RoundRecord {
  /** From 1. */
  readonly round: number
  readonly plan?: Plan
  /** Why there is no plan. The round is over and counts as failed. */
  readonly planError?: StepError
  /** How many steps failed; set when all steps are settled. */
  readonly failureCount?: number
  readonly evaluation?: Evaluation
  readonly reflection?: Reflection
  /** When each phase began and ended, in epoch milliseconds. */
  readonly times?: Readonly<Partial<Record<Phase, PhaseTime>>>
}

/** From when to when, in epoch milliseconds. */
export type PhaseTime = readonly [startedAt: number, endedAt: number]

/** A task between two phases: with the records of its steps enough to continue it elsewhere. Pure data. */
export interface Checkpoint {
  readonly v: 1
  readonly rounds: readonly RoundRecord[]
  readonly consecutiveFailures: number
  readonly usage: Usage
  readonly cost?: number
  /** Epoch milliseconds; moved on by the time spent waiting for approvals. */
  readonly startedAt: number
  /** Since when it waits for approvals. */
  readonly pausedAt?: number
  /** How many approvals were asked for so far: their names are counted. */
  readonly approvals: number
  /** Processes that died at work on the task, as long as it did not get further. */
  readonly deaths?: Deaths
}

/** How many processes in a row died where the task is. */
export interface Deaths {
  readonly round: number
  readonly phase: string
  /** The step that was under way. */
  readonly step?: string
  readonly times: number
}

/** A task before its first round. */
export function newCheckpoint(startedAt: number): Checkpoint {
  return { v: 1, rounds: [], consecutiveFailures: 0, usage: NO_USAGE, startedAt, approvals: 0 }
}

/** What a run gave the store; undefined for a task that nobody has begun. @throws ServiceError `state_unreadable` */
export function readCheckpoint(state: JsonObject | undefined): Checkpoint | undefined {
  return state === undefined ? undefined : readStored(state, isCheckpoint, 'checkpoint of the task')
}

function isCheckpoint(value: object): value is Checkpoint {
  if (!isJsonObject(value)) return false
  const { v, rounds, consecutiveFailures, startedAt, usage } = value
  const counts = [consecutiveFailures, startedAt].every((count) => typeof count === 'number')
  return v === 1 && Array.isArray(rounds) && counts && isUsage(usage)
}

/** The round that is under way, or was last. */
export function currentRound({ rounds }: Checkpoint): RoundRecord | undefined {
  return rounds.at(-1)
}

/** The checkpoint with fields of its last round set. */
export function withRound(checkpoint: Checkpoint, changes: Omit<RoundRecord, 'round'>): Checkpoint {
  const last = currentRound(checkpoint)
  if (last === undefined) return checkpoint
  return { ...checkpoint, rounds: checkpoint.rounds.with(-1, { ...last, ...changes }) }
}
