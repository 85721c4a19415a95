import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnsweringModel, Completion } from '../../llm/model.js'
import { promised } from '../../util/and-then.js'
import { writeAnswer, writeHead } from '../answers/write-answer.js'
import {
  type AnswerShape,
  announceCall,
  answerHeaders,
  callOptions,
  failedCall,
  logAnswer,
  type ModelCall,
  serverTiming,
} from './model-call.js'

/** Larger answers are not worth a copy. */
const MAX_JOINED_BYTES = 65_536

/** Asks the model and answers with its JSON. @throws ServiceError, or rejects with it */
export function relayCompletion(
  model: AnsweringModel,
  call: ModelCall,
  shape: AnswerShape,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  announceCall(call, request)
  const fail = (error: unknown): never => {
    throw failedCall(error, call, request)
  }
  // Callbacks: an `async` function has a generator and a promise of its own. Rows `0.5 KB` of `npm run bench:chat`.
  const answer = (completion: Completion): void => {
    try {
      const bytes = shape.whole === undefined ? completion.bytes : shape.whole(completion)
      send(completion, bytes, call, request, reply)
    } catch (error) {
      fail(error)
    }
  }
  return promised(() => model.complete(call.request, callOptions(request, call.endpoint))).then(answer, fail)
}

function send(
  completion: Completion,
  bytes: Buffer,
  call: ModelCall,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { report, usage, cost } = completion
  logAnswer(call, { report, usage, cost }, request)
  const headers = answerHeaders(call, 'application/json; charset=utf-8')
  headers.push('server-timing', serverTiming(request, report, usage, cost))
  if (report.rescued !== undefined) headers.push('x-rescued-tool-calls', report.rescued)
  const { length } = bytes
  // Node joins a string to the header, and writes a buffer as a second piece.
  if (length <= MAX_JOINED_BYTES) {
    const known = bytes === completion.bytes ? completion.ascii : undefined
    writeAnswer(request, reply, headers, {
      text: known ?? bytes.toString('latin1'),
      encoding: 'latin1',
      length,
    })
    return
  }
  writeHead(request, reply, headers, 200, length).end(bytes)
}
