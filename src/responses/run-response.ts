import { ServiceError } from '../errors.js'
import { responseObject } from '../llm/responses/to-response.js'
import { CancelRequested } from '../state/leased-run.js'
import { Cancellation, whenAborted } from '../util/cancellation.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { listField } from '../util/json/json-fields.js'
import { type AnswerFacts, askForResponse } from './ask-model.js'
import { EventPump } from './event-pump.js'
import { type AnswerWriter, type PlannedWriter, planResponse } from './response-plan.js'
import type { ResponseRun } from './response-run.js'
import type { ResponseRuntime } from './response-runtime.js'
import { type LoopOutcome, runLoop } from './run-loop.js'

/** How a response ended, or its state as far as this process knows. */
export interface ResponseOutcome extends AnswerFacts {
  /** The response's object; undefined where this process lost it: the log has its end. */
  readonly response: JsonObject | undefined
  /** Why there is no good answer. */
  readonly error?: ServiceError | undefined
}

/** Why a process ends its responses. */
export class ShuttingDown extends Error {
  override readonly name = 'ShuttingDown'
}

/** Answers: asks the model, stores every event before it is shown, and ends the response, however it goes. Never rejects. */
export async function runResponse(runtime: ResponseRuntime, options: ResponseRun): Promise<ResponseOutcome> {
  const { run, begun, lock } = options
  const pump = new EventPump(run, begun?.events ?? 0)
  try {
    return await answer(runtime, options, pump)
  } catch (error) {
    // The lease is lost, or the store is away for longer than it holds: another process ends the response.
    run.close()
    lock?.leave()
    return { response: undefined, error: toServiceError(error) }
  }
}

async function answer(
  runtime: ResponseRuntime,
  options: ResponseRun,
  pump: EventPump,
): Promise<ResponseOutcome> {
  const { frame, stored, run, stop, begun } = options
  const isLoop = stored.answerer.kind !== 'model'
  for (const { type, fields } of begun?.closing ?? []) pump.emit(type, fields)
  // What was shown is never retracted: a model would start from scratch, and a loop continues with its next step.
  if (begun !== undefined && (begun.isHopeless || (begun.wasShown && !isLoop)))
    return fail(options, pump, brokenOff(), begun.output)
  const signal = new Cancellation()
  whenAborted(run.signal, () => signal.abort(run.signal.reason))
  whenAborted(stop, () => signal.abort(stop.reason))
  let writer: AnswerWriter | undefined
  let told: AnswerFacts = {}
  const written = <Writer extends AnswerWriter>(create: PlannedWriter<Writer>): Writer => {
    const made = create(frame, pump.emit, pump.hasBegun ? (begun?.output ?? []) : undefined)
    writer = made
    return made
  }
  try {
    const plan = planResponse(runtime, stored, options.context)
    const isBackground = stored.kept.background === true
    if (plan.kind === 'loop') {
      const loopWriter = written(plan.createWriter)
      if (isBackground) loopWriter.start()
      const { response, spent, paused } = await runLoop(runtime, plan, loopWriter, options, pump, signal)
      told = spent
      await end(options, pump, response, paused)
      return { response, ...told }
    }
    if (isBackground) written(plan.createWriter).start()
    const response = await askForResponse({
      ...{ plan, pump, isStream: stored.isStream, createWriter: () => written(plan.createWriter) },
      call: { ...options.call, signal, endpoint: plan.endpoint, mayRetry: () => !pump.hasShown },
      onFacts(facts) {
        told = facts
      },
    })
    await end(options, pump, response)
    return { response, ...told }
  } catch (error) {
    if (run.signal.aborted && !(run.signal.reason instanceof CancelRequested)) throw error
    if (stop.aborted && stop.reason instanceof ShuttingDown && (isLoop || !pump.hasShown)) {
      await release(options)
      throw error
    }
    writer?.cut()
    const output = writer?.output ?? []
    if (signal.aborted && !(signal.reason instanceof ShuttingDown))
      return cancelled(options, pump, output, error)
    return { ...(await fail(options, pump, toServiceError(error), output)), ...told }
  }
}

/** The conversation has the items before anybody is shown the end, so that the next call finds them. */
async function end(
  { run, lock, stored }: ResponseRun,
  pump: EventPump,
  response: JsonObject,
  { state, ...written }: Partial<NonNullable<LoopOutcome['paused']>> = {},
): Promise<void> {
  // The end of a lease that is over would be written in vain.
  await run.assertHeld()
  // Who takes over finds the answer in the conversation and writes only the last event: the log has all others by then.
  if (lock !== undefined) await pump.stored()
  await lock?.add([...stored.items, ...listField(response, 'output').filter(isJsonObject)], response)
  const type = own(response, 'status') === 'incomplete' ? 'response.incomplete' : 'response.completed'
  const turn = { status: 'completed', result: response, ...(state !== undefined && { state }) } as const
  await pump.end(type, { response }, { ...written, turn })
}

async function fail(
  { run, lock, frame }: ResponseRun,
  pump: EventPump,
  error: ServiceError,
  output: readonly JsonObject[],
): Promise<ResponseOutcome> {
  const code = error.code === 'rate_limited' ? 'rate_limit_exceeded' : 'server_error'
  const response = {
    ...responseObject(frame, frame.request.model, 'failed'),
    error: { code, message: error.message },
    output,
  }
  if (!pump.hasBegun)
    pump.emit('response.created', { response: responseObject(frame, frame.request.model, 'in_progress') })
  await run.assertHeld()
  await lock?.unlock()
  await pump.end('response.failed', { response }, { turn: { status: 'failed', result: response } })
  return { response, error }
}

async function cancelled(
  { lock, frame }: ResponseRun,
  pump: EventPump,
  output: readonly JsonObject[],
  cause: unknown,
): Promise<ResponseOutcome> {
  const response = { ...responseObject(frame, frame.request.model, 'cancelled'), output }
  await lock?.unlock()
  await pump.end('response.cancelled', { response }, { turn: { status: 'cancelled', result: response } })
  const error = new ServiceError('client_closed_request', 'The response was cancelled', { cause })
  return { response, error }
}

/** Gives the response back: another process begins it again. */
async function release({ run, lock }: ResponseRun): Promise<void> {
  await run.commit({ release: true })
  lock?.leave()
}

function brokenOff(): ServiceError {
  return new ServiceError(
    'turn_interrupted',
    'The process that answered died before the end, and the answer cannot be continued',
  )
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  return new ServiceError('internal_error', 'The response failed', { cause: error })
}
