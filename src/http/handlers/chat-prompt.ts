import type { FastifyReply, FastifyRequest } from 'fastify'
import { reachOf } from '../../access/reach-of.js'
import type { Chat, ChatInput, PreparedChat } from '../../prompts/chat.js'
import { compileFound } from '../../prompts/compile-found.js'
import type {
  Conversation,
  ConversationAssembler,
  ConversationRequest,
} from '../../prompts/conversation-assembler.js'
import { type FoundPrompt, findPrompt } from '../../prompts/find-prompt.js'
import type { CompileInline } from '../../prompts/inline-prompt.js'
import { requestVariables } from '../../prompts/request-variables.js'
import type { Registry } from '../../registry/registry.js'
import type { ChoiceQuery, IdParams } from '../../schema/api.js'
import type { ChatBody } from '../../schema/chat-api.js'
import { andThen } from '../../util/and-then.js'
import { copyInto } from '../../util/define.js'
import type { JsonObject, JsonValue } from '../../util/json/json.js'
import { listField } from '../../util/json/json-fields.js'
import type { AnswerPrompt } from '../chat/answer-prompt.js'
import { accessOf } from '../doors/caller.js'
import { askedByCaller, askedPrompt } from '../requests/asked-prompt.js'
import { inlineBody } from '../requests/inline-body.js'
import { assertVariablesInPlace } from '../requests/misplaced-variables.js'
import { callerOf, type PromptToRender, renderRequest } from '../requests/render-request.js'
import { routeOf } from '../requests/route-of.js'

/** What chatting for HTTP requests needs. */
export interface ChatHandlerDependencies {
  readonly registry: Registry
  readonly assembler: ConversationAssembler
  readonly chat: Chat
  readonly answerPrompt: AnswerPrompt
  readonly compileInline: CompileInline
}

/** Renders a registered prompt, and answers with what the model says to it. */
export function chatRegistered(dependencies: ChatHandlerDependencies) {
  return (
    request: FastifyRequest<{ Params: IdParams; Querystring: ChoiceQuery; Body: ChatBody }>,
    reply: FastifyReply,
  ): Promise<void> => {
    const { id } = request.params
    const { registry } = dependencies
    request.logFields = { prompt: id }
    // A prompt without variables needs no body.
    request.body ??= {}
    const asked = askedPrompt(request, registry, id, request.query, () => requestVariables(request.body))
    const found = findPrompt(registry, id, asked)
    return andThen(found, (each) => chatFound(dependencies, each, request, reply))
  }
}

/** Renders what the request brings along, and answers with what the model says to it. */
export function chatInline(dependencies: ChatHandlerDependencies) {
  return async (request: FastifyRequest<{ Body: ChatBody }>, reply: FastifyReply): Promise<void> => {
    const { registry, chat, compileInline, answerPrompt } = dependencies
    const snapshot = registry.current
    const body = inlineBody(request.body)
    const prepared =
      body.kind === 'compose'
        ? chat.prepareConversation(
            await assemble(dependencies, { items: body.items }, request),
            inputOf(request).input,
          )
        : await prepare(
            chat,
            { snapshot, ...(await compileInline(snapshot, body.prompt, reachOf(accessOf(request)))) },
            request,
          )
    await answerPrompt(prepared, {}, request, reply)
  }
}

function chatFound(
  dependencies: ChatHandlerDependencies,
  found: FoundPrompt,
  request: FastifyRequest<{ Body: ChatBody }>,
  reply: FastifyReply,
): Promise<void> {
  const { registry, chat, answerPrompt } = dependencies
  const { prompt, served } = found
  const compiled = compileFound(registry, found)
  const facts = { revision: compiled.compiled.revision, served, logFields: { prompt: prompt.id } }
  const { compose } = request.body
  const prepared =
    compose === undefined
      ? prepare(chat, compiled, request)
      : assemble(dependencies, { items: compose, lead: found }, request).then((each) =>
          prepare(chat, compiled, request, each),
        )
  return andThen(prepared, (each) => answerPrompt(each, facts, request, reply))
}

function assemble(
  { assembler, registry }: ChatHandlerDependencies,
  what: Pick<ConversationRequest, 'items' | 'lead'>,
  request: FastifyRequest<{ Body: ChatBody }>,
): Promise<Conversation> {
  const reach = reachOf(accessOf(request))
  const { variables } = inputOf(request)
  const asked = askedByCaller(request, registry, () => variables)
  return assembler.assemble({ ...what, ...callerOf(request), reach, asked, variables })
}

function prepare(
  chat: Chat,
  prompt: PromptToRender,
  request: FastifyRequest<{ Body: ChatBody }>,
  conversation?: Conversation,
): PreparedChat | Promise<PreparedChat> {
  const { variables, input } = inputOf(request)
  // What clients of the Go original send is theirs.
  if (routeOf(request).config.alias !== true) assertVariablesInPlace(input.parameters, variables, prompt)
  const all = conversation === undefined ? input : { ...input, conversation }
  return chat.prepare(renderRequest(prompt, variables, request), all)
}

/** The body without what it renders: variables, and what is for the model. */
function inputOf(request: FastifyRequest<{ Body: ChatBody }>): {
  readonly variables: JsonObject
  readonly input: ChatInput
} {
  const { body } = request
  const parameters: Record<string, JsonValue> = {}
  copyInto(parameters, body, body['model'] === '' ? NO_MODEL : NO_PARAMETERS)
  return {
    variables: requestVariables(body),
    input: { parameters, messages: listField(body, 'messages') },
  }
}

const NO_PARAMETERS = new Set(['variables', 'args', 'scenario', 'prompt', 'compose', 'messages'])
/** The members that are no parameters where clients send an empty name for no model. */
const NO_MODEL = new Set([...NO_PARAMETERS, 'model'])
