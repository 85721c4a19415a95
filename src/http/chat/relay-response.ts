import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RunningResponse } from '../../responses/responses.js'
import type { NewEvent } from '../../state/logged-event.js'
import { own } from '../../util/json/json.js'
import { toServiceError } from '../answers/error-body.js'
import { toJsonText } from '../answers/json-text.js'
import { writeTexts } from '../answers/write-answer.js'
import { EventStream, formatEvent } from '../streams/event-stream.js'
import { answerHeaders, failedCall, logAnswer, type ModelCall, serverTiming } from './model-call.js'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Answers with a response that is kept, when it is over. @throws ServiceError */
export async function answerWhole(
  running: RunningResponse,
  call: ModelCall,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { response, error, report, usage, cost } = await running.outcome
  if (error !== undefined || response === undefined) throw failedCall(error, call, request)
  const headers = answerHeaders(call, JSON_TYPE)
  if (report !== undefined) {
    logAnswer(call, { report, usage, cost }, request)
    headers.push('server-timing', serverTiming(request, report, usage, cost))
    if (report.rescued !== undefined) headers.push('x-rescued-tool-calls', report.rescued)
  }
  await writeJson(request, reply, response, headers)
}

/** Answers with a response that has just begun. */
export function answerBegun(
  running: RunningResponse,
  call: ModelCall,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> | undefined {
  return writeJson(request, reply, running.response, answerHeaders(call, JSON_TYPE))
}

function writeJson(
  request: FastifyRequest,
  reply: FastifyReply,
  body: object,
  headers: string[],
): Promise<void> | undefined {
  return writeTexts(request, reply, headers, [toJsonText(body)])
}

/** Answers with the events of a response that runs here. @throws ServiceError for one that fails before it says anything */
export async function relayResponse(
  running: RunningResponse,
  { pingMs, isBackground }: { readonly pingMs: number; readonly isBackground: boolean },
  call: ModelCall,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const gone = new AbortController()
  const events = running.events(gone.signal)[Symbol.asyncIterator]()
  const first = [await events.next(), ...(isBackground ? [] : [await events.next()])]
  // What fails before it says anything is an HTTP status, as without a store.
  const isFailure = first.some(
    ({ value }) => value?.type === 'response.failed' || value?.type === 'response.cancelled',
  )
  if (!isBackground && (isFailure || first[0]?.done === true)) {
    const { error } = await running.outcome
    throw failedCall(error, call, request)
  }
  const headers = answerHeaders(call, 'text/event-stream')
  await sendEvents(replay(first, events), { pingMs, gone, headers: headers.slice(2) }, request, reply)
  if (isBackground) return
  const { error, report, usage, cost } = await running.outcome
  if (error !== undefined) request.failure = error
  else if (report !== undefined) logAnswer(call, { report, usage, cost }, request)
}

/** Sends stored events as they are. */
export async function sendEvents(
  events: AsyncIterable<NewEvent>,
  { pingMs, gone, headers }: { pingMs: number; gone: AbortController; headers?: string[] },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const stream = new EventStream(request, reply, { pingMs, endless: false, gone, headers })
  try {
    for await (const { type, json } of events) {
      const full = stream.send(formatEvent(type, json))
      if (full !== undefined) await full
      if (gone.signal.aborted) return
    }
    stream.end()
  } catch (error) {
    stream.fail(toServiceError(error))
  }
}

async function* replay(
  first: readonly IteratorResult<NewEvent>[],
  rest: AsyncIterator<NewEvent>,
): AsyncGenerator<NewEvent> {
  for (const { value, done } of first) if (done !== true) yield value
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
}

/** Whether a request wants its answer as a stream. */
export function wantsStream(body: Parameters<typeof own>[0]): boolean {
  return own(body, 'stream') === true
}
