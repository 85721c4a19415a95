import type { Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import { nativeSignal } from '../util/cancellation.js'
import { errorMessage } from '../util/errors/error-message.js'
import { isJsonObject, type JsonObject, stringifyJson } from '../util/json/json.js'
import { jsonObject, listField } from '../util/json/json-fields.js'
import { AnsweredCompletion } from './answered-completion.js'
import { openChunkStream } from './chat/chunk-stream.js'
import { toCompletion, toDeltaChunk, toUsageChunk } from './chat/write-completion.js'
import type { AnsweringModel, CallOptions, CallReport, ModelRequest, Usage } from './model.js'
import { requestMessages } from './request-messages.js'
import { addUsage, toWireCounts } from './usage.js'

/** What a model of a program is asked: the fields of a chat completions request. */
export interface GenerateRequest {
  readonly model: string
  readonly messages: readonly Message[]
  /** Tools as function definitions; empty where the model may call none. */
  readonly tools: readonly JsonObject[]
  /** Everything else that the request has, such as `temperature`. */
  readonly parameters: JsonObject
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** A tool call that a model asks for. */
export interface GeneratedCall {
  /** Counted when absent. */
  readonly id?: string
  readonly name: string
  /** An object, or its JSON text. */
  readonly arguments: JsonObject | string
}

/** An answer, or a piece of a streamed one. */
export interface Generated {
  readonly text?: string
  readonly reasoning?: string
  readonly toolCalls?: readonly GeneratedCall[]
  /** A whole assistant message in the place of text, reasoning and calls. */
  readonly message?: Message
  /** What the answer used; of a stream the sum of its pieces. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } & Partial<Usage>
  /** Default: `tool_calls` where there are calls, else `stop`. */
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter'
}

/** A model that a program makes itself. */
export interface ModelSource {
  /** Its name in errors and reports. Default `model`. */
  readonly name?: string
  /** One answer; a string is its text. What it throws fails the call with `llm_unavailable`. */
  generate(request: GenerateRequest): string | Generated | Promise<string | Generated>
  /** An answer in pieces, each as it comes. Default: the whole answer in one piece. */
  stream?(request: GenerateRequest): AsyncIterable<string | Generated>
}

/**
 * Makes a model of two functions, or of one: of the kind that agents, cycles and tasks ask.
 *
 * @param now for the report, in milliseconds
 * @throws ServiceError `invalid_config` without a function
 * @example modelFrom(async ({ messages }) => ({ text: await mine(messages) }))
 */
export function modelFrom(
  source: ModelSource | ModelSource['generate'],
  now: () => number = () => performance.now(),
): AnsweringModel {
  const given: ModelSource = typeof source === 'function' ? { generate: source } : source
  const { name = 'model' } = given
  if (typeof given.generate !== 'function')
    throw new ServiceError('invalid_config', 'A model of a program needs a function: pass generate')
  // Called as its methods: an object of a class finds itself.
  const generate: ModelSource['generate'] = (request) => given.generate(request)
  return {
    async complete(request, options) {
      const startedAt = now()
      const answer = await failingAs(name, options, async () => generate(toGenerateRequest(request, options)))
      const piece = toPiece(answer)
      const message = toMessage(piece, 0)
      const { usage } = piece
      const body = toCompletion(headOf(request), message, finishOf(piece, message), wireUsage(usage))
      const bytes = Buffer.from(stringifyJson(body))
      return new AnsweredCompletion({ bytes, body, usage }, reportOf(name, request, now() - startedAt))
    },
    async stream(request, options) {
      const startedAt = now()
      const asked = toGenerateRequest(request, options)
      const pieces = given.stream?.(asked) ?? wholeAnswer(generate, asked)
      const state: StreamState = { calls: 0, usage: undefined, finishReason: undefined }
      return openChunkStream(chunksOf(name, { request, options, pieces, state }), () => ({
        report: reportOf(name, request, now() - startedAt),
        usage: () => state.usage,
      }))
    },
  }
}

interface StreamState {
  calls: number
  usage: Usage | undefined
  finishReason: string | undefined
}

interface Piece extends Omit<Generated, 'usage'> {
  readonly usage: Usage | undefined
}

async function* wholeAnswer(
  generate: ModelSource['generate'],
  request: GenerateRequest,
): AsyncGenerator<string | Generated, void> {
  yield await generate(request)
}

interface StreamedCall {
  readonly request: ModelRequest
  readonly options: CallOptions
  readonly pieces: AsyncIterable<string | Generated>
  readonly state: StreamState
}

async function* chunksOf(
  name: string,
  { request, options, pieces, state }: StreamedCall,
): AsyncGenerator<JsonObject, void> {
  const head = { ...headOf(request), object: 'chat.completion.chunk' }
  const iterator = pieces[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await failingAs(name, options, () => iterator.next())
      if (next.done === true) break
      const piece = toPiece(next.value)
      const message = toMessage(piece, state.calls)
      const firstIndex = state.calls
      state.calls += piece.toolCalls?.length ?? 0
      if (piece.usage !== undefined) state.usage = addUsage(state.usage ?? NONE, piece.usage)
      state.finishReason = piece.finishReason ?? state.finishReason ?? callsFinish(message)
      yield toDeltaChunk(head, withIndexes(message, firstIndex))
    }
  } finally {
    await iterator.return?.()
  }
  yield toDeltaChunk(head, {}, state.finishReason ?? 'stop')
  if (state.usage !== undefined) yield toUsageChunk(head, wireUsage(state.usage))
}

const NONE: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }

/** What a program's function throws is the failure of its model, unless it says itself what it is. */
async function failingAs<Result>(
  name: string,
  { signal }: CallOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof ServiceError) throw error
    throw new ServiceError('llm_unavailable', `The model "${name}" failed: ${errorMessage(error)}`, {
      cause: error,
    })
  }
}

function toGenerateRequest(request: ModelRequest, { signal }: CallOptions): GenerateRequest {
  const { model, messages: _m, tools: _t, stream: _s, stream_options: _o, ...parameters } = request
  return {
    model,
    messages: requestMessages(request),
    tools: listField(request, 'tools').filter(isJsonObject),
    parameters,
    signal: nativeSignal(signal),
  }
}

function toPiece(answer: string | Generated): Piece {
  if (typeof answer === 'string') return { text: answer, usage: undefined }
  const { usage, ...rest } = answer
  return { ...rest, usage: usage && { ...NONE, ...usage } }
}

/** @param calls of the pieces before */
function toMessage({ message, text, reasoning, toolCalls }: Piece, calls: number): JsonObject {
  if (message !== undefined) return jsonObject(message)
  return {
    role: 'assistant',
    content: text ?? null,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(toolCalls !== undefined && {
      tool_calls: toolCalls.map((call, place) => toWireCall(call, calls + place)),
    }),
  }
}

/** Calls of a later piece are counted on. */
function withIndexes(message: JsonObject, firstIndex: number): JsonObject {
  const calls = listField(message, 'tool_calls').filter(isJsonObject)
  if (calls.length === 0) return message
  return { ...message, tool_calls: calls.map((call, place) => ({ index: firstIndex + place, ...call })) }
}

function toWireCall({ id, name, arguments: args }: GeneratedCall, index: number): JsonObject {
  return {
    id: id ?? `call_${index + 1}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : stringifyJson(args) },
  }
}

function finishOf({ finishReason }: Piece, message: JsonObject): string {
  return finishReason ?? callsFinish(message) ?? 'stop'
}

function callsFinish(message: JsonObject): string | undefined {
  return message['tool_calls'] === undefined ? undefined : 'tool_calls'
}

function wireUsage(usage: Usage | undefined): JsonObject {
  return usage === undefined ? {} : toWireCounts(usage)
}

function headOf({ model }: ModelRequest): JsonObject {
  return { id: 'chatcmpl-own', object: 'chat.completion', created: 0, model }
}

function reportOf(name: string, { model }: ModelRequest, upstreamMs: number): CallReport {
  return { upstream: name, model, attempts: 1, upstreamMs }
}
