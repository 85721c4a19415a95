import type { LoopModel } from '../agents/loop-model.js'
import { StreamReader } from '../llm/chat/read-stream.js'
import type { StreamEvent } from '../llm/chat/stream-event.js'
import type { AnsweringModel, Completion, Endpoint, ModelRequest, Usage } from '../llm/model.js'
import { NativeEvents } from '../llm/responses/native-events.js'
import { type EmitEvent, ResponseEvents } from '../llm/responses/response-events.js'
import { toChatRequest } from '../llm/responses/to-chat-request.js'
import { type ResponseFrame, toResponse } from '../llm/responses/to-response.js'
import { fittingModel } from '../llm/responses/truncating-model.js'
import { protocolIn } from '../prompts/own-options.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { listField, textField } from '../util/json/json-fields.js'
import { withoutApprovals } from './input-items.js'
import { placeOfItem } from './response-ids.js'
import type { ResponseRuntime } from './response-runtime.js'
import type { ApprovalAnswers, StoredRequest } from './stored-request.js'

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

/** What a loop's answer becomes. */
export interface LoopWriter extends AnswerWriter {
  take(events: readonly StreamEvent[]): void
  /** What comes next is another item. */
  closeItem(): void
  /** Adds a question to a person. @returns its id */
  ask(question: JsonObject): string
}

/** Makes the writer of an answer. `begun` has the items of a response whose first events were emitted before. */
export type PlannedWriter<Writer extends AnswerWriter> = (
  frame: ResponseFrame,
  emit: EmitEvent,
  begun?: readonly JsonObject[],
) => Writer

/** A model that is asked once. */
export interface ModelPlan {
  readonly kind: 'model'
  readonly model: AnsweringModel
  readonly request: ModelRequest
  readonly endpoint: Endpoint | undefined
  readonly createWriter: PlannedWriter<AnswerWriter>
}

/** A loop that runs tools here. */
export interface LoopPlan {
  readonly kind: 'loop'
  readonly loop: LoopModel
  readonly request: ModelRequest
  readonly createWriter: PlannedWriter<LoopWriter>
}

/** Whom to ask what, and what becomes of the answer. */
export type ResponsePlan = ModelPlan | LoopPlan

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
  const { answerer } = stored
  const input = [...withoutAsked(context, stored.answers), ...stored.items]
  const parameters = Object.fromEntries(Object.entries(stored.request).filter(([name]) => !OURS.has(name)))
  const stream = stored.isStream && { stream: true }
  const asked = { ...parameters, ...stream, model: stored.request.model }
  const chatRequest = () => toChatRequest({ ...asked, input: withoutApprovals(input) }, stored.promptMessages)
  const protocol = answerer.protocol === undefined ? undefined : protocolIn({ protocol: answerer.protocol })
  if (answerer.kind !== 'model') {
    const loop =
      answerer.kind === 'agent'
        ? runtime.models.forAgent(answerer.id, answerer.variables, protocol)
        : runtime.models.forTools({ snapshot: runtime.registry.current, tools: answerer.tools }, protocol)
    return { kind: 'loop', loop, request: chatRequest(), createWriter: chatWriter }
  }
  const model = runtime.models.forProtocol(protocol)
  if (model === undefined && runtime.supportsResponses(asked.model)) {
    const request = { ...asked, store: false, input: nativeInput(stored, input), include: includeOf(asked) }
    return { kind: 'model', model: runtime.model, request, endpoint: 'responses', createWriter: nativeWriter }
  }
  return {
    ...{ kind: 'model', request: chatRequest(), endpoint: undefined, createWriter: chatWriter },
    model: fittingModel(model ?? runtime.model, stored.request),
  }
}

/** Of a response whose loop continues its loop has what it said. */
function withoutAsked(
  items: readonly JsonObject[],
  answers: ApprovalAnswers | undefined,
): readonly JsonObject[] {
  if (answers === undefined) return items
  return items.filter((item) => {
    const place = placeOfItem(textField(item, 'id') ?? '')
    return place === undefined || place.isInput || place.response !== answers.response
  })
}

/** The conversation as an upstream takes it that keeps nothing: without ids, and of thoughts those that it can read. */
export function nativeInput(
  { promptMessages, request }: Pick<StoredRequest, 'promptMessages' | 'request'>,
  items: readonly JsonObject[],
): readonly JsonObject[] {
  const hasServers = listField(request, 'tools').some(
    (tool) => isJsonObject(tool) && own(tool, 'type') === 'mcp',
  )
  const said = hasServers ? items : withoutApprovals(items)
  const readable = said.filter(
    (item) => own(item, 'type') !== 'reasoning' || textField(item, 'encrypted_content') !== undefined,
  )
  return [
    ...promptMessages,
    ...readable.map(({ id, status: _status, ...item }) =>
      // An answer names the question by its id.
      own(item, 'type') === 'mcp_approval_request' ? { id: id ?? null, ...item } : item,
    ),
  ]
}

function includeOf(request: ModelRequest): readonly string[] {
  const asked = listField(request, 'include').map(String)
  return asked.includes(ENCRYPTED) ? asked : [...asked, ENCRYPTED]
}

function chatWriter(frame: ResponseFrame, emit: EmitEvent, begun?: readonly JsonObject[]): LoopWriter {
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
    take: (said) => events.take(said),
    closeItem: () => events.closeItem(),
    ask: (question) => events.add('mcpr', question),
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
