import { toEvent } from '../transport/sse-writer.js'
import { UpstreamError } from '../transport/upstream-error.js'
import type { CancelSignal } from '../util/cancellation.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'
import { listField } from '../util/json/json-fields.js'
import { createSlicer } from '../util/slices/pause.js'
import type { Clock } from '../util/time/clock.js'
import { wantsUsage } from './chat/stream-usage.js'
import { toCompletion, toDeltaChunk, toUsageChunk } from './chat/write-completion.js'
import { echoEmbeddings } from './echo-embeddings.js'
import type { CallOptions, ModelRequest } from './model.js'
import { readAnswer } from './read-answer.js'
import type { Answer, AnswerStream, Upstream } from './upstream.js'
import { readUsage } from './usage.js'
import { countWords, piecesOf } from './words.js'

/** One answer of a model that is not a model: what it says, and how it misbehaves. */
export interface Reply {
  readonly text?: string
  /** The name of who answers. Default: as in the request. */
  readonly model?: string
  /** Replaces the whole assistant message, for tool calls and reasoning. */
  readonly message?: JsonObject
  readonly finishReason?: string
  /** OpenAI's usage object; counted from the words when absent. */
  readonly usage?: JsonObject
  /** Fails instead of answering: with a status, or `network` for a connection that breaks. */
  readonly fail?: number | 'network'
  readonly failMessage?: string
  readonly retryAfterMs?: number
  /** Before the answer, or the first streamed piece. */
  readonly delayMs?: number
  /** Between streamed pieces. */
  readonly paceMs?: number
  /** Breaks the connection after this many streamed pieces; an answer that is not streamed never arrives. */
  readonly dropAfter?: number
}

/** Of a streamed text, so that a large one costs no more than its size. */
const MAX_PIECES = 10_000

/** An upstream without a network: every answer is computed. Behaves as a server would, failures included. */
export function createReplyUpstream(
  name: string,
  replyTo: (request: ModelRequest) => Reply,
  clock: Clock,
): Upstream {
  async function begin(request: ModelRequest, signal: CancelSignal): Promise<Reply> {
    const reply = replyTo(request)
    if (reply.delayMs !== undefined) await clock.sleep(reply.delayMs, signal)
    if (signal.aborted) throw signal.reason
    if (reply.fail !== undefined) throw toError(reply, reply.fail)
    return reply
  }

  return {
    name,
    async complete(request, { signal, endpoint }): Promise<Answer> {
      const reply = await begin(request, signal)
      if (endpoint === 'embeddings') {
        return readAnswer(Buffer.from(stringifyJson(echoEmbeddings(request))), endpoint)
      }
      if (reply.dropAfter !== undefined) throw toError(reply, 'network')
      const { usage } = await measure(reply, request)
      const head = envelope('chat.completion', reply.model ?? request.model, clock)
      const message = reply.message ?? { role: 'assistant', content: reply.text ?? '' }
      const body = toCompletion(head, message, finishReasonOf(reply), usage)
      return readAnswer(Buffer.from(stringifyJson(body)), 'chat/completions')
    },
    async stream(request, options): Promise<AnswerStream> {
      const reply = await begin(request, options.signal)
      if (reply.dropAfter === 0) throw toError(reply, 'network')
      const measured = await measure(reply, request)
      const usage = readUsage(measured.usage)
      return { events: streamReply(reply, measured, request, options, clock), usage: () => usage }
    },
    close: async () => {},
  }
}

async function* streamReply(
  reply: Reply,
  { words, usage }: Measured,
  request: ModelRequest,
  { signal }: CallOptions,
  clock: Clock,
): AsyncGenerator<Buffer> {
  const head = envelope('chat.completion.chunk', reply.model ?? request.model, clock)
  const event = (chunk: JsonObject) => toEvent(stringifyJson(chunk))
  const slicer = createSlicer()
  let pieces = 0
  for (const delta of deltasOf(reply, words)) {
    if (reply.dropAfter !== undefined && pieces >= reply.dropAfter) throw toError(reply, 'network')
    if (pieces > 0 && reply.paceMs !== undefined) await clock.sleep(reply.paceMs, signal)
    const turn = slicer.turn()
    if (turn !== undefined) await turn
    if (signal.aborted) throw signal.reason
    yield event(toDeltaChunk(head, delta))
    pieces += 1
  }
  if (reply.dropAfter !== undefined) throw toError(reply, 'network')
  yield event(toDeltaChunk(head, {}, finishReasonOf(reply)))
  if (wantsUsage(request)) yield event(toUsageChunk(head, usage))
}

/** A word each, as long as that makes no more than `MAX_PIECES`. */
function* deltasOf(reply: Reply, words: number): Generator<JsonObject> {
  if (reply.message !== undefined) return yield reply.message
  const wordsPerPiece = Math.max(1, Math.ceil(words / MAX_PIECES))
  let isFirst = true
  for (const content of piecesOf(reply.text ?? '', wordsPerPiece)) {
    yield isFirst ? { role: 'assistant', content } : { content }
    isFirst = false
  }
  if (isFirst) yield { role: 'assistant', content: '' }
}

function finishReasonOf(reply: Reply): string {
  const calls = reply.message === undefined ? undefined : own(reply.message, 'tool_calls')
  return reply.finishReason ?? (calls === undefined ? 'stop' : 'tool_calls')
}

function envelope(object: string, model: string, clock: Clock): JsonObject {
  const created = Math.floor(clock.now() / 1000)
  return { id: `chatcmpl-${model}`, object, created, model }
}

interface Measured {
  /** Of the reply's text. */
  readonly words: number
  readonly usage: JsonObject
}

/** One token per word: not a tokenizer, but deterministic. Yields while it counts. */
async function measure(reply: Reply, request: ModelRequest): Promise<Measured> {
  const slicer = createSlicer()
  const words = await countWords(reply.text ?? '', slicer)
  if (reply.usage !== undefined) return { words, usage: reply.usage }
  let asked = 0
  for (const message of messagesOf(request)) asked += await countWords(textOf(message), slicer)
  return {
    words,
    usage: { prompt_tokens: asked, completion_tokens: words, total_tokens: asked + words },
  }
}

/** The messages of a request, without invalid ones. */
export function messagesOf(request: ModelRequest): readonly JsonObject[] {
  return listField(request, 'messages').filter(isJsonObject)
}

/** A message's text; text parts are joined by line feeds, others left out. */
export function textOf(message: JsonObject): string {
  const content = own(message, 'content') ?? ''
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  return content.flatMap(partText).join('\n')
}

function partText(part: JsonValue): string[] {
  const text = isJsonObject(part) ? own(part, 'text') : undefined
  return typeof text === 'string' ? [text] : []
}

function toError(reply: Reply, fail: number | 'network'): UpstreamError {
  const message = reply.failMessage ?? 'a scripted failure'
  if (fail === 'network') return new UpstreamError('network', message)
  return new UpstreamError('status', `the upstream answered ${fail}: ${message}`, {
    status: fail,
    retryAfterMs: reply.retryAfterMs,
    detail: { message, detail: { message } },
  })
}
