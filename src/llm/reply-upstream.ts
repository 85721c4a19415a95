import { toEvent } from '../transport/sse-writer.js'
import { UpstreamError } from '../transport/upstream-error.js'
import type { CancelSignal } from '../util/cancellation.js'
import type { Clock } from '../util/clock.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json.js'
import { readUsage } from './chat/read-usage.js'
import { wantsUsage } from './chat/stream-usage.js'
import { toCompletion, toDeltaChunk, toUsageChunk } from './chat/write-completion.js'
import type { CallOptions, ModelRequest, Usage } from './model.js'
import { readAnswer } from './read-answer.js'
import type { Answer, AnswerStream, Upstream } from './upstream.js'

/** One answer of a model that is not a model: what it says, and how it misbehaves. */
export interface Reply {
  readonly text?: string
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
    async complete(request, { signal }): Promise<Answer> {
      const reply = await begin(request, signal)
      if (reply.dropAfter !== undefined) throw toError(reply, 'network')
      const head = envelope('chat.completion', request, clock)
      const message = reply.message ?? { role: 'assistant', content: reply.text ?? '' }
      const body = toCompletion(head, message, finishReasonOf(reply), usageOf(reply, request))
      return readAnswer(Buffer.from(stringifyJson(body)), 'chat/completions')
    },
    async stream(request, options): Promise<AnswerStream> {
      const reply = await begin(request, options.signal)
      if (reply.dropAfter === 0) throw toError(reply, 'network')
      const usage = readUsage(usageOf(reply, request)) as Usage
      return { events: streamReply(reply, request, options, clock), usage: () => usage }
    },
    close: async () => {},
  }
}

/** Splits text into the pieces it is streamed in: a word with the space before it, or one CJK character. */
export function piecesOf(text: string): string[] {
  return (
    text.match(
      /\s*(?:[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+)|\s+$/gu,
    ) ?? []
  )
}

async function* streamReply(
  reply: Reply,
  request: ModelRequest,
  { signal }: CallOptions,
  clock: Clock,
): AsyncGenerator<Buffer> {
  const head = envelope('chat.completion.chunk', request, clock)
  const event = (chunk: JsonObject) => toEvent(stringifyJson(chunk))
  const deltas = deltasOf(reply)
  for (const [index, delta] of deltas.entries()) {
    if (reply.dropAfter !== undefined && index >= reply.dropAfter) throw toError(reply, 'network')
    if (index > 0 && reply.paceMs !== undefined) await clock.sleep(reply.paceMs, signal)
    if (signal.aborted) throw signal.reason
    yield event(toDeltaChunk(head, delta))
  }
  if (reply.dropAfter !== undefined) throw toError(reply, 'network')
  yield event(toDeltaChunk(head, {}, finishReasonOf(reply)))
  if (wantsUsage(request)) yield event(toUsageChunk(head, usageOf(reply, request)))
}

function deltasOf(reply: Reply): JsonObject[] {
  if (reply.message !== undefined) return [reply.message]
  const [first = '', ...rest] = piecesOf(reply.text ?? '')
  return [{ role: 'assistant', content: first }, ...rest.map((content) => ({ content }))]
}

function finishReasonOf(reply: Reply): string {
  const calls = reply.message === undefined ? undefined : own(reply.message, 'tool_calls')
  return reply.finishReason ?? (calls === undefined ? 'stop' : 'tool_calls')
}

function envelope(object: string, request: ModelRequest, clock: Clock): JsonObject {
  const created = Math.floor(clock.now() / 1000)
  return { id: `chatcmpl-${request.model}`, object, created, model: request.model }
}

/** One token per streamed piece: not a tokenizer, but always the same. */
function usageOf(reply: Reply, request: ModelRequest): JsonObject {
  if (reply.usage !== undefined) return reply.usage
  const prompt = messagesOf(request).reduce((sum, message) => sum + piecesOf(textOf(message)).length, 0)
  const completion = piecesOf(reply.text ?? '').length
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

/** The messages of a request, without what is no message. */
export function messagesOf(request: ModelRequest): readonly JsonObject[] {
  const messages = own(request, 'messages')
  return Array.isArray(messages) ? messages.filter(isJsonObject) : []
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
  const message = reply.failMessage ?? 'told to fail'
  if (fail === 'network') return new UpstreamError('network', message)
  return new UpstreamError('status', `the upstream answered ${fail}: ${message}`, {
    status: fail,
    retryAfterMs: reply.retryAfterMs,
    detail: { message, detail: { message } },
  })
}
