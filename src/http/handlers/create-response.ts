import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChatModels } from '../../agents/chat-models.js'
import type { Message } from '../../conversation/message.js'
import type { Model, ModelRequest } from '../../llm/model.js'
import { toChatMessages } from '../../llm/responses/to-chat-messages.js'
import { toChatRequest } from '../../llm/responses/to-chat-request.js'
import { fittingModel } from '../../llm/responses/truncating-model.js'
import { protocolIn } from '../../prompts/own-options.js'
import { requestVariables } from '../../prompts/request-variables.js'
import { withoutApprovals } from '../../responses/input-items.js'
import type { ResponseContext } from '../../responses/response-context.js'
import { newResponseId, shownResponseId } from '../../responses/response-ids.js'
import { nativeInput } from '../../responses/response-plan.js'
import type { Responses } from '../../responses/responses.js'
import type { Answerer } from '../../responses/stored-request.js'
import { type JsonObject, own } from '../../util/json/json.js'
import { listField } from '../../util/json/json-fields.js'
import { NATIVE_RESPONSE, responseShape } from '../answers/response-shape.js'
import type { AnswerModel } from '../chat/answer-model.js'
import { AGENT_MODEL, callOfModel } from '../chat/call-of-model.js'
import { announceCall, type ModelCall } from '../chat/model-call.js'
import { answerBegun, answerWhole, relayResponse } from '../chat/relay-response.js'
import { ownerOf } from '../doors/owner.js'
import { askedContext } from '../requests/asked-context.js'
import { type PromptReference, promptOf, withoutPromptModel } from '../requests/prompt-reference.js'
import { callOf } from '../requests/request-context.js'
import { type PrepareDependencies, prepareReference } from './prepare-reference.js'

/** What OpenAI's responses need. */
export interface ResponseDependencies extends PrepareDependencies {
  readonly model: Model
  /** Models that run tools, read calls in text, or are agents. */
  readonly models: ChatModels
  /** For requests that name no model. */
  readonly defaultModel: string | undefined
  readonly answerModel: AnswerModel
  readonly responses: Responses
  /** A comment goes out on a stream after this long without an event. */
  readonly pingMs: number
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** A request of the responses interface, and what the messages of a registered prompt put before it. */
interface Asked {
  readonly request: ModelRequest
  readonly promptMessages: readonly Message[]
  readonly answerer: Answerer
  readonly facts: Pick<ModelCall, 'model' | 'revision' | 'served' | 'logFields' | 'promptWarnings'>
}

/** What is said to us and not to a model. */
const OURS: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'background', 'store'])

/** Responses of OpenAI, of a model or of a registered prompt. */
export function createResponse(dependencies: ResponseDependencies) {
  const { responses } = dependencies
  return async (request: FastifyRequest<{ Body: JsonObject }>, reply: FastifyReply): Promise<void> => {
    const context = askedContext(request.body)
    if (responses.contexts.isStateless(context)) {
      const asked = await prepareAsked(dependencies, request.body, request)
      return respond(dependencies, asked, undefined, request, reply)
    }
    const found = await responses.contexts.find(ownerOf(request), context)
    try {
      const body = { ...request.body, input: withoutApprovals([...found.before, ...found.items]) }
      const asked = await prepareAsked(dependencies, body, request)
      if (!found.isKept && found.conversation === undefined)
        return await respond(dependencies, asked, found, request, reply)
      await keep(dependencies, found, asked, request, reply)
    } catch (error) {
      await found.release()
      throw error
    }
  }
}

function prepareAsked(
  dependencies: ResponseDependencies,
  body: JsonObject,
  request: FastifyRequest<{ Body: JsonObject }>,
): Asked | Promise<Asked> {
  const reference = promptOf(body)
  return reference === undefined
    ? plain(body, dependencies, request)
    : withPrompt(dependencies, reference, body, request)
}

function plain(
  body: JsonObject,
  { models, defaultModel }: ResponseDependencies,
  asking: FastifyRequest,
): Asked {
  const { request, model } = callOfModel(body, models, defaultModel, asking)
  const protocol = protocolIn(body)
  const isAgent = request.model.startsWith(AGENT_MODEL)
  const answerer: Answerer = isAgent
    ? {
        kind: 'agent',
        id: request.model.slice(AGENT_MODEL.length),
        variables: requestVariables(body),
        protocol,
      }
    : { kind: 'model', protocol }
  return { request, promptMessages: [], answerer, facts: { model } }
}

async function withPrompt(
  dependencies: ResponseDependencies,
  reference: PromptReference,
  body: JsonObject,
  request: FastifyRequest<{ Body: JsonObject }>,
): Promise<Asked> {
  const { prompt: _prompt, variables: _variables, args: _args, scenario: _scenario, ...rest } = body
  const { input, ...parameters } = withoutPromptModel(rest)
  // The input is checked with the prompt's messages, as one conversation, and sent as it came.
  const following = toChatMessages(input)
  const chat = { parameters, messages: following }
  const { prepared, ...facts } = await prepareReference(dependencies, reference, chat, request)
  const { messages, ...chosen } = prepared.request
  const { runs, protocol } = prepared
  return {
    request: { ...chosen, ...(input !== undefined && { input }) },
    promptMessages: messages.slice(0, messages.length - following.length),
    answerer:
      runs === undefined ? { kind: 'model', protocol } : { kind: 'tools', tools: runs.tools, protocol },
    facts: { ...facts, model: dependencies.models.forChat(prepared), promptWarnings: prepared.warnings },
  }
}

/** Answers and keeps nothing. */
function respond(
  { model, answerModel, now }: ResponseDependencies,
  { request: whole, promptMessages, answerer, facts }: Asked,
  context: ResponseContext | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const asked = withoutOurs(whole)
  const isStream = own(asked, 'stream') === true
  // What runs tools or reads calls in text understands chat completions.
  if (facts.model === undefined && model.supportsResponses(asked.model)) {
    const input =
      context === undefined
        ? withInput(asked, promptMessages)
        : {
            ...asked,
            input: nativeInput({ promptMessages, request: asked }, [...context.before, ...context.items]),
          }
    // Nobody here would know whose it is.
    const stateless = { ...input, store: false }
    const call = { ...facts, request: stateless, endpoint: 'responses' as const }
    return answerModel(call, NATIVE_RESPONSE, isStream, request, reply)
  }
  const fitting = answerer.kind === 'model' ? fittingModel(facts.model ?? model, asked) : facts.model
  const call = { ...facts, model: fitting, request: toChatRequest(asked, promptMessages) }
  const previousResponse = context?.previousResponse
  const kept = {
    store: false,
    previousResponse: previousResponse && shownResponseId('resp', previousResponse),
  }
  return answerModel(call, responseShape(asked, newResponseId(), now(), kept), isStream, request, reply)
}

/** Answers, and keeps what the request wants kept. */
async function keep(
  { responses, pingMs }: ResponseDependencies,
  context: ResponseContext,
  { request: whole, promptMessages, answerer, facts }: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { input: _input, ...asked } = withoutOurs(whole)
  const isStream = own(asked, 'stream') === true
  const call: ModelCall = { ...facts, request: { ...asked, model: whole.model } }
  announceCall(call, request)
  const kept = { request: call.request, promptMessages, answerer, isStream }
  const running = await responses.start(ownerOf(request), context, kept, callOf(request))
  const { background: isBackground } = context
  if (isStream) await relayResponse(running, { pingMs, isBackground }, call, request, reply)
  else if (isBackground) await answerBegun(running, call, request, reply)
  else await answerWhole(running, call, request, reply)
}

function withoutOurs(request: ModelRequest): ModelRequest {
  const asked = Object.fromEntries(Object.entries(request).filter(([name]) => !OURS.has(name)))
  return { ...asked, model: request.model }
}

/** A registered prompt's messages before the input, in the responses interface's own shape. */
function withInput(asked: ModelRequest, promptMessages: readonly Message[]): ModelRequest {
  if (promptMessages.length === 0) return asked
  const input = own(asked, 'input')
  const following = typeof input === 'string' ? [{ role: 'user', content: input }] : listField(asked, 'input')
  return { ...asked, input: [...promptMessages, ...following] }
}
