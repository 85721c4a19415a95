import { BatchQueue } from '../transport/batch-queue.js'
import { createLater } from '../transport/coalesced-reads.js'
import { ConnectionPool } from '../transport/connection-pool.js'
import { headerOf, type RawHeaders } from '../transport/raw-headers.js'
import { readRetryAfterMs } from '../transport/resilience/retry.js'
import { SseSplitter } from '../transport/sse-splitter.js'
import { toEvent } from '../transport/sse-writer.js'
import { UpstreamError } from '../transport/upstream-error.js'
import { type ExchangeSink, type ExchangeTimeouts, UpstreamExchange } from '../transport/upstream-exchange.js'
import { toError } from '../util/errors/error-message.js'
import { GatheredBytes } from '../util/gathered-bytes.js'
import { stringifyJson } from '../util/json/json.js'
import { withoutTrailing } from '../util/text/without-trailing.js'
import { type Clock, systemClock } from '../util/time/clock.js'
import { createDeadlines } from '../util/time/deadlines.js'
import { askingForUsage, wantsUsage, withoutStreamOptions, withoutUsageEvents } from './chat/stream-usage.js'
import { StreamWatch } from './chat/stream-watch.js'
import { toWholeChunk } from './chat/write-completion.js'
import { MAX_EVENT_BYTES } from './limits.js'
import { maskFailure, secretsOf } from './mask-failure.js'
import type { CallOptions, Endpoint, ModelRequest } from './model.js'
import { readAnswer, readErrorBody } from './read-answer.js'
import { requestBody } from './request-body.js'
import type { Answer, AnswerStream, Upstream } from './upstream.js'
import { type UpstreamHeaders, upstreamHeaders } from './upstream-headers.js'

/** Where and how an OpenAI-compatible server is reached. Comes from the configuration only, never from a request. */
export interface HttpUpstreamSettings extends UpstreamHeaders {
  readonly name: string
  /** Up to and including the version, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string
  /** Ask for the usage of every stream; a client that did not ask does not see it. `never` asks for none. */
  readonly streamUsage: boolean | 'never'
  readonly maxConcurrent: number
  readonly maxAnswerBytes: number
  readonly timeouts: UpstreamTimeouts
}

/** Limits of one attempt, in milliseconds. */
export interface UpstreamTimeouts {
  readonly connectMs: number
  /** Until the answer, or a stream's first event, begins. */
  readonly firstByteMs: number
  /** Between two parts of an answer, or two whole events of a stream. */
  readonly idleMs: number
  /** For a whole answer that is not streamed. */
  readonly totalMs: number
  /** For a whole stream. */
  readonly streamTotalMs: number
}

/** Takes the secrets out of a failure. */
type Mask = (error: Error) => Error

const KEEP_ALIVE_MS = 4_000
/** How long a server may keep the connection busy after `[DONE]`. */
const MAX_MS_AFTER_DONE = 1_000

/** An OpenAI-compatible server over HTTP, through one pool of kept-alive connections. `close` ends them. */
export function createHttpUpstream(settings: HttpUpstreamSettings, clock: Clock): Upstream {
  const { origin, pathname } = new URL(settings.baseUrl)
  const base = withoutTrailing(pathname, '/')
  const pool = new ConnectionPool(origin, {
    connections: settings.maxConcurrent,
    keepAliveMs: KEEP_ALIVE_MS,
    connectTimeoutMs: settings.timeouts.connectMs,
  })
  // Put together for each request, a path is copied before undici can check it. Rows `0.5 KB` of `npm run bench:chat`.
  const pathOf = (endpoint: Endpoint) => `${base}/${endpoint}`
  const chatPath = pathOf('chat/completions')
  const fixedHeaders = Object.entries(upstreamHeaders(settings)).flat()
  const secrets = secretsOf(settings.apiKey, settings.headers)
  const mask: Mask = (error) => maskFailure(error, secrets)
  const { firstByteMs, idleMs, totalMs, streamTotalMs } = settings.timeouts
  const ofAnswers = { firstByteMs, idleMs, total: createDeadlines(totalMs, systemClock.elapsed) }
  const later = createLater()
  const ofStreams = { firstByteMs, idleMs, total: createDeadlines(streamTotalMs, systemClock.elapsed) }

  function start(
    sink: AnswerSink | StreamSink,
    request: ModelRequest,
    options: CallOptions,
    timeouts: ExchangeTimeouts,
  ): void {
    const headers = [...fixedHeaders, 'x-request-id', options.requestId]
    if (options.traceparent !== undefined) headers.push('traceparent', options.traceparent)
    const { endpoint = 'chat/completions' } = options
    const path = endpoint === 'chat/completions' ? chatPath : pathOf(endpoint)
    const body = options.sentBody?.bytesOf(request) ?? requestBody(request)
    const exchange = new UpstreamExchange(sink, timeouts, options.signal, later)
    sink.exchange = exchange
    if (body instanceof Promise)
      body.then(
        (pieces) => exchange.send(pool, { path, headers, body: pieces }),
        (error: unknown) => exchange.abort(toError(error)),
      )
    else exchange.send(pool, { path, headers, body })
  }

  return {
    name: settings.name,
    complete(request, options) {
      return new Promise((resolve, reject) => {
        const endpoint = options.endpoint ?? 'chat/completions'
        const fail = (error: Error) => reject(mask(error))
        const sink = new AnswerSink(endpoint, settings, clock, resolve, fail)
        start(sink, request, options, ofAnswers)
      })
    },
    stream(request, options) {
      const endpoint = options.endpoint ?? 'chat/completions'
      const { streamUsage } = settings
      const hidesUsage = streamUsage === true && endpoint !== 'responses' && !wantsUsage(request)
      const plain = streamUsage === 'never' ? withoutStreamOptions(request) : request
      const asked = hidesUsage ? askingForUsage(request) : plain
      return new Promise((resolve, reject) => {
        const sink = new StreamSink(endpoint, hidesUsage, settings, clock, mask, resolve, reject)
        start(sink, asked, options, ofStreams)
      })
    },
    close: () => pool.destroy(),
  }
}

/** Collects a whole body, within the limit, and makes an answer or a failure of it. */
class AnswerSink implements ExchangeSink {
  exchange: UpstreamExchange | undefined
  readonly isGathering = false
  protected readonly endpoint: Endpoint
  readonly #maxBytes: number
  readonly #clock: Clock
  readonly #resolve: (answer: Answer) => void
  protected readonly reject: (error: Error) => void
  #status = 0
  #headers: RawHeaders = []
  readonly #body = new GatheredBytes()

  constructor(
    endpoint: Endpoint,
    settings: HttpUpstreamSettings,
    clock: Clock,
    resolve: (answer: Answer) => void,
    reject: (error: Error) => void,
  ) {
    this.endpoint = endpoint
    this.#maxBytes = settings.maxAnswerBytes
    this.#clock = clock
    this.#resolve = resolve
    this.reject = reject
  }

  onStart(status: number, headers: RawHeaders): void {
    this.#status = status
    this.#headers = headers
    this.exchange?.progress()
  }

  onData(chunk: Buffer): void {
    if (this.#body.length + chunk.length > this.#maxBytes) {
      throw new UpstreamError('body', `the upstream's answer is larger than ${this.#maxBytes} bytes`, {
        status: this.#status,
      })
    }
    this.#body.add(chunk)
    this.exchange?.progress()
  }

  onEnd(): void {
    try {
      const answer = this.#body.isLong ? this.#readLong() : this.#read(this.#body.joined())
      if (answer instanceof Promise) answer.then(this.#resolve).catch(this.reject)
      else this.#resolve(answer)
    } catch (error) {
      this.reject(toError(error))
    }
  }

  onError(error: Error): void {
    this.reject(error)
  }

  async #readLong(): Promise<Answer> {
    return this.#read(await this.#body.joinedInTurns())
  }

  #read(body: Buffer): Answer | Promise<Answer> {
    if (this.#status === 200) return readAnswer(body, this.endpoint)
    const said = readErrorBody(body)
    const message = said === undefined ? unexplained(this.#status) : `: ${said.message}`
    throw new UpstreamError('status', `the upstream answered ${this.#status}${message}`, {
      status: this.#status,
      retryAfterMs: readRetryAfterMs((name) => headerOf(this.#headers, name), this.#clock.now()),
      detail: said,
    })
  }
}

/** What a status without an error in the format of OpenAI probably means. */
function unexplained(status: number): string {
  return status === 404
    ? " in another format than OpenAI's: check that its base URL ends with the version, such as https://host/v1"
    : ''
}

/**
 * Relays an event stream. The promise is pending until the first event. A status other than 200, or a body that is not an
 * event stream, is collected and read like a plain answer.
 */
class StreamSink implements ExchangeSink {
  exchange: UpstreamExchange | undefined
  readonly isGathering = true
  readonly #endpoint: Endpoint
  readonly #hidesUsage: boolean
  readonly #resolve: (stream: AnswerStream) => void
  readonly #reject: (error: Error) => void
  readonly #mask: Mask
  readonly #watch: StreamWatch
  readonly #queue: BatchQueue
  readonly #splitter: SseSplitter
  readonly #plain: AnswerSink
  #isPlain = false
  #isOpen = false
  #isDone = false

  constructor(
    endpoint: Endpoint,
    hidesUsage: boolean,
    settings: HttpUpstreamSettings,
    clock: Clock,
    mask: Mask,
    resolve: (stream: AnswerStream) => void,
    reject: (error: Error) => void,
  ) {
    this.#endpoint = endpoint
    this.#hidesUsage = hidesUsage
    this.#resolve = resolve
    this.#mask = mask
    this.#reject = (error) => reject(mask(error))
    this.#watch = new StreamWatch(endpoint)
    this.#queue = new BatchQueue({
      pause: () => this.exchange?.pause(),
      resume: () => this.exchange?.resume(),
      cancel: () => this.exchange?.abort(new Error('The reader left')),
    })
    this.#splitter = new SseSplitter(
      { onEvents: (events, text) => this.#onEvents(events, text), onDone: () => this.#onDone() },
      Math.min(settings.maxAnswerBytes, MAX_EVENT_BYTES),
    )
    const onPlain = (answer: Answer) => this.#onPlainAnswer(answer)
    this.#plain = new AnswerSink(endpoint, settings, clock, onPlain, this.#reject)
  }

  onStart(status: number, headers: RawHeaders): void {
    this.#isPlain = status !== 200 || !isEventStream(headers)
    if (!this.#isPlain) return
    this.#plain.exchange = this.exchange
    this.#plain.onStart(status, headers)
  }

  onData(chunk: Buffer): void {
    if (this.#isPlain) this.#plain.onData(chunk)
    else this.#split(chunk)
  }

  onEnd(): void {
    if (this.#isPlain) {
      this.#plain.onEnd()
      return
    }
    try {
      this.#splitter.end()
      if (!this.#isDone) this.#endWithoutDone()
    } catch (error) {
      this.onError(toError(error))
    }
  }

  /** Some servers send no `[DONE]`; an answer that has its finish reason is whole all the same. */
  #endWithoutDone(): void {
    if (!this.#isOpen || !this.#watch.isFinished()) {
      throw new UpstreamError('body', "the upstream's stream ended before the answer did", { status: 200 })
    }
    this.#queue.end()
  }

  onError(error: Error): void {
    if (this.#isOpen) this.#queue.fail(this.#mask(error))
    else this.#reject(error)
  }

  #split(chunk: Buffer): void {
    try {
      this.#splitter.push(chunk)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new UpstreamError('body', error.message, { status: 200, cause: error })
    }
    this.#queue.flush()
  }

  /** When something is wrong with events that came together, the good ones before it still count. */
  #onEvents(events: Buffer, text?: string): void {
    try {
      this.#watch.see(events, text)
    } catch (error) {
      const [first, ...others] = singleEvents(events)
      if (first === undefined || others.length === 0) throw error
      for (const event of [first, ...others]) this.#onEvents(event)
      return
    }
    this.exchange?.progress()
    const shown = this.#hidesUsage ? withoutUsageEvents(events, text) : events
    if (shown.length === 0) return
    this.#queue.push(shown)
    this.#open()
  }

  #onDone(): void {
    this.#isDone = true
    if (!this.#isOpen) {
      this.#reject(new UpstreamError('body', 'the upstream sent no event', { status: 200 }))
      return
    }
    this.#queue.end()
    this.exchange?.endWithin(MAX_MS_AFTER_DONE)
  }

  /** A server that does not stream answers in one piece: passed on as one chunk. */
  #onPlainAnswer(answer: Answer): void {
    if (this.#endpoint === 'responses') {
      this.#reject(new UpstreamError('body', 'the upstream did not stream', { status: 200 }))
      return
    }
    const chunk = this.#endpoint === 'completions' ? answer.body : toWholeChunk(answer.body)
    this.#queue.push(toEvent(stringifyJson(chunk)))
    this.#queue.end()
    this.#resolve({ events: this.#queue, usage: () => answer.usage })
  }

  #open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#resolve({ events: this.#queue, usage: () => this.#watch.usage() })
  }
}

function singleEvents(events: Buffer): Buffer[] {
  const singles: Buffer[] = []
  let from = 0
  for (let end = events.indexOf('\n\n'); end !== -1; end = events.indexOf('\n\n', from)) {
    singles.push(events.subarray(from, end + 2))
    from = end + 2
  }
  return singles
}

/** Only a body that says it is something else is taken for that: some servers leave the type out. */
function isEventStream(headers: RawHeaders): boolean {
  return !/\b(json|html)\b/.test(headerOf(headers, 'content-type') ?? '')
}
