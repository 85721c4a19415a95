import type { CycleState } from '../agents/cycle/cycle-state.js'
import type { StoredMessage } from '../conversation/history.js'
import { readStored } from '../state/read-stored.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json/json.js'
import type { RoundRecord } from './checkpoint.js'
import { PENDING, type Plan, type Step, type StepError, type StepStatus } from './plan.js'

/** What is durable of one step: its intent before it acts, its result after. Pure data. */
export interface StepRecord {
  readonly status: Exclude<StepStatus, { s: 'pending' }>
  readonly attempts: number
  /** When it began and, once it is settled, ended; in epoch milliseconds. */
  readonly startedAt?: number
  readonly endedAt?: number
  /** Corrected ones, where the plan's were not used. */
  readonly parameters?: JsonObject
  /** Set before anything runs that must not run twice. */
  readonly effects?: true
  /** The turn of an agent that waits for approvals. */
  readonly paused?: PausedTurn
  /** The approvals it waits for: of a tool's step the call itself, of an agent's those of its calls. */
  readonly waiting?: readonly WaitingApproval[]
}

export interface PausedTurn {
  readonly state: CycleState
  readonly messages: readonly StoredMessage[]
}

export interface WaitingApproval {
  readonly id: string
  readonly callId: string
}

/** Records of all rounds, by {@link stepKey}. */
export type StepRecords = ReadonlyMap<string, StepRecord>

/** What runs gave the store. @throws ServiceError `state_unreadable` */
export function readRecords(entries: ReadonlyMap<string, JsonValue>): StepRecords {
  return new Map([...entries].map(([key, entry]) => [key, readStored(jsonOrNone(entry), isRecord, 'step')]))
}

function isRecord(value: object): value is StepRecord {
  if (!isJsonObject(value)) return false
  const { status, attempts } = value
  return isJsonObject(status) && typeof status['s'] === 'string' && typeof attempts === 'number'
}

function jsonOrNone(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** The name of a step among those of all rounds. */
export function stepKey(round: number, stepId: string): string {
  return `${round}.${stepId}`
}

/** The plan of a round with the current state of each step. */
export function planWithRecords(round: RoundRecord, records: StepRecords): Plan | undefined {
  const { plan } = round
  if (plan === undefined) return undefined
  return {
    ...plan,
    steps: plan.steps.map((step) => withRecord(step, records.get(stepKey(round.round, step.id)))),
  }
}

function withRecord(step: Step, record: StepRecord | undefined): Step {
  return { ...step, status: record?.status ?? PENDING, attempts: record?.attempts ?? 0 }
}

/** Outputs of the completed steps, in the order of the plan. */
export function outputsOf(plan: Plan): ReadonlyMap<string, JsonValue> {
  const outputs = new Map<string, JsonValue>()
  for (const { id, status } of plan.steps) if (status.s === 'completed') outputs.set(id, status.output)
  return outputs
}

/** What a step may use: with steps side by side only what it depends on, so that it does not matter which ends first. */
export function outputsFor(plan: Plan, step: Step): ReadonlyMap<string, JsonValue> {
  const outputs = outputsOf(plan)
  if (plan.maxParallelSteps === undefined) return outputs
  const sources = sourcesOf(plan, step)
  return new Map([...outputs].filter(([id]) => sources.has(id)))
}

/** Ids of the steps that one depends on, directly or not. */
function sourcesOf({ steps }: Plan, { dependencies }: Step): ReadonlySet<string> {
  const sources = new Set(dependencies)
  for (const id of sources)
    for (const step of steps) if (step.id === id) for (const source of step.dependencies) sources.add(source)
  return sources
}

/** The steps that failed, and how. */
export function failuresOf(
  plan: Plan | undefined,
): readonly { readonly id: string; readonly error: StepError }[] {
  return (plan?.steps ?? []).flatMap(({ id, status }) =>
    status.s === 'failed' ? [{ id, error: status.error }] : [],
  )
}
