import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../../errors.js'
import type { AnsweringModel, CompletionStream } from '../../llm/model.js'
import { eachBatch } from '../../transport/batch-queue.js'
import { SseWriter, toEvent } from '../../transport/sse-writer.js'
import { toErrorBody } from '../answers/error-body.js'
import { toJsonText } from '../answers/json-text.js'
import { writeHead } from '../answers/write-answer.js'
import {
  type AnswerShape,
  announceCall,
  answerHeaders,
  callOptions,
  failedCall,
  logAnswer,
  type ModelCall,
  type StreamShape,
  serverTiming,
} from '../chat/model-call.js'

/** Asks the model and relays its stream. @throws ServiceError while nothing has been sent */
export async function relayStream(
  { model, pingMs }: { readonly model: AnsweringModel; readonly pingMs: number },
  call: ModelCall,
  shape: AnswerShape,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  announceCall(call, request)
  const rewrite = shape.stream?.()
  let stream: CompletionStream | undefined
  const writer = new SseWriter(reply.raw, { pingMs, open: () => sendHead(stream, call, request, reply) })
  const options = callOptions(request, call.endpoint, () => !writer.isOpen)
  try {
    stream = await model.stream(call.request, options)
    const firstTokenMs = performance.now() - request.startedAt
    await passOn(stream, rewrite, writer)
    const { report } = stream
    const usage = stream.usage()
    const last = rewrite?.end(usage)
    // Before the end, for the log line is written when the last byte is out.
    const cost = stream.cost?.()
    logAnswer(call, { report, usage, cost }, request, firstTokenMs)
    if (request.headers['x-stream-timing'] === '1')
      writer.write(Buffer.from(`: server-timing ${serverTiming(request, report, usage, cost)}\n\n`))
    writer.end(last)
  } catch (error) {
    writer.abandon()
    endWithFailure(failedCall(error, call, request), rewrite, writer, request, reply)
  } finally {
    await stream?.events.return?.()
  }
}

function passOn(
  { events }: CompletionStream,
  shape: StreamShape | undefined,
  writer: SseWriter,
): Promise<void> {
  return eachBatch(events, (batch) => {
    const bytes = shape === undefined ? batch : shape.events(batch)
    return bytes.length === 0 ? undefined : writer.write(bytes)
  })
}

/** An event where the answer has begun; nothing for a client that is gone; else thrown, for an HTTP status. */
function endWithFailure(
  failure: ServiceError,
  shape: StreamShape | undefined,
  writer: SseWriter,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (request.clientGone) {
    if (!reply.sent) reply.hijack()
    return
  }
  if (!writer.isOpen) throw failure
  request.failure = failure
  const body = toErrorBody(failure, request.id)
  writer.end(shape === undefined ? toEvent(toJsonText(body), 'error') : shape.error(body, failure.code))
}

function sendHead(
  stream: CompletionStream | undefined,
  call: ModelCall,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const headers = answerHeaders(call, 'text/event-stream; charset=utf-8')
  headers.push('cache-control', 'no-cache, no-transform', 'x-accel-buffering', 'no')
  if (stream !== undefined) headers.push('server-timing', serverTiming(request, stream.report))
  writeHead(request, reply, headers)
}
