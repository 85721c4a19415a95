import type { Message } from '../conversation/message.js'
import type { ModelRequest } from '../llm/model.js'
import { requestMessages } from '../llm/request-messages.js'
import type { KeptFacts, ResponseFrame } from '../llm/responses/to-response.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { jsonObject, listField, numberField, objectField, textField } from '../util/json/json-fields.js'

/** Who answers: the model that the request names, or what runs here around it. */
export type Answerer =
  | { readonly kind: 'model'; readonly protocol?: string | undefined }
  | {
      readonly kind: 'agent'
      readonly id: string
      readonly variables: JsonObject
      readonly protocol?: string | undefined
    }
  /** A prompt's own tools, by id or function name. */
  | { readonly kind: 'tools'; readonly tools: readonly string[]; readonly protocol?: string | undefined }

/** What a person said to the calls that an earlier response asked about. */
export interface ApprovalAnswers {
  /** The earlier response, without its prefix: its loop continues. */
  readonly response: string
  readonly given: readonly {
    readonly id: string
    readonly approve: boolean
    readonly reason?: string | undefined
  }[]
}

/** All that is needed to answer, on any process: the input of a response's turn. */
export interface StoredRequest {
  /** As it goes to the model, but for the conversation. */
  readonly request: ModelRequest
  /** Of a registered prompt; they come before everything else and are nobody's context. */
  readonly promptMessages: readonly Message[]
  readonly answerer: Answerer
  /** The request's own input, each item with an id. */
  readonly items: readonly JsonObject[]
  /** Whether the model is asked for a stream. */
  readonly isStream: boolean
  /** Unix seconds. */
  readonly createdAt: number
  /** With shown ids. */
  readonly kept: KeptFacts
  readonly answers?: ApprovalAnswers | undefined
  /** The conversation's turn in which the response runs. */
  readonly conversationTurn?: number | undefined
}

/** What state keeps of a request. */
export function writeStoredRequest(stored: StoredRequest): JsonObject {
  const { answerer, kept, conversationTurn, answers, ...others } = stored
  return jsonObject({
    ...others,
    answerer: compact({ ...answerer }),
    kept: compact({ ...kept }),
    ...(conversationTurn !== undefined && { conversationTurn }),
    ...(answers !== undefined && {
      answers: { ...answers, given: answers.given.map((answer) => compact(answer)) },
    }),
  })
}

/** Reads what {@link writeStoredRequest} wrote. */
export function readStoredRequest(input: JsonObject): StoredRequest {
  const request = objectField(input, 'request')
  const kept = objectField(input, 'kept')
  return {
    request: { ...request, model: textField(request, 'model') ?? '' },
    promptMessages: requestMessages({ model: '', messages: listField(input, 'promptMessages') }),
    answerer: readAnswerer(objectField(input, 'answerer')),
    items: listField(input, 'items').filter(isJsonObject),
    isStream: own(input, 'isStream') === true,
    createdAt: numberField(input, 'createdAt') ?? 0,
    kept: {
      store: own(kept, 'store') === true,
      background: own(kept, 'background') === true,
      previousResponse: textField(kept, 'previousResponse'),
      conversation: textField(kept, 'conversation'),
    },
    answers: readAnswers(own(input, 'answers')),
    conversationTurn: numberField(input, 'conversationTurn'),
  }
}

function readAnswers(stored: JsonValue | undefined): ApprovalAnswers | undefined {
  if (!isJsonObject(stored)) return undefined
  const given = listField(stored, 'given')
    .filter(isJsonObject)
    .map((answer) => ({
      id: textField(answer, 'id') ?? '',
      approve: own(answer, 'approve') === true,
      reason: textField(answer, 'reason'),
    }))
  return { response: textField(stored, 'response') ?? '', given }
}

/** What a response's object repeats of its request. */
export function frameOf(id: string, { request, createdAt, kept }: StoredRequest): ResponseFrame {
  return { request, id, createdAt, kept }
}

function readAnswerer(stored: JsonObject): Answerer {
  const protocol = textField(stored, 'protocol')
  const kind = textField(stored, 'kind')
  if (kind === 'agent')
    return { kind, id: textField(stored, 'id') ?? '', variables: objectField(stored, 'variables'), protocol }
  if (kind !== 'tools') return { kind: 'model', protocol }
  return { kind, tools: listField(stored, 'tools').map(String), protocol }
}

function compact(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return jsonObject(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))
}
