import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnsweringModel } from '../../llm/model.js'
import type { Metrics } from '../../util/telemetry/metrics.js'
import { relayStream } from '../streams/relay-stream.js'
import type { AnswerShape, ModelCall } from './model-call.js'
import { relayCompletion } from './relay-completion.js'

export interface ModelAnswerDependencies {
  readonly model: AnsweringModel
  /** A comment goes out on a stream after this long without an event. */
  readonly pingMs: number
  readonly metrics: Metrics
}

/** Answers an HTTP request with a model's words, whole or streamed. @throws ServiceError while nothing has been sent */
export type AnswerModel = (
  call: ModelCall,
  shape: AnswerShape,
  isStream: boolean,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void>

/** Creates what puts model answers on the wire. */
export function createAnswerModel(dependencies: ModelAnswerDependencies): AnswerModel {
  const { model: usual, pingMs, metrics } = dependencies
  const warned = metrics.counter('chat_warnings_total', 'Warnings of the prompts of chats', ['code'])
  return (call, shape, isStream, request, reply) => {
    for (const { code } of call.promptWarnings ?? []) warned.with(code).value += 1
    const { model = usual } = call
    return isStream
      ? relayStream({ model, pingMs }, call, shape, request, reply)
      : relayCompletion(model, call, shape, request, reply)
  }
}
