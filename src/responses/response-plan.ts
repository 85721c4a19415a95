import { StreamReader } from '../llm/chat/read-stream.js'
import type { AnsweringModel, Completion, Endpoint, ModelRequest, Usage } from '../llm/model.js'
import { NativeEvents } from '../llm/responses/native-events.js'
import { type EmitEvent, ResponseEvents } from '../llm/responses/response-events.js'
import { toChatRequest } from '../llm/responses/to-chat-request.js'
import { type ResponseFrame, toResponse } from '../llm/responses/to-response.js'
import { protocolIn } from '../prompts/own-options.js'
import { type JsonObject, own } from '../util/json/json.js'
import { listField, textField } from '../util/json/json-fields.js'
import type { ResponseRuntime } from './response-runtime.js'
import type { StoredRequest } from './stored-request.js'

/** What a model's answer becomes on its way into the log. */
export interface AnswerWriter {
  readonly output: readonly JsonObject[]
  start(): void
  /** @throws ServiceError for a stream that broke */
  push(bytes: Buffer): void
  /** @returns the response, whose last event the caller emits @throws ServiceError */
  finish(usage: Usage | undefined): JsonObject
  /** @returns the response of a whole answer; the caller emits its events @throws ServiceError */
  whole(completion: Completion): JsonObject
  /** Closes what is open and will not be completed. */
  cut(): void
}

/** Whom to ask what, and what becomes of the answer. */
export interface ResponsePlan {
  readonly model: AnsweringModel
  readonly request: ModelRequest
  readonly endpoint: Endpoint | undefined
  createWriter(frame: ResponseFrame, emit: EmitEvent, begun?: readonly JsonObject[]): AnswerWriter
}

/** What an upstream must not keep, or does not know. */
const OURS = new Set(['previous_response_id', 'conversation', 'background', 'store', 'stream'])
/** What a response is made with that another request has to bring along for it to be understood. */
const ENCRYPTED = 'reasoning.encrypted_content'

/**
 * How a request is answered after what was said before. Every process comes to the same.
 *
 * @throws ServiceError `invalid_request` for items that the model's interface cannot take
 */
export function planResponse(
  runtime: Pick<ResponseRuntime, 'model' | 'models' | 'registry' | 'supportsResponses'>,
  stored: StoredRequest,
  context: readonly JsonObject[],
): ResponsePlan {
  const model = answering(runtime, stored)
  const input = [...context, ...stored.items]
  const parameters = Object.fromEntries(Object.entries(stored.request).filter(([name]) => !OURS.has(name)))
  const stream = stored.isStream && { stream: true }
  const asked = { ...parameters, ...stream, model: stored.request.model }
  if (model === undefined && runtime.supportsResponses(asked.model)) {
    const request = { ...asked, store: false, input: nativeInput(stored, input), include: includeOf(asked) }
    return { model: runtime.model, request, endpoint: 'responses', createWriter: nativeWriter }
  }
  const request = toChatRequest({ ...asked, input }, stored.promptMessages)
  return { model: model ?? runtime.model, request, endpoint: undefined, createWriter: chatWriter }
}

function answering(
  { models, registry }: Pick<ResponseRuntime, 'models' | 'registry'>,
  { answerer }: StoredRequest,
): AnsweringModel | undefined {
  const protocol = answerer.protocol === undefined ? undefined : protocolIn({ protocol: answerer.protocol })
  if (answerer.kind === 'agent') return models.forAgent(answerer.id, answerer.variables, protocol)
  if (answerer.kind === 'model') return models.forProtocol(protocol)
  return models.forChat({ runs: { snapshot: registry.current, tools: answerer.tools }, protocol })
}

/** The conversation as an upstream takes it that keeps nothing: without ids, and of thoughts those that it can read. */
function nativeInput({ promptMessages }: StoredRequest, items: readonly JsonObject[]): readonly JsonObject[] {
  const readable = items.filter(
    (item) => own(item, 'type') !== 'reasoning' || textField(item, 'encrypted_content') !== undefined,
  )
  return [...promptMessages, ...readable.map(({ id: _id, status: _status, ...item }) => item)]
}

function includeOf(request: ModelRequest): readonly string[] {
  const asked = listField(request, 'include').map(String)
  return asked.includes(ENCRYPTED) ? asked : [...asked, ENCRYPTED]
}

function chatWriter(frame: ResponseFrame, emit: EmitEvent, begun?: readonly JsonObject[]): AnswerWriter {
  const events = new ResponseEvents(frame, emit, begun)
  const reader = new StreamReader()
  return {
    get output() {
      return events.output
    },
    start: () => events.start(),
    push: (bytes) => events.take(reader.push(bytes)),
    finish(usage) {
      events.take(reader.end())
      return events.finish(usage)
    },
    whole: ({ body, usage }) => toResponse(frame, body, usage),
    cut: () => events.cut(),
  }
}

function nativeWriter(frame: ResponseFrame, emit: EmitEvent, begun?: readonly JsonObject[]): AnswerWriter {
  const events = new NativeEvents(frame, emit, begun)
  return {
    get output() {
      return events.output
    },
    start: () => events.start(),
    push: (bytes) => events.push(bytes),
    finish: () => events.finish(),
    whole: ({ body }) => events.whole(body),
    cut: () => events.cut(),
  }
}
