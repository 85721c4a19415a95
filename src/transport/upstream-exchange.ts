import { Readable } from 'node:stream'
import type { CancelSignal } from '../util/cancellation.js'
import { toError } from '../util/errors/error-message.js'
import { SLICE_MS } from '../util/slices/budgets.js'
import type { Deadline, Deadlines } from '../util/time/deadlines.js'
import { CoalescedReads, type Later } from './coalesced-reads.js'
import type { ConnectionPool, LeasingHandler } from './connection-pool.js'
import { headerOf, type RawHeaders } from './raw-headers.js'
import { refusalOf } from './refuse-encodings.js'
import { UpstreamError, type UpstreamPhase } from './upstream-error.js'
import { WireError } from './wire-error.js'

export interface ExchangeRequest {
  readonly path: string
  /** Names and values in turn; undici gets this very list. */
  readonly headers: string[]
  /** A text, its bytes, or those of a long one in pieces. */
  readonly body: string | Buffer | readonly Buffer[]
}

/** Limits of one exchange by phase. The connect limit belongs to the dispatcher's connector. */
export interface ExchangeTimeouts {
  /** From the start to the first `progress`. The total limit also holds. */
  readonly firstByteMs: number
  /** Between two calls of `progress`; does not run while paused. */
  readonly idleMs: number
  /** Of all exchanges that have this limit. */
  readonly total: Deadlines
}

/** Callbacks for what happens on the wire. `onEnd` or `onError` is the last call, and comes once. */
export interface ExchangeSink {
  /** Whether what a read of the connection brings is one piece, as `CoalescedReads` has it; otherwise each part is, as it comes. */
  readonly isGathering: boolean
  onStart(status: number, headers: RawHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onError(error: Error): void
}

/** Whether this is the abort of our own signal: not a failure of the upstream. */
export class ExchangeAborted extends Error {
  override readonly name = 'ExchangeAborted'
}

const CONNECT_FAILURES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/**
 * One POST over undici's `dispatch`: no body stream, no promise per part, the socket destroyed on abort. An answer in an
 * encoding that was not asked for is refused, as `refuseEncodings` does it.
 * A phase's limit holds to the millisecond. What one read brings, or of a fast stream what several do, is handed on together,
 * and only its time is noted: the timer of the phase looks at it when it fires. Row `fast` of `npm run bench:chat`.
 *
 * Its callbacks are those that undici's parser calls: a handler of the newer kind is wrapped in two objects, and gets all
 * headers as texts. Rows `0.5 KB` of `npm run bench:chat`.
 */
export class UpstreamExchange implements LeasingHandler {
  leave?: (ended: boolean) => void
  readonly #sink: ExchangeSink
  readonly #timeouts: ExchangeTimeouts
  readonly #signal: CancelSignal
  readonly #onAbort = () => this.abort(new ExchangeAborted('aborted', { cause: this.#signal.reason }))
  /** The total limit is the shortest, as by default: then its timer is the only one that can fire. */
  readonly #onlyTotal: boolean
  #destroy: ((reason: Error) => void) | undefined
  /** Lets undici read again, where it stopped. */
  #readOn: (() => void) | undefined
  #failure: Error | undefined
  #finished = false
  #phaseTimer: NodeJS.Timeout | undefined
  #phase: 'first_byte' | 'idle' = 'first_byte'
  #isPaused = false
  #isGivingWay = false
  /** Since it last yielded. */
  #heldMs = 0
  readonly #end: Deadline
  /** When the answer moved on last. */
  #movedAt = 0
  /** Undefined for a sink that takes each part as it comes. */
  readonly #reads: CoalescedReads | undefined

  /** @param later lets what a fast stream brings wait for more; undefined to hand on each read at once */
  constructor(sink: ExchangeSink, timeouts: ExchangeTimeouts, signal: CancelSignal, later?: Later) {
    this.#sink = sink
    this.#timeouts = timeouts
    this.#signal = signal
    this.#reads = sink.isGathering ? new CoalescedReads(this.#deliver, later) : undefined
    const { firstByteMs, idleMs, total } = timeouts
    this.#onlyTotal = total.ms <= firstByteMs && total.ms <= idleMs
    if (!this.#onlyTotal) this.#phaseTimer = setTimeout(() => this.#expire('first_byte'), firstByteMs)
    this.#end = total.begin(() => this.#expireTotal())
  }

  /** Sends the request. The time limits of undici are off: ours know the phases. */
  send(pool: Pick<ConnectionPool, 'dispatch'>, request: ExchangeRequest): void {
    if (this.#finished) return
    if (this.#signal.aborted) {
      this.#onAbort()
      return
    }
    this.#signal.addEventListener('abort', this.#onAbort, { once: true })
    try {
      const { path, headers, body } = toSent(request)
      // Written out: what is spread is copied by a slow path.
      pool.dispatch({ method: 'POST', path, headers, body, headersTimeout: 0, bodyTimeout: 0 }, this)
    } catch (error) {
      this.abort(toUpstreamError(toError(error)))
    }
  }

  /** Says that the answer moved on: ends the first-byte limit, starts the idle limit again. */
  progress(): void {
    if (this.#finished) return
    const wasIdle = this.#phase === 'idle'
    this.#phase = 'idle'
    if (this.#onlyTotal) return
    this.#movedAt = performance.now()
    if (wasIdle) return
    clearTimeout(this.#phaseTimer)
    this.#watchIdling(this.#timeouts.idleMs)
  }

  /** The answer is complete in itself: the connection may take no longer than `ms` to end. */
  endWithin(ms: number): void {
    if (this.#finished) return
    clearTimeout(this.#phaseTimer)
    this.#phaseTimer = setTimeout(() => this.#expire('idle'), ms)
  }

  /** Stops reading until `resume`. A slow reader on our side is not the upstream's idling. */
  pause(): void {
    if (this.#finished) return
    this.#isPaused = true
    clearTimeout(this.#phaseTimer)
  }

  resume(): void {
    if (this.#finished) return
    this.#phase = 'idle'
    this.#isPaused = false
    if (!this.#onlyTotal) {
      this.#movedAt = performance.now()
      this.#watchIdling(this.#timeouts.idleMs)
    }
    if (!this.#isGivingWay) this.#readOn?.()
  }

  /** The timer is not set again for each part: it finds out how long ago the last one was. */
  #watchIdling(ms: number): void {
    this.#phaseTimer = setTimeout(() => {
      const leftMs = this.#movedAt + this.#timeouts.idleMs - performance.now()
      if (leftMs > 1) this.#watchIdling(leftMs)
      else this.#expire('idle')
    }, ms)
  }

  /** Destroys the connection and reports `reason` to the sink, now. */
  abort(reason: Error): void {
    if (this.#finished) return
    this.#failure = reason
    this.#finish()
    this.#sink.onError(reason)
    this.#destroy?.(reason)
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#destroy = abort
    if (this.#failure !== undefined) abort(this.#failure)
  }

  onHeaders(status: number, headers: RawHeaders, resume: () => void): boolean {
    this.#readOn = resume
    if (!this.#finished && status >= 200) this.#start(status, headers)
    return this.#mayRead()
  }

  #start(status: number, headers: RawHeaders): void {
    const refusal = refusalOf(headerOf(headers, 'content-encoding'))
    if (refusal !== undefined) {
      this.abort(toUpstreamError(refusal))
      return
    }
    try {
      this.#sink.onStart(status, headers)
    } catch (error) {
      this.abort(toError(error))
    }
  }

  /** Each chunk of a read is a call, and the rest of the way is for all of them. */
  onData(chunk: Buffer): boolean {
    if (this.#finished) return true
    if (this.#reads === undefined) this.#hand(chunk)
    else this.#reads.push(chunk)
    return this.#mayRead()
  }

  #mayRead(): boolean {
    return !this.#isPaused && !this.#isGivingWay
  }

  readonly #deliver = (): void => {
    const reads = this.#reads
    const bytes = this.#finished ? undefined : reads?.take()
    if (reads === undefined || bytes === undefined) return
    this.#hand(bytes)
    this.#heldMs += performance.now() - reads.takenAt
    if (this.#heldMs > SLICE_MS) this.#giveWay()
  }

  /** A sink that throws ends the exchange with its error; undici would swallow it into a parser failure. */
  #hand(bytes: Buffer): void {
    try {
      this.#sink.onData(bytes)
    } catch (error) {
      this.abort(toError(error))
    }
  }

  /** Much may have come at once, and all of it would be read before anybody else has a turn. */
  #giveWay(): void {
    this.#heldMs = 0
    if (this.#finished || this.#isGivingWay) return
    this.#isGivingWay = true
    setImmediate(() => {
      this.#isGivingWay = false
      if (!this.#finished && !this.#isPaused) this.#readOn?.()
    })
  }

  onComplete(): void {
    this.leave?.(true)
    this.#deliver()
    if (this.#finished) return
    this.#finish()
    this.#sink.onEnd()
  }

  onError(error: Error): void {
    this.leave?.(false)
    this.#deliver()
    if (this.#finished) return
    this.#finish()
    this.#sink.onError(toUpstreamError(error))
  }

  #expire(phase: 'first_byte' | 'idle'): void {
    const limitMs = phase === 'idle' ? this.#timeouts.idleMs : this.#timeouts.firstByteMs
    this.abort(new UpstreamError(phase, `${EXPIRED[phase]} ${limitMs} ms`))
  }

  /** Without a beginning the error is not a slow answer: there was none. */
  #expireTotal(): void {
    const phase = this.#phase === 'first_byte' ? 'first_byte' : 'total'
    this.abort(new UpstreamError(phase, `${EXPIRED[phase]} ${this.#timeouts.total.ms} ms`))
  }

  #finish(): void {
    this.#finished = true
    clearTimeout(this.#phaseTimer)
    this.#timeouts.total.end(this.#end)
    this.#signal.removeEventListener('abort', this.#onAbort)
  }
}

/** What undici is given: a body in pieces becomes a stream. */
function toSent({ path, headers, body }: ExchangeRequest) {
  return typeof body === 'string' || Buffer.isBuffer(body)
    ? { path, headers, body }
    : inPieces(path, headers, body)
}

/** With its length: not every server takes a body in chunks. */
function inPieces(path: string, headers: readonly string[], pieces: readonly Buffer[]) {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const body = Readable.from(pieces, { objectMode: false })
  return { path, headers: [...headers, 'content-length', String(length)], body }
}

const EXPIRED = {
  first_byte: 'no answer within',
  idle: 'the answer stalled for',
  total: 'the answer was not complete within',
} as const

function toUpstreamError(error: Error & { code?: string }): UpstreamError {
  if (error instanceof WireError) return new UpstreamError('body', error.message, { cause: error })
  const phase: UpstreamPhase = CONNECT_FAILURES.has(error.code ?? '') ? 'connect' : 'network'
  return new UpstreamError(phase, error.message || error.code || error.name, { cause: error })
}
