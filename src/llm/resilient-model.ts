import { performance } from 'node:perf_hooks'
import { ServiceError } from '../errors.js'
import { type Batches, eachBatch, type TakeBatch } from '../transport/batch-queue.js'
import type { CircuitState } from '../transport/resilience/circuit.js'
import type { Gate } from '../transport/resilience/gate.js'
import { type RetryPolicy, retryWaitMs } from '../transport/resilience/retry.js'
import { ShareBreaker, type SharePolicy } from '../transport/resilience/share-breaker.js'
import { UpstreamError } from '../transport/upstream-error.js'
import { ExchangeAborted } from '../transport/upstream-exchange.js'
import { promised } from '../util/and-then.js'
import type { CancelSignal } from '../util/cancellation.js'
import type { Clock } from '../util/time/clock.js'
import { type AdmissionLimits, createAdmission } from './admission.js'
import { AnsweredCompletion } from './answered-completion.js'
import type { CallOptions, CallReport, Completion, CompletionStream, ModelRequest } from './model.js'
import { ModelError } from './model-error.js'
import type { AnswerStream, Upstream } from './upstream.js'
import { isRetryable, toModelError, verdictOf } from './upstream-failure.js'

/** One attempt that failed, for the log and the metrics; never any content. */
export interface FailedAttempt {
  readonly upstream: string
  readonly model: string
  readonly attempt: number
  readonly error: UpstreamError
  readonly requestId: string
  /** Undefined when it was the last one. */
  readonly retryInMs: number | undefined
}

export interface ResilienceOptions {
  readonly retry: RetryPolicy
  readonly breaker: SharePolicy
  readonly admission: AdmissionLimits
  readonly clock: Clock
  readonly onFailedAttempt?: ((failed: FailedAttempt) => void) | undefined
}

/** The state of an upstream, for `/api/status`. */
export interface UpstreamStatus {
  readonly name: string
  readonly circuit: CircuitState
  readonly active: number
  readonly waiting: number
}

interface Attempt<Answered, Result> {
  readonly ask: () => Promise<Answered>
  /** Whose answer holds the place from now on. */
  readonly accept: (answered: Answered, report: CallReport) => Result
}

/** An upstream with patience: bounded concurrency and queue, retries, a circuit breaker. */
export class ResilientModel {
  readonly #upstream: Upstream
  readonly #options: ResilienceOptions
  readonly #admission: Gate
  readonly #breaker: ShareBreaker

  constructor(upstream: Upstream, options: ResilienceOptions) {
    this.#upstream = upstream
    this.#options = options
    this.#admission = createAdmission(options.admission)
    this.#breaker = new ShareBreaker(options.breaker)
  }

  get status(): UpstreamStatus {
    const { active, waiting } = this.#admission
    return { name: this.#upstream.name, circuit: this.#breaker.state(this.#now()), active, waiting }
  }

  /** @throws ServiceError */
  complete(request: ModelRequest, options: CallOptions): Promise<Completion> {
    return this.#attempts(request, options, {
      ask: () => this.#upstream.complete(request, options),
      accept: (answer, report) => {
        this.#admission.leave()
        const { rescued } = answer
        return new AnsweredCompletion(answer, rescued === undefined ? report : { ...report, rescued })
      },
    })
  }

  /** @throws ServiceError until the first event; the events throw it after */
  stream(request: ModelRequest, options: CallOptions): Promise<CompletionStream> {
    return this.#attempts(request, options, {
      ask: () => this.#upstream.stream(request, options),
      accept: (stream, report) => {
        const events = this.#guarded(stream, request, report, options)
        const reported = stream.rescued === undefined ? report : new StreamReport(report, stream)
        return { events, usage: () => stream.usage(), ended: events.ended, report: reported }
      },
    })
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }

  /** Undefined when there is a place now. */
  #enter(request: ModelRequest, signal: CancelSignal): Promise<void> | undefined {
    if (signal.aborted) throw goneError(signal)
    try {
      return this.#admission.enter(signal)?.catch((error: unknown) => {
        throw this.#refusal(error, request, signal)
      })
    } catch (error) {
      throw this.#refusal(error, request, signal)
    }
  }

  #refusal(error: unknown, request: ModelRequest, signal: CancelSignal): unknown {
    if (signal.aborted) return goneError(signal)
    if (!(error instanceof ServiceError)) return error
    const { code, message, headers } = error
    return new ModelError(code, message, { headers, cause: error, report: this.#report(request, 0, 0) })
  }

  /** Takes a place and tries; the place is given back when all fails. */
  #attempts<Answered, Result>(
    request: ModelRequest,
    options: CallOptions,
    attempt: Attempt<Answered, Result>,
  ): Promise<Result> {
    return promised(() => {
      const waiting = this.#enter(request, options.signal)
      if (waiting === undefined) return this.#try(1, request, options, attempt)
      return waiting.then(() => this.#try(1, request, options, attempt))
    })
  }

  /**
   * Tries once, and again where that fails. Callbacks: an `async` function has a generator and a promise of its own. Rows `0.5 KB`
   * of `npm run bench:chat`.
   */
  #try<Answered, Result>(
    count: number,
    request: ModelRequest,
    options: CallOptions,
    attempt: Attempt<Answered, Result>,
  ): Promise<Result> {
    const startedAt = performance.now()
    const accept = (answered: Answered): Result => {
      try {
        this.#breaker.record('healthy', this.#now(), options.signal)
        return attempt.accept(answered, this.#report(request, count, performance.now() - startedAt))
      } catch (error) {
        throw this.#leftWith(error)
      }
    }
    const fail = (error: unknown): Promise<Result> =>
      this.#failed(error, count, request, options).then(
        () => this.#try(count + 1, request, options, attempt),
        (reason: unknown) => {
          throw this.#leftWith(reason)
        },
      )
    try {
      this.#assertCircuit(request, count - 1)
    } catch (error) {
      return Promise.reject(this.#leftWith(error))
    }
    return promised(attempt.ask).then(accept, fail)
  }

  #leftWith(error: unknown): unknown {
    this.#admission.leave()
    return error
  }

  /** Returns when another attempt is due. */
  async #failed(error: unknown, attempt: number, request: ModelRequest, options: CallOptions): Promise<void> {
    this.#breaker.record(verdictOf(error), this.#now(), options.signal)
    if (!(error instanceof UpstreamError)) throw toFinalError(error, options.signal)
    const mayRetry = isRetryable(error) && options.mayRetry?.() !== false
    const wait = mayRetry ? retryWaitMs(this.#options.retry, attempt, error.retryAfterMs) : undefined
    this.#reportFailure(error, attempt, request, options, wait)
    if (wait === undefined) throw toModelError(error, this.#report(request, attempt, 0))
    const { model } = request
    options.onRetry?.({ upstream: this.#upstream.name, model, attempt, waitMs: wait, error })
    try {
      await this.#options.clock.sleep(wait, options.signal)
    } catch (reason) {
      throw toFinalError(reason, options.signal)
    }
  }

  #assertCircuit(request: ModelRequest, attempts: number): void {
    const waitMs = this.#breaker.refuses(this.#now())
    if (waitMs === undefined) return
    const { name } = this.#upstream
    throw new ModelError('llm_unavailable', `The upstream "${name}" keeps failing; its circuit is open`, {
      report: this.#report(request, attempts, 0),
      status: 503,
      headers: { 'retry-after': `${Math.ceil(waitMs / 1000)}` },
      details: { upstream: name, upstream_status: null, attempts, reason: 'circuit_open' },
    })
  }

  /** Passes events on; turns a break into the error the client gets, and gives the place back at the end. */
  #guarded(
    stream: AnswerStream,
    request: ModelRequest,
    report: CallReport,
    options: CallOptions,
  ): GuardedEvents {
    const toError = (error: unknown) => {
      if (!(error instanceof UpstreamError)) return toFinalError(error, options.signal)
      this.#breaker.record(verdictOf(error), this.#now(), options.signal)
      this.#reportFailure(error, report.attempts, request, options, undefined)
      return toModelError(error, report, true)
    }
    return new GuardedEvents(stream.events, toError, () => this.#admission.leave())
  }

  #reportFailure(
    error: UpstreamError,
    attempt: number,
    request: ModelRequest,
    options: CallOptions,
    retryInMs: number | undefined,
  ): void {
    const { model } = request
    const upstream = this.#upstream.name
    this.#options.onFailedAttempt?.({
      upstream,
      model,
      attempt,
      error,
      requestId: options.requestId,
      retryInMs,
    })
  }

  #report(request: ModelRequest, attempts: number, upstreamMs: number): CallReport {
    return { upstream: this.#upstream.name, model: request.model, attempts, upstreamMs }
  }

  #now(): number {
    return this.#options.clock.now()
  }
}

/** Written by hand: an async generator around each event would cost two more promises per event. */
class GuardedEvents implements Batches {
  readonly #events: Batches
  readonly #toError: (error: unknown) => Error
  readonly #onEnd: () => void
  /** As a completion stream has it. */
  readonly ended: Promise<ServiceError | undefined>
  /** Undefined once it ended. */
  #settle: ((failure: ServiceError | undefined) => void) | undefined

  constructor(events: Batches, toError: (error: unknown) => Error, onEnd: () => void) {
    this.#events = events
    this.#toError = toError
    this.#onEnd = onEnd
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  next(): Promise<IteratorResult<Buffer>> {
    return this.#events.next().then(this.#pass, this.#fail)
  }

  each(take: TakeBatch): Promise<void> {
    return eachBatch(this.#events, take).then(() => this.#leave()?.(undefined), this.#fail)
  }

  return(): Promise<IteratorResult<Buffer>> {
    this.#leave()?.(new ServiceError('client_closed_request', 'The reader left'))
    return this.#events.return?.() ?? Promise.resolve({ value: undefined, done: true })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  readonly #pass = (result: IteratorResult<Buffer>): IteratorResult<Buffer> => {
    if (result.done === true) this.#leave()?.(undefined)
    return result
  }

  readonly #fail = (error: unknown): never => {
    const settle = this.#leave()
    const failure = this.#toError(error)
    settle?.(asServiceError(failure))
    throw failure
  }

  /** Releases the place, once, and returns how the stream ended. */
  #leave(): ((failure: ServiceError | undefined) => void) | undefined {
    const settle = this.#settle
    if (settle === undefined) return undefined
    this.#settle = undefined
    this.#onEnd()
    return settle
  }
}

function asServiceError(failure: Error): ServiceError {
  if (failure instanceof ServiceError) return failure
  return new ServiceError('internal_error', failure.message, { cause: failure })
}

function toFinalError(error: unknown, signal: CancelSignal): Error {
  if (signal.aborted || error instanceof ExchangeAborted) return goneError(signal)
  return error instanceof Error ? error : new Error(String(error))
}

/** Anybody who aborts may say why with a ServiceError; otherwise the client went away. */
function goneError(signal: CancelSignal): ServiceError {
  if (signal.reason instanceof ServiceError) return signal.reason
  return new ServiceError('client_closed_request', 'The client went away', { cause: signal.reason })
}

/** The report of a stream that is read for calls: whether there were some is known at its end. */
class StreamReport implements CallReport {
  readonly upstream: string
  readonly model: string
  readonly attempts: number
  readonly upstreamMs: number
  readonly #stream: AnswerStream

  constructor({ upstream, model, attempts, upstreamMs }: CallReport, stream: AnswerStream) {
    this.upstream = upstream
    this.model = model
    this.attempts = attempts
    this.upstreamMs = upstreamMs
    this.#stream = stream
  }

  get rescued(): string | undefined {
    return this.#stream.rescued?.()
  }
}
