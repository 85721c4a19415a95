import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.js'
import { costOf, type PriceTable } from '../llm/cost.js'
import type { LlmMetrics } from '../llm/llm-metrics.js'
import type {
  CallOptions,
  CallReport,
  Completion,
  CompletionStream,
  Endpoint,
  Model,
  ModelRequest,
  Usage,
} from '../llm/model.js'
import { SseWriter, toEvent } from '../transport/sse-writer.js'
import { Cancellation, type CancelSignal } from '../util/cancellation.js'
import { endTogether } from './answers-together.js'
import { toErrorBody, toServiceError } from './error-body.js'
import { toJsonText } from './json-text.js'
import { traceparentOf } from './request-context.js'

export interface ModelAnswerDependencies {
  readonly model: Model
  readonly prices: PriceTable
  readonly metrics: LlmMetrics
  /** A comment goes out on a stream after this long without an event. */
  readonly pingMs: number
}

/** One call of a model for one HTTP request. */
export interface ModelCall {
  readonly request: ModelRequest
  readonly endpoint?: Endpoint
  /** Asks in another way than once, and once only. */
  readonly complete?: (() => Promise<Completion>) | undefined
  /** Of the prompt, for `x-prompt-revision`. */
  readonly revision?: string | undefined
  /** The prompt is older than its document. */
  readonly isStale?: boolean
  /** The beginning of the log line's fields. */
  readonly logFields?: { readonly prompt?: string; readonly warnings?: number } | undefined
}

/** What an answer becomes on its way to the client; without it the upstream's bytes are passed on. */
export interface AnswerShape {
  /** @throws ServiceError when the answer will not do */
  whole?(completion: Completion): Buffer
  stream?(): StreamShape
}

/** Rewrites one stream. */
export interface StreamShape {
  /** @returns what to send for these events; empty for nothing */
  events(events: Buffer): Buffer
  /** What closes a complete stream. @throws ServiceError when the answer will not do */
  end(usage: Usage | undefined): Buffer
  /** An error as an event of the client's protocol. */
  error(body: object): Buffer
}

/** Answers HTTP requests with a model's words. */
export interface ModelAnswers {
  /** The options of a call for this request: signal, ids. */
  optionsFor(request: FastifyRequest, endpoint?: Endpoint): CallOptions
  /** Asks the model and answers with its JSON. @throws ServiceError */
  complete(call: ModelCall, shape: AnswerShape, request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Asks the model and relays its stream. @throws ServiceError while nothing has been sent */
  stream(call: ModelCall, shape: AnswerShape, request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/** Creates what puts model answers on the wire, counts them and writes their log fields. */
export function createModelAnswers(dependencies: ModelAnswerDependencies): ModelAnswers {
  const { model, prices, metrics } = dependencies

  function optionsFor(request: FastifyRequest, endpoint?: Endpoint, mayRetry?: () => boolean): CallOptions {
    const traceparent = traceparentOf(request)
    return { signal: goneSignal(request), requestId: request.id, traceparent, endpoint, mayRetry }
  }

  function account(
    report: CallReport,
    usage: Usage | undefined,
    call: ModelCall,
    request: FastifyRequest,
    stream?: { readonly firstTokenMs: number; readonly outcome: string },
  ): number | undefined {
    const durationMs = performance.now() - request.startedAt
    const cost = costOf(prices, report.model, usage) ?? costOf(prices, call.request.model, usage)
    const { upstream, model: answered, attempts, upstreamMs } = report
    const outcome = stream?.outcome ?? 'success'
    metrics.count({ upstream, outcome, durationMs, firstTokenMs: stream?.firstTokenMs, usage, cost })
    const { logFields } = call
    // One shape for all: spreading and absent fields would cost more than the rest of the accounting.
    request.logFields = {
      prompt: logFields?.prompt,
      warnings: logFields?.warnings,
      model: answered,
      upstream,
      attempts,
      upstreamMs: rounded(upstreamMs),
      // Of a stream the time until its first event: what comes after is the model's speaking.
      overheadMs: rounded((stream?.firstTokenMs ?? durationMs) - upstreamMs),
      firstTokenMs: stream === undefined ? undefined : rounded(stream.firstTokenMs),
      inputTokens: usage?.inputTokens,
      outputTokens: usage?.outputTokens,
      cachedTokens: usage?.cachedTokens,
      cost,
    }
    return cost
  }

  function fail(error: unknown, call: ModelCall, request: FastifyRequest): ServiceError {
    const failure = toServiceError(error)
    const facts = failure.details as { readonly upstream?: unknown; readonly attempts?: unknown } | undefined
    const upstream = typeof facts?.upstream === 'string' ? facts.upstream : 'none'
    const durationMs = performance.now() - request.startedAt
    metrics.count({ upstream, outcome: failure.code, durationMs })
    const attempts = facts?.attempts
    request.logFields = {
      ...call.logFields,
      model: call.request.model,
      upstream,
      ...(attempts !== undefined && { attempts }),
    }
    return failure
  }

  function send(
    completion: Completion,
    bytes: Buffer,
    call: ModelCall,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { report, usage } = completion
    const cost = account(report, usage, call, request)
    const headers = headersOf(request, call, 'application/json; charset=utf-8')
    headers.push(
      'content-length',
      String(bytes.length),
      'server-timing',
      timing(request, report, usage, cost),
    )
    reply.hijack()
    reply.raw.writeHead(200, headers)
    // Node joins a string to the header, and writes a buffer as a second piece.
    if (bytes.length > MAX_JOINED_BYTES) reply.raw.end(bytes)
    else endTogether(reply.raw, bytes.toString('latin1'), 'latin1')
  }

  async function relay(
    stream: CompletionStream,
    shape: StreamShape | undefined,
    writer: SseWriter,
  ): Promise<void> {
    const { events } = stream
    // By hand: `for await` would cost a promise more per event.
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      const bytes = shape === undefined ? next.value : shape.events(next.value)
      const full = bytes.length === 0 ? undefined : writer.write(bytes)
      if (full !== undefined) await full
    }
  }

  return {
    optionsFor,

    async complete(call, shape, request, reply) {
      announce(call, request)
      try {
        const completion = await (call.complete?.() ??
          model.complete(call.request, optionsFor(request, call.endpoint)))
        const bytes = shape.whole === undefined ? completion.bytes : shape.whole(completion)
        send(completion, bytes, call, request, reply)
      } catch (error) {
        throw fail(error, call, request)
      }
    },

    async stream(call, shape, request, reply) {
      announce(call, request)
      const rewrite = shape.stream?.()
      let stream: CompletionStream | undefined
      const writer = new SseWriter(reply.raw, {
        pingMs: dependencies.pingMs,
        open: () => {
          const headers = headersOf(request, call, 'text/event-stream; charset=utf-8')
          headers.push('cache-control', 'no-cache, no-transform', 'x-accel-buffering', 'no')
          if (stream !== undefined) headers.push('server-timing', timing(request, stream.report))
          if (!reply.sent) reply.hijack()
          reply.raw.writeHead(200, headers)
        },
      })
      const options = optionsFor(request, call.endpoint, () => !writer.isOpen)
      const endEarly = () => request.goneController?.abort(shuttingDown())
      const { openStreams } = request.server
      const open = openStreams.add(endEarly)
      let firstTokenMs = 0
      try {
        stream = await model.stream(call.request, options)
        firstTokenMs = performance.now() - request.startedAt
        await relay(stream, rewrite, writer)
        const usage = stream.usage()
        const last = rewrite?.end(usage)
        // Before the end, for the log line is written when the last byte is out.
        account(stream.report, usage, call, request, { firstTokenMs, outcome: 'success' })
        writer.end(last)
      } catch (error) {
        writer.abandon()
        const failure = fail(error, call, request)
        if (request.clientGone) {
          if (!reply.sent) reply.hijack()
          return
        }
        if (!writer.isOpen) throw failure
        request.failure = failure
        const body = toErrorBody(failure, request.id)
        writer.end(rewrite === undefined ? toEvent(toJsonText(body), 'error') : rewrite.error(body))
      } finally {
        open.remove()
        await stream?.events.return?.()
      }
    },
  }
}

/** Like `clientSignal`, and cheaper: a render that used tools has made a native one already. */
function goneSignal(request: FastifyRequest): CancelSignal {
  const { goneController } = request
  if (goneController !== null)
    return goneController instanceof Cancellation ? goneController : goneController.signal
  const cancellation = new Cancellation()
  if (request.clientGone) cancellation.abort()
  request.goneController = cancellation
  return cancellation
}

/** Larger answers are not worth a copy. */
const MAX_JOINED_BYTES = 65_536

/** What the log line says of a client that goes away before there is an answer. */
function announce({ logFields, request: { model } }: ModelCall, request: FastifyRequest): void {
  request.logFields = { prompt: logFields?.prompt, warnings: logFields?.warnings, model }
}

function headersOf(request: FastifyRequest, call: ModelCall, contentType: string): string[] {
  const headers = ['content-type', contentType, 'x-request-id', request.id]
  if (call.revision !== undefined) headers.push('x-prompt-revision', call.revision)
  if (call.isStale === true) headers.push('x-prompt-stale', 'true')
  return headers
}

/** Where the time went and what it cost, as `Server-Timing` (W3C) has it. */
function timing(request: FastifyRequest, report: CallReport, usage?: Usage, cost?: number): string {
  const { upstreamMs, attempts } = report
  const overheadMs = performance.now() - request.startedAt - upstreamMs
  let text = `llm;dur=${upstreamMs.toFixed(2)}, overhead;dur=${overheadMs.toFixed(2)}, attempts;desc="${attempts}"`
  if (usage !== undefined) text += `, tokens;desc="${usage.inputTokens}+${usage.outputTokens}"`
  if (cost !== undefined) text += `, cost;desc="${cost.toFixed(6)}"`
  return text
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

function shuttingDown(): ServiceError {
  return new ServiceError('not_ready', 'The service is shutting down')
}
