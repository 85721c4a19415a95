import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { ChatModels } from '../../agents/chat-models.js'
import type { Message } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'
import type { Model, ModelRequest } from '../../llm/model.js'
import { toChatMessages } from '../../llm/responses/to-chat-messages.js'
import { toChatRequest } from '../../llm/responses/to-chat-request.js'
import { type Chat, modelOf, type PreparedChat } from '../../prompts/chat.js'
import { findPrompt } from '../../prompts/find-prompt.js'
import { PROTOCOL, protocolIn, RUN_TOOLS } from '../../prompts/own-options.js'
import { requestVariables } from '../../prompts/request-variables.js'
import type { Registry } from '../../registry/registry.js'
import { errorAnswers } from '../../schema/api.js'
import {
  ChatAnswer,
  CompletionsBody,
  ModelEntry,
  ModelList,
  ModelParams,
  ResponseAnswer,
  ResponsesBody,
} from '../../schema/chat-api.js'
import { copyInto } from '../../util/define.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json.js'
import type { AnswerModel } from '../answer-model.js'
import type { AnswerPrompt } from '../answer-prompt.js'
import type { ModelCall } from '../model-call.js'
import { renderRequest } from '../render-request.js'
import { NATIVE_RESPONSE, responseShape } from '../response-shape.js'

export interface OpenAiRoutesOptions {
  readonly registry: Registry
  readonly chat: Chat
  readonly model: Model
  readonly models: ChatModels
  readonly defaultModel: string | undefined
  readonly answerPrompt: AnswerPrompt
  readonly answerModel: AnswerModel
  readonly now: () => number
}

/** Models with this beginning are registered prompts. */
const PROMPT_MODEL = 'prompt:'
/** Models with this beginning are agents of the catalog. */
const AGENT_MODEL = 'agent:'
/** What a request says to us and not to a model. */
const OWN_OPTIONS: ReadonlySet<string> = new Set([PROTOCOL, RUN_TOOLS])
const NOT_FOR_AGENTS: ReadonlySet<string> = new Set([...OWN_OPTIONS, 'variables', 'args'])
const OWNER = 'ai-prompt-shell'
const NO_PARAMETERS = new Set(['variables', 'args', 'prompt', 'messages'])

interface PromptReference {
  readonly id: string
  readonly version: string | undefined
  readonly variables: JsonObject | undefined
}

interface PreparedPrompt {
  readonly prepared: PreparedChat
  readonly revision: string
  readonly logFields: { readonly prompt: string }
}

/** What any OpenAI client speaks: `/v1/chat/completions`, `/v1/responses` and `/v1/models`. */
export function openAiRoutes(options: OpenAiRoutesOptions): FastifyPluginAsync {
  const { registry, chat, model, models, answerModel, answerPrompt, defaultModel } = options

  async function completions(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const body = request.body as JsonObject
    const reference = promptOf(body)
    const isStream = own(body, 'stream') === true
    if (reference === undefined) return answerModel(callOf(body), {}, isStream, request, reply)
    const parameters: Record<string, JsonValue> = {}
    copyInto(parameters, body, NO_PARAMETERS)
    const given = requestVariables(body as CompletionsBody)
    const { prepared, ...facts } = await prepare(
      { ...reference, variables: reference.variables ?? given },
      withoutPromptModel(parameters),
      (own(body, 'messages') ?? []) as readonly JsonValue[],
      request,
    )
    return answerPrompt(prepared, facts, request, reply)
  }

  /** A call of a model, of one that writes its calls as text, or of an agent by its name among models. */
  function callOf(body: JsonObject): Pick<ModelCall, 'request' | 'model'> {
    const model = modelOf(body, undefined, defaultModel)
    const agent = model.startsWith(AGENT_MODEL) ? model.slice(AGENT_MODEL.length) : undefined
    const isPlain = own(body, PROTOCOL) === undefined && own(body, RUN_TOOLS) === undefined
    if (agent === undefined && isPlain) return { request: { ...body, model } }
    const asked: Record<string, JsonValue> = {}
    copyInto(asked, body, agent === undefined ? OWN_OPTIONS : NOT_FOR_AGENTS)
    const protocol = protocolIn(body)
    const request = { ...asked, model }
    if (agent === undefined) return { request, model: models.forProtocol(protocol) }
    return { request, model: models.forAgent(agent, requestVariables(body as CompletionsBody), protocol) }
  }

  async function prepare(
    reference: PromptReference,
    parameters: JsonObject,
    messages: readonly JsonValue[],
    request: FastifyRequest,
  ): Promise<PreparedPrompt> {
    const { id, version, variables = {} } = reference
    const logFields = { prompt: id }
    request.logFields = logFields
    const { snapshot, prompt } = await findPrompt(registry, id)
    const { definition, revision } = prompt
    assertVersion(reference, [definition.version, revision], version)
    const compiled = registry.compiled(snapshot, prompt)
    const render = renderRequest({ snapshot, definition, compiled }, variables, request)
    const prepared = await chat.prepare(render, { parameters, messages })
    return { prepared, revision, logFields }
  }

  async function responses(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const body = request.body as JsonObject
    const reference = promptOf(body)
    if (reference === undefined) {
      const { request: asked, model } = callOf(body)
      return respond(asked, [], { model }, request, reply)
    }
    const { prompt: _prompt, variables: _variables, args: _args, ...rest } = body
    const { input, ...parameters } = withoutPromptModel(rest)
    const variables = reference.variables ?? requestVariables(body as CompletionsBody)
    // The input is checked with the prompt's messages, as one conversation, and sent as it came.
    const following = toChatMessages(input)
    const { prepared, ...facts } = await prepare({ ...reference, variables }, parameters, following, request)
    const { messages, ...chosen } = prepared.request
    const asked: ModelRequest = { ...chosen, ...(input !== undefined && { input }) }
    const promptMessages = messages.slice(0, messages.length - following.length)
    const { runs, protocol } = prepared
    return respond(
      asked,
      promptMessages,
      { ...facts, model: models.forChat({ runs, protocol }) },
      request,
      reply,
    )
  }

  function respond(
    asked: ModelRequest,
    promptMessages: readonly Message[],
    facts: Pick<ModelCall, 'model' | 'revision' | 'logFields'>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    // What runs tools or reads calls in text understands chat completions.
    const native = facts.model === undefined && model.supportsResponses(asked.model)
    const call = native
      ? { ...facts, request: withInput(asked, promptMessages), endpoint: 'responses' as const }
      : { ...facts, request: toChatRequest(asked, promptMessages) }
    const shape = native ? NATIVE_RESPONSE : responseShape(asked, idOf(request), options.now())
    return answerModel(call, shape, own(asked, 'stream') === true, request, reply)
  }

  function listModels(): JsonObject {
    const { prompts, agents } = registry.current
    const own = [
      ...prompts.ids().map((id) => `${PROMPT_MODEL}${id}`),
      ...agents.ids().map((id) => `${AGENT_MODEL}${id}`),
    ]
    return { object: 'list', data: [...model.list(), ...own.map(modelEntry)] }
  }

  function findModel(request: FastifyRequest): JsonObject {
    const { model: id } = request.params as ModelParams
    const { prompts, agents } = registry.current
    const isOwn =
      (id.startsWith(PROMPT_MODEL) && prompts.has(id.slice(PROMPT_MODEL.length))) ||
      (id.startsWith(AGENT_MODEL) && agents.has(id.slice(AGENT_MODEL.length)))
    if (isOwn) return modelEntry(id)
    const listed = model.list().find((each) => each.id === id)
    if (listed !== undefined) return listed
    throw new ServiceError('prompt_not_found', `No model, prompt or agent is listed as "${id}"`, {
      param: 'model',
    })
  }

  return async (server) => {
    const errors = errorAnswers(400, 401, 404, 413, 415, 429, 500, 502, 503)
    server.post(
      '/v1/chat/completions',
      {
        schema: {
          tags: ['openai'],
          summary: 'Chat completions, with a model, a registered prompt or an agent',
          description:
            'With `model: "prompt:<id>"` or `prompt: {id, version?, variables?}` the prompt is rendered and `messages` follow it; `model: "agent:<id>"` answers with an agent, whose tools run here. Anything else goes to the model as it is.',
          body: CompletionsBody,
          response: { 200: ChatAnswer, ...errors },
        },
      },
      completions,
    )
    server.post(
      '/v1/responses',
      {
        schema: {
          tags: ['openai'],
          summary: 'Responses, with a model, a registered prompt or an agent',
          description:
            'Takes `prompt: {id, version?, variables?}`, as OpenAI’s reusable prompts. Mapped onto chat completions where the upstream has no such interface.',
          body: ResponsesBody,
          response: { 200: ResponseAnswer, ...errors },
        },
      },
      responses,
    )
    server.get(
      '/v1/models',
      { schema: { tags: ['openai'], summary: 'Models, prompts and agents', response: { 200: ModelList } } },
      listModels,
    )
    server.get(
      '/v1/models/:model',
      {
        schema: {
          tags: ['openai'],
          summary: 'One model, prompt or agent',
          params: ModelParams,
          response: { 200: ModelEntry, ...errorAnswers(404) },
        },
      },
      findModel,
    )
  }
}

function modelEntry(id: string): JsonObject {
  return { id, object: 'model', created: 0, owned_by: OWNER }
}

/** The registered prompt a body asks for, by `prompt` or by its model's name. */
function promptOf(body: JsonObject): PromptReference | undefined {
  const prompt = own(body, 'prompt')
  if (isJsonObject(prompt)) {
    const version = own(prompt, 'version')
    const variables = own(prompt, 'variables')
    return {
      id: own(prompt, 'id') as string,
      version: typeof version === 'string' ? version : undefined,
      variables: isJsonObject(variables) ? plainVariables(variables) : undefined,
    }
  }
  const model = own(body, 'model')
  if (typeof model !== 'string' || !model.startsWith(PROMPT_MODEL)) return undefined
  return { id: model.slice(PROMPT_MODEL.length), version: undefined, variables: undefined }
}

/** OpenAI's prompt variables may be input parts; of a text part its text is meant. */
function plainVariables(variables: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      const isText = isJsonObject(value) && own(value, 'type') === 'input_text'
      return [name, isText ? (own(value, 'text') ?? '') : value]
    }),
  )
}

function withoutPromptModel(parameters: JsonObject): JsonObject {
  const { model, ...others } = parameters
  const isPrompt = typeof model === 'string' && model.startsWith(PROMPT_MODEL)
  return isPrompt || model === undefined ? others : parameters
}

function assertVersion(
  { id }: PromptReference,
  known: readonly (string | undefined)[],
  version: string | undefined,
): void {
  if (version === undefined || known.includes(version)) return
  throw new ServiceError('prompt_not_found', `The prompt "${id}" has no version "${version}"`, {
    param: 'prompt.version',
    details: { versions: known.filter((each) => each !== undefined) },
  })
}

/** A registered prompt's messages before the input, in the responses interface's own shape. */
function withInput(asked: ModelRequest, promptMessages: readonly Message[]): ModelRequest {
  if (promptMessages.length === 0) return asked
  const input = own(asked, 'input') ?? []
  const following = typeof input === 'string' ? [{ role: 'user', content: input }] : (input as JsonValue[])
  return { ...asked, input: [...promptMessages, ...following] }
}

function idOf(request: FastifyRequest): string {
  return request.id.replace(/[^A-Za-z0-9]/g, '')
}
