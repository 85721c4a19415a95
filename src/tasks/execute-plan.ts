import type { CallDecision, PendingCall } from '../agents/cycle/cycle-state.js'
import { approvalId } from '../agents/sessions/approvals.js'
import { at } from '../util/at.js'
import { withRound } from './checkpoint.js'
import { brokenDependency, nextStep, type Plan, type Step } from './plan.js'
import { type BegunStep, runStep } from './run-step.js'
import { failuresOf, outputsFor, type StepRecord, type WaitingApproval } from './step-record.js'
import type { TaskConfig } from './task-config.js'
import type { TaskEvent } from './task-event.js'
import type { TaskProgress } from './task-progress.js'
import type { TaskSetup } from './task-setup.js'
import { toWireStep } from './wire-plan.js'

/** A call that a person has to say yes to, under the name of its approval. */
export interface AskedCall {
  readonly id: string
  readonly call: PendingCall
}

/** Tasks have one turn. */
export const TASK_TURN = 1

/**
 * Carries out the steps of the round's plan, those that are settled already left out: in order, or side by side as far as
 * the plan allows and no step depends on another. Dependents of a failed step are skipped.
 *
 * @returns the calls to be asked about; none: every step is settled
 * @throws as steps do, when no step is under way any more
 */
export async function executePlan(
  setup: TaskSetup,
  progress: TaskProgress,
  mayGoOn: () => void,
): Promise<readonly AskedCall[]> {
  const asked: AskedCall[] = []
  const running = new Map<string, Promise<void>>()
  const start = (step: Step) => {
    const run = runToEnd(setup, progress, step).then((calls) => void asked.push(...calls))
    running.set(
      step.id,
      run.finally(() => running.delete(step.id)),
    )
  }
  const { maxParallelSteps = 1 } = progress.plan
  try {
    for (;;) {
      // Somebody is asked when everything that runs is settled.
      const next = asked.length > 0 ? undefined : nextStep(progress.plan, new Set(running.keys()))
      if (next === undefined && running.size === 0) break
      if (next !== undefined && running.size < maxParallelSteps) {
        mayGoOn()
        if (maxParallelSteps === 1) asked.push(...(await runToEnd(setup, progress, next)))
        else start(next)
      } else await Promise.race(running.values())
    }
  } finally {
    await Promise.allSettled(running.values())
  }
  if (asked.length === 0) await closeExecution(progress)
  return asked
}

async function runToEnd(setup: TaskSetup, progress: TaskProgress, step: Step): Promise<readonly AskedCall[]> {
  const asked = await settleStep(setup, progress, step)
  if (asked.length === 0)
    await setup.hooks.execute({ event: 'onPlanStepComplete', planStepIndex: step.index })
  return asked
}

async function settleStep(
  setup: TaskSetup,
  progress: TaskProgress,
  step: Step,
): Promise<readonly AskedCall[]> {
  const record = progress.recordOf(step.id)
  const changed = (plan: Plan) => [stepUpdated(progress, plan, step.id)]
  const broken = brokenDependency(step, progress.plan.steps)
  if (broken !== undefined) {
    await progress.writeStep(step.id, { status: { s: 'skipped', because: broken }, attempts: 0 }, changed)
    return []
  }
  const interruption = record && interruptionOf(record, setup.request.config)
  if (record !== undefined && interruption !== undefined) {
    await progress.writeStep(step.id, interruptedRecord(record, interruption), changed)
    return []
  }
  const end = await runStep(setup, {
    round: progress.round.round,
    step,
    scope: { metadata: setup.request.metadata, outputs: outputsFor(progress.plan, step) },
    record: begun(record, setup.clock.now()),
    decisions: decisionsFor(record, progress),
    spend: progress.spend,
    write: (next) => progress.writeStep(step.id, next, changed),
  })
  if (end.kind === 'waiting') return nameApprovals(setup, progress, step, end)
  await progress.settleStep(step.id, { ...end.record, endedAt: setup.clock.now() }, changed)
  return []
}

/** What is known of a step that begins now, or goes on. */
function begun(record: StepRecord | undefined, now: number): BegunStep {
  if (record === undefined) return { status: { s: 'running' }, attempts: 0, startedAt: now }
  return { ...record, startedAt: record.startedAt ?? now }
}

async function nameApprovals(
  { task }: TaskSetup,
  progress: TaskProgress,
  step: Step,
  { record, calls }: { readonly record: StepRecord; readonly calls: readonly PendingCall[] },
): Promise<readonly AskedCall[]> {
  const first = progress.checkpoint.approvals
  const owner = { kind: 'task', id: task, turn: TASK_TURN } as const
  const asked = calls.map((call, place) => ({
    id: approvalId(owner, first + place),
    call: { ...call, index: first + place },
  }))
  const waiting: WaitingApproval[] = asked.map(({ id, call }) => ({ id, callId: call.id }))
  // What ran before the pause is in the state of the turn: continuing from there repeats nothing.
  const { effects: _effects, ...settled } = record
  await progress.writeStep(step.id, { ...settled, waiting }, undefined, (checkpoint) => ({
    ...checkpoint,
    approvals: first + calls.length,
  }))
  return asked
}

function decisionsFor(
  record: StepRecord | undefined,
  { decisions }: TaskProgress,
): ReadonlyMap<string, CallDecision> {
  const known = (record?.waiting ?? []).flatMap(({ id, callId }) => {
    const decision = decisions.get(id)
    return decision === undefined ? [] : [[callId, decision] as const]
  })
  return new Map(known)
}

/** Why a step that a process died in is not tried again; undefined: it is, or it waits for approvals. */
function interruptionOf(
  { effects, waiting, attempts }: StepRecord,
  { maxStepRetries }: TaskConfig,
): string | undefined {
  // The step may have had an effect, which must not happen twice: its process is gone, and nobody knows.
  if (effects === true) return 'The process that ran the step died; it is not known whether it took effect'
  if (waiting !== undefined || attempts <= maxStepRetries) return undefined
  return `The process that ran the step died during attempt ${attempts} of ${attempts}`
}

function interruptedRecord({ attempts }: StepRecord, message: string): StepRecord {
  return { status: { s: 'failed', error: { code: 'interrupted', message } }, attempts }
}

async function closeExecution(progress: TaskProgress): Promise<void> {
  const failureCount = failuresOf(progress.plan).length
  await progress.writeSoon((checkpoint) => ({
    ...withRound(checkpoint, { failureCount }),
    consecutiveFailures: failureCount > 0 ? checkpoint.consecutiveFailures + 1 : 0,
  }))
}

function stepUpdated({ round }: TaskProgress, { steps }: Plan, id: string): TaskEvent {
  const step = at(
    steps.filter((each) => each.id === id),
    0,
  )
  return { type: 'step.updated', round: round.round, step: toWireStep(step) }
}
