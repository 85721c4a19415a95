import type { CallDecision, PendingCall } from '../agents/cycle/cycle-state.js'
import { toEventError } from '../agents/cycle/turn-event.js'
import { strictest } from '../agents/tools/permission.js'
import type { CallUsage } from '../llm/usage.js'
import { isRepeatable, type Tool } from '../tools/toolbox.js'
import { type Backoff, backoffMs } from '../transport/resilience/backoff.js'
import { throwIfAborted } from '../util/cancellation.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { correctStep } from './correct-step.js'
import type { Step, StepError } from './plan.js'
import { type ParameterScope, resolveParameters } from './resolve-parameters.js'
import { callStepTool } from './run-step-tool.js'
import { runStepTurn } from './run-step-turn.js'
import { type PausedTurn, type StepRecord, stepKey } from './step-record.js'
import { mayCallAgain, mayTurnAgain } from './step-retry.js'
import type { TaskSetup } from './task-setup.js'

/** Between two attempts that make the same call. */
const RETRY_PAUSES: Backoff = { firstMs: 500, longestMs: 30_000 }

/** A step of which it is known when it began. */
export type BegunStep = StepRecord & Required<Pick<StepRecord, 'startedAt'>>

/** One step with its round and task. */
export interface StepRun {
  readonly round: number
  readonly step: Step
  readonly scope: ParameterScope
  /** What an earlier process, or a pause, has left; or only that it begins. */
  readonly record: BegunStep
  /** Of the approvals it waited for, by call id. */
  readonly decisions: ReadonlyMap<string, CallDecision>
  readonly spend: (spent: CallUsage) => void
  /** Makes a record durable. */
  readonly write: (record: StepRecord) => Promise<void>
}

export type StepEnd =
  | { readonly kind: 'settled'; readonly record: StepRecord }
  | { readonly kind: 'waiting'; readonly record: StepRecord; readonly calls: readonly PendingCall[] }

/** What one attempt came to. */
type Attempt =
  | { readonly kind: 'completed'; readonly output: JsonValue }
  | { readonly kind: 'failed'; readonly error: StepError; readonly mayRetry: boolean }
  | { readonly kind: 'waiting'; readonly calls: readonly PendingCall[]; readonly paused?: PausedTurn }

/**
 * Carries out one step, and again while that may help: attempts happen inside `running`, so its status goes one way.
 * The intent is durable before anything acts.
 *
 * @throws the signal's reason when it aborts
 */
export function runStep(setup: TaskSetup, run: StepRun): Promise<StepEnd> {
  return new StepAttempts(setup, run).run()
}

class StepAttempts {
  readonly #setup: TaskSetup
  readonly #run: StepRun
  #record: BegunStep
  #decisions: StepRun['decisions']
  /** Whether the intent of this attempt is durable. */
  #isWritten = false

  constructor(setup: TaskSetup, run: StepRun) {
    this.#setup = setup
    this.#run = run
    this.#record = run.record
    this.#decisions = run.decisions
  }

  async run(): Promise<StepEnd> {
    // A step that waited continues its current attempt.
    let isResumed = this.#record.waiting !== undefined
    for (;;) {
      const attempts = this.#record.attempts + (isResumed ? 0 : 1)
      this.#record = { ...this.#record, attempts }
      const attempt = await this.#attempt()
      throwIfAborted(this.#setup.call.signal)
      if (attempt.kind === 'waiting') return this.#waiting(attempt)
      if (attempt.kind === 'completed') return this.#settled({ s: 'completed', output: attempt.output })
      if (!(await this.#mayTryAgain(attempt))) return this.#settled({ s: 'failed', error: attempt.error })
      this.#forgetPause()
      isResumed = false
    }
  }

  async #attempt(): Promise<Attempt> {
    const { toolId } = this.#run.step
    try {
      if (toolId === undefined) return await this.#turn()
      const tool = this.#setup.agent.toolbox.get(toolId)
      if (tool === undefined) return failed('unknown_tool', `there is no tool named "${toolId}" any more`)
      return await this.#call(tool)
    } catch (error) {
      throwIfAborted(this.#setup.call.signal)
      if (isLost(error)) throw error
      const hadEffects = this.#record.effects === true || this.#record.paused !== undefined
      const mayRetry = toolId === undefined && mayTurnAgain(error, hadEffects)
      return { kind: 'failed', error: toEventError(error), mayRetry }
    }
  }

  async #call(tool: Tool): Promise<Attempt> {
    const { round, step } = this.#run
    const place = stepKey(round, step.id)
    const args = this.#arguments(tool.parameters)
    const permission = strictest(tool.permission, this.#setup.agent.permission(tool))
    if (permission === 'deny') return failed('forbidden', `the tool "${tool.name}" is not permitted`)
    const decision = permission === 'ask' ? this.#decisions.get(place) : undefined
    if (permission === 'ask' && decision === undefined)
      return {
        kind: 'waiting',
        calls: [{ id: place, name: tool.name, arguments: args, index: 0, ask: true }],
      }
    if (decision?.kind === 'rejected')
      return failed('approval_rejected', decision.reason ?? 'no reason was given')
    await this.#intend(isRepeatable(tool))
    const outcome = await callStepTool(this.#setup, tool, place, decision?.arguments ?? args, (usage, cost) =>
      this.#run.spend({ usage, cost }),
    )
    if (outcome.ok) return { kind: 'completed', output: outcome.value }
    const { code, message } = outcome
    return { kind: 'failed', error: { code, message }, mayRetry: mayCallAgain(tool, code) }
  }

  async #turn(): Promise<Attempt> {
    const { round, step, scope, spend } = this.#run
    const parameters = this.#arguments({})
    const { paused } = this.#record
    await this.#intend(true)
    const end = await runStepTurn(this.#setup, {
      round,
      step,
      parameters,
      outputs: scope.outputs,
      paused,
      decisions: this.#decisions,
      spend,
      beforeEffects: () => this.#intend(false),
    })
    if (end.kind === 'completed') return end
    return { kind: 'waiting', calls: end.waiting, paused: end.paused }
  }

  /** Says what is about to happen, once for each thing that has to be known after a crash. */
  async #intend(isHarmless: boolean): Promise<void> {
    if (!isHarmless && this.#record.effects === true && this.#isWritten) return
    this.#isWritten = true
    this.#record = { ...this.#record, ...(!isHarmless && { effects: true as const }) }
    await this.#run.write(this.#record)
  }

  #arguments(schema: JsonObject): JsonObject {
    const { step, scope } = this.#run
    return resolveParameters(this.#record.parameters ?? step.parameters, scope, schema)
  }

  async #mayTryAgain({ error, mayRetry }: Extract<Attempt, { kind: 'failed' }>): Promise<boolean> {
    const { config } = this.#setup.request
    if (!mayRetry || this.#record.attempts > config.maxStepRetries) return false
    if (!config.enableStepLevelReflection) return this.#rested()
    const parameters = this.#record.parameters ?? this.#run.step.parameters
    const correction = await correctStep(this.#setup, this.#run, parameters, error)
    throwIfAborted(this.#setup.call.signal)
    if (!correction.retry) return false
    if (correction.parameters === undefined) return this.#rested()
    this.#record = { ...this.#record, parameters: correction.parameters }
    return true
  }

  /** What failed a moment ago fails again: the same call waits, longer each time. */
  async #rested(): Promise<true> {
    const { clock, call } = this.#setup
    await clock.sleep(backoffMs(RETRY_PAUSES, this.#record.attempts), call.signal)
    return true
  }

  /** What was decided was decided about that attempt. */
  #forgetPause(): void {
    const { paused: _paused, waiting: _waiting, ...rest } = this.#record
    this.#record = rest
    this.#isWritten = false
    this.#decisions = new Map()
  }

  #waiting({ calls, paused }: Extract<Attempt, { kind: 'waiting' }>): StepEnd {
    const record = { ...this.#record, ...(paused !== undefined && { paused }) }
    return { kind: 'waiting', calls, record }
  }

  #settled(status: StepRecord['status']): StepEnd {
    const { attempts, startedAt, parameters } = this.#record
    const record = { status, attempts, startedAt }
    return { kind: 'settled', record: parameters === undefined ? record : { ...record, parameters } }
  }
}

function failed(code: string, message: string): Attempt {
  return { kind: 'failed', error: { code, message }, mayRetry: false }
}

/** The lease is gone: nothing may be said about the step any more. */
function isLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'turn_interrupted'
}
