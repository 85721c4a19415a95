import type { FastifyPluginAsync } from 'fastify'
import type { PriceTable } from '../../llm/cost.js'
import { createLlmMetrics } from '../../llm/llm-metrics.js'
import type { RoutedModel } from '../../llm/router.js'
import { createChat } from '../../prompts/chat.js'
import type { Renderer } from '../../prompts/render.js'
import type { Registry } from '../../registry/registry.js'
import type { Metrics } from '../../util/metrics.js'
import { createModelAnswers } from '../answer-model.js'
import { createPromptAnswers } from '../answer-prompt.js'
import { chatRoutes } from './chat.js'
import { openAiRoutes } from './openai.js'
import type { RenderRoutesOptions } from './render.js'

export interface ModelRoutesOptions {
  readonly registry: Registry
  readonly renderer: Renderer
  readonly model: RoutedModel
  /** For chats that name no model. */
  readonly defaultModel: string | undefined
  readonly prices: PriceTable
  readonly compileInline: RenderRoutesOptions['compileInline']
  readonly metrics: Metrics
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Default 15 seconds. */
  readonly pingMs?: number
}

const PING_MS = 15_000

/** Every route that calls a model: our own chat, and the OpenAI-compatible front. */
export function modelRoutes(options: ModelRoutesOptions): readonly FastifyPluginAsync[] {
  const { registry, renderer, model, defaultModel, prices, compileInline, now } = options
  const metrics = createLlmMetrics(options.metrics, () => model.status())
  const modelAnswers = createModelAnswers({ model, prices, metrics, pingMs: options.pingMs ?? PING_MS })
  const promptAnswers = createPromptAnswers(model, modelAnswers)
  const chat = createChat({ renderer, defaultModel })
  return [
    chatRoutes({ registry, renderer, chat, answers: promptAnswers, compileInline }),
    openAiRoutes({ registry, chat, model, defaultModel, promptAnswers, modelAnswers, now }),
  ]
}
