import { type JsonObject, type JsonValue, parseJson } from '../util/json.js'
import { createSlicer } from '../util/pause.js'
import { compareEventIds } from './event-id.js'
import type {
  ApprovalStatus,
  ApprovalView,
  ContextView,
  MessagePage,
  RecordAddress,
  RecordStatus,
  RecordView,
  TurnStatus,
  TurnView,
} from './state-store.js'

/** Names and values in turns, as Redis lists a hash. */
export type FlatHash = readonly string[]

/** How long parsing may hold the event loop. */
const SLICE_MS = 5

/** A list of names and values as a map. */
export function toMap(flat: FlatHash): Map<string, string> {
  const map = new Map<string, string>()
  for (let index = 0; index < flat.length; index += 2)
    map.set(flat[index] as string, flat[index + 1] as string)
  return map
}

/** A stored object; what state writes it reads back. */
export function toObject(text: string): JsonObject {
  return parseJson(text) as JsonObject
}

/** Reads what the scripts' `view` returns: Redis' time, time to live (-1: none) and the head. */
export function toRecordView(address: RecordAddress, reply: readonly unknown[]): RecordView {
  const [nowText, timeToLive, flat] = reply as [string, number, FlatHash]
  const now = Number(nowText)
  const head = toMap(flat)
  const turn = Number(head.get('turn'))
  return {
    kind: address.kind,
    id: address.id,
    owner: head.get('owner') as string,
    head: toObject(head.get('head') as string),
    status: statusOf(head, now),
    turn,
    epoch: Number(head.get('epoch')),
    activeContext: head.get('ctx') as string,
    contexts: contextsOf(head),
    cancelRequested: head.get('cancel') === String(turn),
    createdAt: Number(head.get('createdAt')),
    expiresAt: timeToLive < 0 ? undefined : now + timeToLive,
  }
}

function statusOf(head: ReadonlyMap<string, string>, now: number): RecordStatus {
  const open = head.get('open')
  if (open === undefined) return 'idle'
  if (open !== 'running') return open as 'queued' | 'paused'
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

/** Reads what the scripts' `turnOf` returns. */
export function toTurnView(values: readonly (string | null)[]): TurnView {
  const [status, context, input, state, result, at, ended, from, to, turn] = values
  return {
    turn: Number(turn),
    status: status as TurnStatus,
    context: context as string,
    input: toObject(input as string),
    state: state === null || state === undefined ? undefined : toObject(state),
    result: result === null || result === undefined ? undefined : toObject(result),
    startedAt: Number(at),
    endedAt: ended === null || ended === undefined ? undefined : Number(ended),
    firstEvent: from ?? undefined,
    // The record's last event is the turn's only if it came after the turn's beginning.
    lastEvent: from && to && compareEventIds(to, from) >= 0 ? to : undefined,
  }
}

/** Reads messages, in slices: a long conversation does not hold up others. */
export async function toMessagePage(reply: unknown): Promise<MessagePage> {
  const [from, total, texts] = reply as [number, number, readonly (string | null)[]]
  const slicer = createSlicer(SLICE_MS, () => performance.now())
  const messages: JsonObject[] = []
  for (const text of texts) {
    if (text !== null) messages.push(toObject(text))
    const pause = slicer.turn()
    if (pause !== undefined) await pause
  }
  return { from, messages, total }
}

/** Reads a hash of JSON values. */
export function toEntries(flat: FlatHash): ReadonlyMap<string, JsonValue> {
  return new Map([...toMap(flat)].map(([name, text]) => [name, parseJson(text)]))
}

/** Reads the hash of approvals, ordered by id. */
export function toApprovals(flat: FlatHash): readonly ApprovalView[] {
  const fields = toMap(flat)
  const ids = [...fields.keys()].filter((name) => !name.includes('#')).sort()
  return ids.map((id) => toApproval(id, fields))
}

function toApproval(id: string, fields: ReadonlyMap<string, string>): ApprovalView {
  const status = fields.get(`${id}#status`) as ApprovalStatus
  const approval = { id, status, data: toObject(fields.get(id) as string) }
  const decision = fields.get(`${id}#decision`)
  return decision === undefined ? approval : { ...approval, decision: toObject(decision) }
}
