import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import { type FollowedItem, parseEventId } from '../../state/logged-event.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { toServiceError } from '../answers/error-body.js'
import { assertServing } from '../listening/life-cycle.js'
import { EVENT_STREAM_HEADERS, EventStream, errorEvent, formatEvent, type LastWords } from './event-stream.js'

/** How a stream of events is sent to a reader. */
export interface Relay<Item> {
  /** What an item becomes; `''` for nothing. */
  readonly textOf: (item: Item) => string
  /** Whether nothing comes after this item. */
  readonly isLast: (item: Item) => boolean
  /** Sent after the last item. Default: nothing. */
  readonly last?: string
  /** Whether the stream may be empty because the reader has all events. Default: no. */
  readonly mayBeEmpty?: boolean
}

/**
 * Sends what each of these becomes, if anything, until there are no more, or nobody reads, and ends the answer: in order
 * after the last one, else with an error. Nothing that a reader waits for goes missing without a word.
 */
export async function relayEach<Item>(
  items: AsyncIterable<Item>,
  { textOf, isLast, last = '', mayBeEmpty = false }: Relay<Item>,
  reader: EventStream,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]()
  // An iterator that waits for an event has to learn that its reader is gone.
  reader.signal.addEventListener('abort', () => void leave(iterator), { once: true })
  let isWhole = mayBeEmpty
  try {
    for (;;) {
      const { done, value } = await iterator.next()
      if (reader.signal.aborted) return
      if (done === true) break
      isWhole = isLast(value)
      const text = textOf(value)
      const room = text === '' ? undefined : reader.send(text)
      if (room !== undefined) await room
    }
  } catch (error) {
    return reader.fail(toServiceError(error))
  }
  if (!isWhole)
    return reader.fail(new ServiceError('turn_interrupted', 'The events ended before the last one'))
  if (last !== '') reader.write(last)
  reader.end()
}

/** What it fails with is said to nobody: nobody reads. */
async function leave(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.()
  } catch {}
}

/** How the events of a turn or task are sent; its last event is of such a type. */
export function eventRelay(isLast: (type: string) => boolean): Relay<FollowedItem> {
  return { textOf: toText, isLast: (item) => item.kind === 'event' && isLast(item.type) }
}

function toText(item: FollowedItem): string {
  return item.kind === 'gap'
    ? formatEvent('gap', '{"type":"gap"}')
    : formatEvent(item.type, item.json, item.id)
}

/** What a reader follows who has lost its stream: what it is, such as `turn 3`, and where its events are. */
export interface Followed {
  readonly name: string
  readonly path: string
  /** For programs. */
  readonly facts: Readonly<Record<string, string | number>>
}

/** The last event of a stream: why it ends, and where it continues. */
export function followedElsewhere(request: FastifyRequest, followed: Followed): LastWords {
  return (failure) => errorEvent(request, withWayOn(failure, followed))
}

/** The error with the way on, but for what is gone. */
export function withWayOn(failure: ServiceError, { name, path, facts }: Followed): ServiceError {
  if (isGone(failure))
    return new ServiceError(failure.code, failure.message, { details: facts, cause: failure })
  const message = `${failure.message}; what becomes of ${name}: GET ${path} with the Last-Event-ID`
  return new ServiceError(failure.code, message, { details: { ...facts, events: path }, cause: failure })
}

function isGone({ code }: ServiceError): boolean {
  return code === 'session_not_found' || code === 'turn_not_found' || code === 'task_not_found'
}

export interface FollowedAnswer {
  readonly pingMs: number
  readonly followed: Followed
  readonly isLast: (type: string) => boolean
  /** @param signal aborts when nobody reads any more */
  readonly follow: (after: string | undefined, signal: AbortSignal) => Promise<AsyncIterable<FollowedItem>>
}

/**
 * Answers with events from the first or after `Last-Event-ID`, to the last.
 *
 * @throws ServiceError `invalid_request` for a header that is not an event id, `not_ready`, and as `follow` does
 */
export async function answerFollowed(
  request: FastifyRequest,
  reply: FastifyReply,
  { pingMs, followed, isLast, follow }: FollowedAnswer,
): Promise<FastifyReply> {
  assertServing(request.server)
  const gone = new AbortController()
  const after = lastEventId(request)
  const events = await follow(after, gone.signal)
  // HEAD asks what GET would say, and a stream has no end to wait for.
  if (request.method === 'HEAD') return reply.headers(EVENT_STREAM_HEADERS).send()
  const lastWords = followedElsewhere(request, followed)
  const reader = new EventStream(request, reply, { pingMs, endless: true, gone, lastWords })
  await relayEach(events, { ...eventRelay(isLast), mayBeEmpty: after !== undefined }, reader)
  return reply
}

function lastEventId(request: FastifyRequest): string | undefined {
  const given = request.headers['last-event-id']
  if (given === undefined || given === '') return undefined
  if (typeof given === 'string' && parseEventId(given) !== undefined) return given
  throw invalidInput('Last-Event-ID', 'Last-Event-ID is not the id of an event: <epoch>-<seq>')
}
