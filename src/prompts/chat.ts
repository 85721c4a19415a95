import { withFlatText } from '../conversation/flat-text.js'
import type { Message } from '../conversation/message.js'
import { assertConversation } from '../conversation/validate-messages.js'
import { ServiceError } from '../errors.js'
import type { ChatRequest } from '../llm/model.js'
import { findTool } from '../registry/find-tool.js'
import type { PromptDefinition, Snapshot } from '../registry/snapshot.js'
import type { ProtocolChoice } from '../schema/protocol-id.js'
import { describeTool } from '../tools/catalog-tools.js'
import { toFunctionDefinition } from '../tools/toolbox.js'
import { andThen } from '../util/and-then.js'
import { copyInto } from '../util/define.js'
import { invalidField } from '../util/errors/invalid-input.js'
import { getOrCreate } from '../util/get-or-create.js'
import { type JsonObject, type JsonValue, own } from '../util/json/json.js'
import type { Conversation } from './conversation-assembler.js'
import { CACHE, marksCache, PROTOCOL, protocolIn, RUN_TOOLS, runsTools } from './own-options.js'
import type { Renderer } from './render.js'
import type { RenderRequest } from './render-request.js'
import type { RenderedPrompt } from './rendered-prompt.js'
import { withCacheMark } from './stable-prefix.js'
import type { StructuredOutput } from './structured-chat.js'
import { type AnswerCheck, createAnswerCheck, toResponseFormat } from './structured-output.js'
import type { RenderWarning } from './tool-functions.js'

/** What a chat says beside the prompt: OpenAI's parameters, and ours. */
export interface ChatInput {
  /** Parameters for the model; they beat the prompt's `model` and `options`. */
  readonly parameters: JsonObject
  /** The conversation so far; follows the prompt's own messages. */
  readonly messages: readonly JsonValue[]
  /** Assembled already, in place of what the prompt alone renders to. */
  readonly conversation?: Conversation
}

/** A request that is ready for the model, and what to check in its answer. */
export interface PreparedChat {
  readonly request: ChatRequest
  readonly stream: boolean
  /** Present when the answer must follow the prompt's `returns`. */
  readonly structured: StructuredOutput | undefined
  /** The prompt's own tools, to be run while it is answered; undefined: tool calls go to the client. */
  readonly runs: ToolsToRun | undefined
  /** How the model writes tool calls, where the request or the prompt says so. */
  readonly protocol: ProtocolChoice | undefined
  readonly warnings: readonly RenderWarning[]
}

/** Tools of the catalog as it was when the prompt was found. */
export interface ToolsToRun {
  readonly snapshot: Snapshot
  /** Ids or function names. */
  readonly tools: readonly string[]
}

/** Our own parameter beside OpenAI's: `true` follows `returns`, `"repair"` also asks again once. Never sent upstream. */
const STRUCTURED = 'structured'

/** Not to be copied from the parameters: ours, and what the request has already. */
const NOT_COPIED = new Set([STRUCTURED, PROTOCOL, RUN_TOOLS, 'model', 'messages'])

/** The option that is a system text. Of a request it would be the model's. */
const SYSTEM = 'system'
const NO_OPTIONS = new Set([...NOT_COPIED, SYSTEM])
const NO_OPTIONS_MARKED = new Set([...NO_OPTIONS, CACHE])

/** Prepares chats: renders, joins parameters and messages, checks the conversation. */
export interface Chat {
  /**
   * Answers at once, without a promise, when the prompt waits for nothing.
   *
   * @throws ServiceError as the renderer's, `invalid_request`, `invalid_prompt`; `invalid_sequence` for bad messages
   */
  prepare(prompt: RenderRequest, input: ChatInput): PreparedChat | Promise<PreparedChat>
  /** Prepares an assembled conversation, which brings no parameters of its own. @throws ServiceError `invalid_request` */
  prepareConversation(conversation: Conversation, input: ChatInput): PreparedChat
}

export interface ChatDependencies {
  readonly renderer: Renderer
  /** For chats that name no model. */
  readonly defaultModel: string | undefined
  /** System text before prompts that are one user message. */
  readonly systemPrompt?: string | undefined
}

/** Creates what turns prompts into model requests. */
export function createChat({ renderer, defaultModel, systemPrompt }: ChatDependencies): Chat {
  const checks = new WeakMap<JsonObject, AnswerCheck>()

  function structuredOf(
    { returns }: PromptDefinition,
    wish: JsonValue | undefined,
  ): StructuredOutput | undefined {
    if (wish === undefined || wish === null || wish === false) return undefined
    if (wish !== true && wish !== 'repair') throw invalidField(STRUCTURED, 'must be true, false or "repair"')
    if (returns === undefined) throw invalidField(STRUCTURED, 'needs a prompt with `returns`')
    const check = getOrCreate(checks, returns, () => createAnswerCheck(returns))
    return { check, repair: wish === 'repair' }
  }

  return {
    prepareConversation({ messages, warnings }, input) {
      const {
        [STRUCTURED]: wish,
        [PROTOCOL]: _protocol,
        [RUN_TOOLS]: _runs,
        ...parameters
      } = input.parameters
      const protocol = protocolIn(input.parameters)
      runsTools(input.parameters)
      if (wish !== undefined && wish !== null && wish !== false) {
        throw invalidField(STRUCTURED, 'needs a prompt with `returns`')
      }
      const all: readonly unknown[] = [...messages, ...input.messages]
      assertConversation(all, { allowRepeatedRoles: true })
      const model = modelOf(parameters, undefined, defaultModel)
      const request = { ...parameters, model, messages: all.map(withFlatText) }
      const stream = own(parameters, 'stream') === true
      return { request, stream, structured: undefined, runs: undefined, protocol, warnings }
    },

    prepare(prompt, input) {
      const { definition, snapshot, reach } = prompt
      const { options } = definition
      if (definition.tools.length > 0 && reach?.mayCallTools === false) throw noTools()
      const wish = own(input.parameters, STRUCTURED) ?? own(options, STRUCTURED)
      const structured = structuredOf(definition, wish)
      const model = modelOf(input.parameters, definition, defaultModel)
      const protocol = protocolIn(input.parameters, options)
      const runs = toolsToRun(prompt, input.parameters)

      function join({ messages: rendered, warnings }: Conversation): PreparedChat {
        const flat = rendered.map(withFlatText)
        const isMarked = marksCache(options) && input.conversation === undefined
        const messages: readonly unknown[] = [
          ...(isMarked ? withCacheMark(flat, prompt) : flat),
          ...input.messages,
        ]
        assertConversation(messages, { allowRepeatedRoles: true })
        const request: ChatRequest & Record<string, JsonValue> = { model, messages }
        if (definition.tools.length > 0 && runs === undefined)
          copyInto(request, toolsOf(definition, snapshot))
        if (structured !== undefined && definition.returns !== undefined)
          copyInto(request, { response_format: toResponseFormat(definition.name, definition.returns) })
        copyInto(request, options, marksCache(options) ? NO_OPTIONS_MARKED : NO_OPTIONS)
        copyInto(request, input.parameters, NOT_COPIED)
        const stream = own(request, 'stream') === true
        return { request, stream, structured, runs, protocol, warnings }
      }

      if (input.conversation !== undefined) return join(input.conversation)
      const system = systemOf(options, systemPrompt)
      const rendered = renderer.render(prompt)
      return andThen(rendered, (each) => join(toConversation(each, system)))
    },
  }
}

/** The model of the request, else the prompt's, else the configured one. @throws ServiceError `invalid_request` */
export function modelOf(
  parameters: JsonObject,
  definition: Pick<PromptDefinition, 'model' | 'options'> | undefined,
  defaultModel: string | undefined,
): string {
  const named = own(parameters, 'model') ?? definition?.model ?? own(definition?.options ?? {}, 'model')
  const model = named ?? defaultModel
  if (typeof model === 'string' && model !== '') return model
  if (model !== undefined) throw invalidField('model', 'must be the name of a model')
  throw invalidField('model', 'is missing: name one in the request or the prompt, or set LLM_MODEL')
}

/** The system text of a prompt's own options, which may be none, else the service's. */
function systemOf(options: JsonObject, usual: string | undefined): string | undefined {
  const chosen = own(options, SYSTEM)
  if (chosen === undefined) return usual
  return typeof chosen === 'string' && chosen !== '' ? chosen : undefined
}

/** A rendered prompt as messages: a text is one user message, after the system text if there is one. */
function toConversation(rendered: RenderedPrompt, system: string | undefined): Conversation {
  const { warnings } = rendered
  if (rendered.kind !== 'prompt') return rendered
  const user: Message = { role: 'user', content: rendered.text }
  return { messages: system === undefined ? [user] : [{ role: 'system', content: system }, user], warnings }
}

/** A prompt's own tools, where they are there and are to run here. @throws ServiceError `invalid_request` */
function toolsToRun(
  { definition: { tools, options }, snapshot }: Pick<RenderRequest, 'definition' | 'snapshot'>,
  parameters: JsonObject,
): ToolsToRun | undefined {
  if (!runsTools(parameters, options) || own(options, 'tools') !== undefined) return undefined
  const known = tools.filter((id) => snapshot.tools.has(id) || snapshot.functions.has(id))
  return known.length === 0 ? undefined : { snapshot, tools: known }
}

/** The registered tools that the prompt lets the model call, as function definitions. */
function toolsOf(definition: PromptDefinition, snapshot: Snapshot): JsonObject {
  const found = definition.tools.flatMap((id) => findTool(snapshot, id) ?? [])
  return found.length === 0 ? {} : { tools: found.map((entry) => toFunctionDefinition(describeTool(entry))) }
}

/** Of a prompt that a request brought along: the model would see and call what the key may not. */
function noTools(): ServiceError {
  return new ServiceError('forbidden', 'The API key may not name `tools`: it needs the scope "tools"', {
    param: 'prompt.tools',
  })
}
