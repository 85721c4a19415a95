import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnsweringModel } from '../llm/model.js'
import type { AnswerShape, ModelCall } from './model-call.js'
import { relayCompletion } from './relay-completion.js'
import { relayStream } from './relay-stream.js'

export interface ModelAnswerDependencies {
  readonly model: AnsweringModel
  /** A comment goes out on a stream after this long without an event. */
  readonly pingMs: number
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
export function createAnswerModel({ model: usual, pingMs }: ModelAnswerDependencies): AnswerModel {
  return (call, shape, isStream, request, reply) => {
    const { model = usual } = call
    return isStream
      ? relayStream({ model, pingMs }, call, shape, request, reply)
      : relayCompletion(model, call, shape, request, reply)
  }
}
