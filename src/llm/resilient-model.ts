import { ServiceError } from '../errors.js'
import { type RetryPolicy, retryWaitMs } from '../transport/retry.js'
import { UpstreamError } from '../transport/upstream-error.js'
import { ExchangeAborted } from '../transport/upstream-exchange.js'
import type { CancelSignal } from '../util/cancellation.js'
import type { Clock } from '../util/clock.js'
import type { JsonObject } from '../util/json.js'
import { Admission, type AdmissionLimits } from './admission.js'
import { type BreakerPolicy, type BreakerState, CircuitBreaker } from './circuit-breaker.js'
import type { CallOptions, CallReport, Completion, CompletionStream, ModelRequest, Usage } from './model.js'
import type { Answer, AnswerStream, Upstream } from './upstream.js'
import { isRetryable, outcomeOf, toServiceError } from './upstream-failure.js'

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
  readonly breaker: BreakerPolicy
  readonly admission: AdmissionLimits
  readonly clock: Clock
  readonly onFailedAttempt?: ((failed: FailedAttempt) => void) | undefined
}

/** How an upstream stands, for `/api/status`. */
export interface UpstreamStatus {
  readonly name: string
  readonly circuit: BreakerState
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
  readonly #admission: Admission
  readonly #breaker: CircuitBreaker

  constructor(upstream: Upstream, options: ResilienceOptions) {
    this.#upstream = upstream
    this.#options = options
    this.#admission = new Admission(options.admission)
    this.#breaker = new CircuitBreaker(options.breaker)
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
        return new ReportedAnswer(answer, report)
      },
    })
  }

  /** @throws ServiceError until the first event; the events throw it after */
  stream(request: ModelRequest, options: CallOptions): Promise<CompletionStream> {
    return this.#attempts(request, options, {
      ask: () => this.#upstream.stream(request, options),
      accept: (stream, report) => {
        const events = this.#guarded(stream, request, report, options)
        return { events, usage: () => stream.usage(), report }
      },
    })
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }

  /** Undefined when there is a place now. */
  #enter(signal: CancelSignal): Promise<void> | undefined {
    if (signal.aborted) throw goneError(signal)
    return this.#admission.enter(signal)?.catch((error: unknown) => {
      throw signal.aborted ? goneError(signal) : error
    })
  }

  /** Takes a place and tries; the place is given back when all fails. One function: each `async` one costs a promise. */
  async #attempts<Answered, Result>(
    request: ModelRequest,
    options: CallOptions,
    { ask, accept }: Attempt<Answered, Result>,
  ): Promise<Result> {
    const waiting = this.#enter(options.signal)
    if (waiting !== undefined) await waiting
    try {
      for (let attempt = 1; ; attempt += 1) {
        this.#assertCircuit(attempt - 1)
        const startedAt = performance.now()
        let answered: Answered
        try {
          answered = await ask()
        } catch (error) {
          this.#breaker.record(outcomeOf(error), this.#now(), options.signal)
          await this.#waitOrThrow(error, attempt, request, options)
          continue
        }
        this.#breaker.record('success', this.#now(), options.signal)
        return accept(answered, this.#report(request, attempt, performance.now() - startedAt))
      }
    } catch (error) {
      this.#admission.leave()
      throw error
    }
  }

  /** Returns when another attempt is due. */
  async #waitOrThrow(
    error: unknown,
    attempt: number,
    request: ModelRequest,
    options: CallOptions,
  ): Promise<void> {
    if (!(error instanceof UpstreamError)) throw toFinalError(error, options.signal)
    const mayRetry = isRetryable(error) && options.mayRetry?.() !== false
    const wait = mayRetry ? retryWaitMs(this.#options.retry, attempt, error.retryAfterMs) : undefined
    this.#tell(error, attempt, request, options, wait)
    if (wait === undefined) throw toServiceError(error, this.#upstream.name, attempt)
    try {
      await this.#options.clock.sleep(wait, options.signal)
    } catch (reason) {
      throw toFinalError(reason, options.signal)
    }
  }

  #assertCircuit(attempts: number): void {
    const waitMs = this.#breaker.refuses(this.#now())
    if (waitMs === undefined) return
    const { name } = this.#upstream
    throw new ServiceError('llm_unavailable', `The upstream "${name}" keeps failing; its circuit is open`, {
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
  ): AsyncIterableIterator<Buffer> {
    const toError = (error: unknown) => {
      if (!(error instanceof UpstreamError)) return toFinalError(error, options.signal)
      this.#breaker.record(outcomeOf(error), this.#now(), options.signal)
      this.#tell(error, report.attempts, request, options, undefined)
      return toServiceError(error, this.#upstream.name, report.attempts)
    }
    return new GuardedEvents(stream.events, toError, () => this.#admission.leave())
  }

  #tell(
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
class GuardedEvents implements AsyncIterableIterator<Buffer> {
  readonly #events: AsyncIterableIterator<Buffer>
  readonly #toError: (error: unknown) => Error
  readonly #onEnd: () => void
  #ended = false

  constructor(events: AsyncIterableIterator<Buffer>, toError: (error: unknown) => Error, onEnd: () => void) {
    this.#events = events
    this.#toError = toError
    this.#onEnd = onEnd
  }

  next(): Promise<IteratorResult<Buffer>> {
    return this.#events.next().then(this.#pass, this.#fail)
  }

  return(): Promise<IteratorResult<Buffer>> {
    this.#end()
    return this.#events.return?.() ?? Promise.resolve({ value: undefined, done: true })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  readonly #pass = (result: IteratorResult<Buffer>): IteratorResult<Buffer> => {
    if (result.done === true) this.#end()
    return result
  }

  readonly #fail = (error: unknown): never => {
    this.#end()
    throw this.#toError(error)
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
  }
}

class ReportedAnswer implements Completion {
  readonly bytes: Buffer
  readonly usage: Usage | undefined
  readonly report: CallReport
  readonly answer: Answer

  constructor(answer: Answer, report: CallReport) {
    this.bytes = answer.bytes
    this.usage = answer.usage
    this.report = report
    this.answer = answer
  }

  get body(): JsonObject {
    return this.answer.body
  }
}

function toFinalError(error: unknown, signal: CancelSignal): Error {
  if (signal.aborted || error instanceof ExchangeAborted) return goneError(signal)
  return error instanceof Error ? error : new Error(String(error))
}

/** Whoever aborts may say why with a ServiceError; otherwise the client went away. */
function goneError(signal: CancelSignal): ServiceError {
  if (signal.reason instanceof ServiceError) return signal.reason
  return new ServiceError('client_closed_request', 'the client went away', { cause: signal.reason })
}
