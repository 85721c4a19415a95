import type { FastifyPluginAsync } from 'fastify'
import type { ChatModels } from '../../agents/chat-models.js'
import type { Model } from '../../llm/model.js'
import { createChat } from '../../prompts/chat.js'
import type { Conversations } from '../../prompts/conversations.js'
import type { Renderer } from '../../prompts/render.js'
import type { Registry } from '../../registry/registry.js'
import { createAnswerModel } from '../answer-model.js'
import { createAnswerPrompt } from '../answer-prompt.js'
import { chatRoutes } from './chat.js'
import { openAiRoutes } from './openai.js'
import type { RenderRoutesOptions } from './render.js'

export interface ModelRoutesOptions {
  readonly registry: Registry
  readonly renderer: Renderer
  readonly conversations: Conversations
  readonly model: Model
  /** Who answers where tools run here, calls are text, or an agent is asked. */
  readonly models: ChatModels
  /** For chats that name no model. */
  readonly defaultModel: string | undefined
  readonly compileInline: RenderRoutesOptions['compileInline']
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Default 15 seconds. */
  readonly pingMs?: number
}

const PING_MS = 15_000

/** Every route that calls a model: our own chat, and the OpenAI-compatible front. */
export function modelRoutes(options: ModelRoutesOptions): readonly FastifyPluginAsync[] {
  const { registry, renderer, conversations, model, models, defaultModel, compileInline, now } = options
  const answerModel = createAnswerModel({ model, pingMs: options.pingMs ?? PING_MS })
  const answerPrompt = createAnswerPrompt(model, models, answerModel)
  const chat = createChat({ renderer, defaultModel })
  return [
    chatRoutes({ registry, chat, conversations, answer: answerPrompt, compileInline }),
    openAiRoutes({ registry, chat, model, models, defaultModel, answerPrompt, answerModel, now }),
  ]
}
