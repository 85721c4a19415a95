import { stringifyJson } from '../util/json/json.js'
import { EVENT_TTL_MS, MAX_EVENTS } from './limits.js'
import { type EventBatch, writeEventLine } from './logged-event.js'
import type { Commit, Lease } from './state-store.js'

/** The arguments of one script: a JSON object of small things, and texts of callers that it names by number. */
export class ScriptCall {
  readonly #control: Record<string, unknown> = {}
  readonly #texts: string[] = []

  /** Sets a small thing; undefined is left out. */
  set(name: string, value: unknown): this {
    if (value !== undefined) this.#control[name] = value
    return this
  }

  /** Adds a text and returns its number. */
  add(text: string): number {
    this.#texts.push(text)
    // Lua counts from 1, and the control object is the first argument.
    return this.#texts.length + 1
  }

  /** Adds a text, if there is one, and names its number. */
  text(name: string, text: string | undefined): this {
    return text === undefined ? this : this.set(name, this.add(text))
  }

  /** The arguments as they are sent; `again` means that the script may have run before. */
  toArguments(again = false): string[] {
    const control = again ? { ...this.#control, again } : this.#control
    return [JSON.stringify(control), ...this.#texts]
  }
}

/** What every script of a lease needs to know. */
export function leaseCall({ epoch, by, leaseMs }: Lease): ScriptCall {
  return new ScriptCall().set('epoch', epoch).set('by', by).set('lease', leaseMs)
}

/** The arguments of a commit; `ttlMs` is how long the record lives from now, 0 for as long as it did. */
export function commitCall(lease: Lease, commit: Commit, ttlMs: number): ScriptCall {
  const call = leaseCall(lease).set('n', commit.n).set('ttl', ttlMs)
  const { head, turn, events } = commit
  const status = turn?.status
  if (status !== undefined && status !== 'running') call.set('ends', status)
  if (commit.release === true) call.set('release', 1)
  call.text('head', head && stringifyJson(head))
  call.text('state', turn?.state && stringifyJson(turn.state))
  call.text('result', turn?.result && stringifyJson(turn.result))
  if (events !== undefined && events.events.length > 0) addEvents(call, lease, events)
  return addLists(call, commit)
}

/** Adds events to a call of a lease. */
export function addEvents(call: ScriptCall, lease: Lease, { first, events }: EventBatch): ScriptCall {
  const [at] = events.map((event) => call.add(writeEventLine(event)))
  return call
    .set('events', { first, at, count: events.length })
    .set('maxEvents', MAX_EVENTS)
    .set('eventTtl', EVENT_TTL_MS[lease.kind])
}

function addLists(call: ScriptCall, { messages, entries, approvals }: Commit): ScriptCall {
  const changes = messages?.map(({ context, keep, base, append = [] }) => {
    const [at = 0] = append.map((message) => call.add(stringifyJson(message)))
    return { context, keep, base, at, count: append.length }
  })
  const pairs =
    entries &&
    [...entries].map(([name, value]) => [call.add(name), value === null ? 0 : call.add(stringifyJson(value))])
  const puts = approvals?.map(({ id, status, data, decision }) => ({
    id,
    status,
    data: call.add(stringifyJson(data)),
    decision: decision && call.add(stringifyJson(decision)),
  }))
  return call.set('messages', changes).set('entries', pairs).set('approvals', puts)
}
