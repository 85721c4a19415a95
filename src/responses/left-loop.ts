import { isCycleState } from '../agents/cycle/cycle-state.js'
import type { LeftLoop } from '../agents/run-kept-agent.js'
import { readMessage } from '../agents/sessions/session-record.js'
import { ServiceError } from '../errors.js'
import type { RecordAddress } from '../state/contract/record-state.js'
import type { TurnView } from '../state/contract/turn-state.js'
import { readStored } from '../state/read-stored.js'
import type { StateStore } from '../state/state-store.js'
import { invalidField } from '../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { jsonObject } from '../util/json/json-fields.js'
import { type Answerer, readStoredRequest } from './stored-request.js'

/** The loop of a response between two writes; what it said is in the record's messages. */
export interface StoredLoop extends Pick<LeftLoop, 'summaryUpTo'> {
  readonly v: 1
  readonly cycle: LeftLoop['state']
  /** When it was written, in epoch milliseconds: the time in which nobody worked does not count. */
  readonly at: number
}

/** A loop as state keeps it. */
export function writeLoop({ summaryUpTo, ...loop }: StoredLoop): JsonObject {
  return jsonObject({ ...loop, ...(summaryUpTo !== undefined && { summaryUpTo }) })
}

/**
 * What a process has left of a loop; undefined where it wrote nothing.
 *
 * @throws ServiceError `state_unreadable`
 */
export function readLeft(
  { state }: Pick<TurnView, 'state'>,
  messages: readonly JsonObject[],
  now: number,
): LeftLoop | undefined {
  if (state === undefined) return undefined
  const { cycle, at, summaryUpTo } = readStored(state, isStoredLoop, 'state of the response')
  const startedAt = cycle.startedAt + Math.max(0, now - at)
  return { said: messages.map(readMessage), summaryUpTo, state: { ...cycle, startedAt } }
}

/**
 * The loop of a response that waits for a person.
 *
 * @throws ServiceError `invalid_request` for one that does not, and one of another agent than `answerer`
 */
export async function readPaused(
  store: StateStore,
  address: RecordAddress,
  answerer: Answerer,
  now: number,
): Promise<LeftLoop> {
  const [view, { messages }] = await Promise.all([store.turns.read(address, 1), store.messages.read(address)])
  if (!isSameLoop(readStoredRequest(view.input).answerer, answerer))
    throw invalidField('model', 'must be the one that asked for the approval')
  const left = readLeft(view, messages, now)
  if (left === undefined) throw new ServiceError('invalid_request', 'The response waits for no approval')
  return left
}

function isSameLoop(asked: Answerer, answerer: Answerer): boolean {
  if (asked.kind === 'agent') return answerer.kind === 'agent' && answerer.id === asked.id
  return answerer.kind === asked.kind
}

function isStoredLoop(value: object): value is StoredLoop {
  return isJsonObject(value) && own(value, 'v') === 1 && isCycleState(own(value, 'cycle'))
}
