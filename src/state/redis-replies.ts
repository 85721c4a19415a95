import { at, keyed, knownWord } from '../util/at.js'
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../util/json/json.js'
import { SMALL } from '../util/slices/is-small.js'
import { createSlicer } from '../util/slices/pause.js'
import { APPROVAL_STATUSES, type ApprovalView } from './contract/approval-state.js'
import type { MessagePage } from './contract/context-state.js'
import type { ContextView, RecordAddress, RecordStatus, RecordView } from './contract/record-state.js'
import type { ChainLink } from './contract/response-state.js'
import { TURN_STATUSES, type TurnStatus, type TurnView } from './contract/turn-state.js'
import { compareEventIds, type LoggedEvent, readEventLine } from './logged-event.js'
import type { ScriptReply } from './redis-connection.js'

/** A reply that is a list of texts. */
export function toTexts(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(String) : []
}

/** A list of names and values in turns, as Redis lists a hash, as a map. */
export function toMap(reply: unknown): Map<string, string> {
  const flat: readonly unknown[] = Array.isArray(reply) ? reply : []
  const map = new Map<string, string>()
  for (let index = 0; index < flat.length; index += 2)
    map.set(String(flat[index]), String(at(flat, index + 1)))
  return map
}

/** A stored object; what state writes it reads back, so that only a foreign hand can have put something else there. */
export function toObject(text: unknown): JsonObject {
  const value = typeof text === 'string' ? parseJson(text) : undefined
  if (isJsonObject(value)) return value
  throw new Error('the stored state is not as it was written')
}

/** What the scripts' `headReply` returns: Redis' time, time to live (-1: none), the owner, and names and values in turns. */
export interface HeadReply {
  readonly now: number
  readonly timeToLive: number
  readonly owner: string
  readonly head: ReadonlyMap<string, string>
}

/** Reads a reply of the scripts' `headReply`. */
export function toHead([, now, timeToLive, owner, lines]: ScriptReply): HeadReply {
  const head = toMap(toLines(lines))
  return { now: Number(now), timeToLive: Number(timeToLive), owner: String(owner), head }
}

/** A reply that is a text of several lines. */
function toLines(text: unknown): readonly string[] {
  return typeof text === 'string' ? text.split('\n') : []
}

/** A record, from its head. */
export function toRecordView(
  address: RecordAddress,
  { now, timeToLive, owner, head }: HeadReply,
): RecordView {
  const turn = Number(head.get('turn'))
  return {
    kind: address.kind,
    id: address.id,
    owner,
    head: toObject(head.get('head')),
    status: statusOf(head, now),
    leasedForMs: head.get('open') === 'running' ? Math.max(Number(head.get('lease')) - now, 0) : 0,
    turn,
    epoch: Number(head.get('epoch')),
    activeContext: keyed(head, 'ctx'),
    contexts: contextsOf(head),
    cancelRequested: head.get('cancel') === String(turn),
    createdAt: Number(head.get('createdAt')),
    expiresAt: timeToLive < 0 ? undefined : now + timeToLive,
  }
}

function statusOf(head: ReadonlyMap<string, string>, now: number): RecordStatus {
  const open = head.get('open')
  if (open === undefined) return 'idle'
  if (open === 'queued' || open === 'paused') return open
  return Number(head.get('lease')) > now ? 'running' : 'interrupted'
}

function contextsOf(head: ReadonlyMap<string, string>): ReadonlyMap<string, ContextView> {
  const contexts = new Map<string, ContextView>()
  for (const [name, value] of head) {
    if (!name.startsWith('x:')) continue
    const context = name.slice(2)
    const messages = Number(head.get(`c:${context}`))
    contexts.set(context, { info: toObject(value), messages, base: Number(head.get(`b:${context}`) ?? 0) })
  }
  return contexts
}

/** A turn's status, as scripts write it. */
export function toTurnStatus(reply: unknown): TurnStatus {
  return knownWord(TURN_STATUSES, reply)
}

/** Reads what the scripts' `turnOf` returns. */
export function toTurnView(reply: unknown): TurnView {
  const [status, context, input, state, result, began, ended, from, to, turn] = toLines(reply)
  return {
    turn: Number(turn),
    status: toTurnStatus(status),
    context: context ?? '',
    input: toObject(input),
    state: state ? toObject(state) : undefined,
    result: result ? toObject(result) : undefined,
    startedAt: Number(began),
    endedAt: ended ? Number(ended) : undefined,
    firstEvent: from || undefined,
    // The record's last event is the turn's only if it came after the turn's beginning.
    lastEvent: from && to && compareEventIds(to, from) >= 0 ? to : undefined,
  }
}

/** Reads messages, those of a long conversation in slices, so that it does not hold up others. */
export async function toMessagePage(reply: unknown): Promise<MessagePage> {
  const [from, total, pages]: readonly unknown[] = Array.isArray(reply) ? reply : []
  const texts = toTexts(pages)
  const characters = texts.reduce((sum, { length }) => sum + length, 0)
  const messages = characters > SMALL ? await readInSlices(texts) : texts.flatMap(readPage)
  return { from: Number(from), messages, total: Number(total) }
}

/** One page of messages, a line for each. */
function readPage(page: string): readonly JsonObject[] {
  return toLines(page).map(toObject)
}

async function readInSlices(pages: readonly string[]): Promise<readonly JsonObject[]> {
  const slicer = createSlicer()
  const messages: JsonObject[] = []
  for (const page of pages)
    for (const text of toLines(page)) {
      messages.push(toObject(text))
      const pause = slicer.turn()
      if (pause !== undefined) await pause
    }
  return messages
}

/** Reads what the chain's script returns: rows of an id, a status, an input and a result. */
export function toChainLinks(rows: unknown): readonly ChainLink[] {
  const list: readonly unknown[] = Array.isArray(rows) ? rows : []
  return list.map((row) => {
    const [id, status, input, result]: readonly unknown[] = Array.isArray(row) ? row : []
    return {
      id: String(id),
      status: toTurnStatus(status),
      input: toObject(input),
      result: typeof result === 'string' ? toObject(result) : undefined,
    }
  })
}

/** Reads a hash of JSON values. */
export function toEntries(flat: unknown): ReadonlyMap<string, JsonValue> {
  return new Map([...toMap(flat)].map(([name, text]) => [name, parseJson(text)]))
}

/** Reads the hash of approvals, ordered by id. */
export function toApprovals(flat: unknown): readonly ApprovalView[] {
  const fields = toMap(flat)
  const ids = [...fields.keys()].filter((name) => !name.includes('#')).sort()
  return ids.map((id) => toApproval(id, fields))
}

function toApproval(id: string, fields: ReadonlyMap<string, string>): ApprovalView {
  const status = knownWord(APPROVAL_STATUSES, fields.get(`${id}#status`))
  const approval = { id, status, data: toObject(fields.get(id)) }
  const decision = fields.get(`${id}#decision`)
  return decision === undefined ? approval : { ...approval, decision: toObject(decision) }
}

/** Reads what the log's script returns: rows of an id and fields, of which the second is the event and the fourth what was before. */
export function toLoggedEvents(rows: unknown): readonly LoggedEvent[] {
  const list: readonly unknown[] = Array.isArray(rows) ? rows : []
  return list.map((row) => {
    const [id, fields]: readonly unknown[] = Array.isArray(row) ? row : []
    const [, line = '', , previous] = toTexts(fields)
    return readEventLine(String(id), line, previous)
  })
}
