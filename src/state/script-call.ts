import { type JsonValue, stringifyJson } from '../util/json/json.js'
import type { BeginRequest, Commit, Lease } from './contract/lease-state.js'
import { CLAIM_TTL_MS, EVENT_TTL_MS, MAX_EVENTS } from './limits.js'
import { type EventBatch, writeEventLine } from './logged-event.js'

/** The arguments of one script: a JSON object of small things, and texts of callers that it names by number. */
export class ScriptCall {
  #control: Record<string, unknown> = {}
  readonly #texts: string[] = []

  /** Sets a small thing; undefined is left out. */
  set(name: string, value: unknown): this {
    if (value !== undefined) this.#control[name] = value
    return this
  }

  /** Sets all small things, in place of one after the other: those that are undefined are left out. */
  setAll(control: Record<string, unknown>): this {
    this.#control = control
    return this
  }

  /** Adds a text and returns its number. */
  add(text: string): number {
    this.#texts.push(text)
    // Lua counts from 1, and the control object is the first argument.
    return this.#texts.length + 1
  }

  /** Adds the JSON of a value, if there is one, and returns its number. */
  json(value: object | undefined): number | undefined {
    return value === undefined ? undefined : this.add(stringifyJson(value))
  }

  /** Adds a text, if there is one, and names its number. */
  text(name: string, text: string | undefined): this {
    return text === undefined ? this : this.set(name, this.add(text))
  }

  /** Keys and arguments as they are sent; `again` means that the script may have run before. */
  toArguments(keys: readonly string[], again = false): string[] {
    const control = again ? { ...this.#control, again } : this.#control
    return [...keys, JSON.stringify(control), ...this.#texts]
  }
}

/** What every script of a lease needs to know. */
export function leaseCall({ epoch, by, leaseMs }: Lease): ScriptCall {
  return new ScriptCall().setAll({ epoch, by, lease: leaseMs })
}

/** What a store says of every turn that it begins. */
export interface BeginLimits {
  readonly leaseMs: number
  readonly maxRecordBytes: number
}

/** Adds the arguments of a turn's beginning. */
export function addBegin(
  call: ScriptCall,
  request: BeginRequest,
  { leaseMs, maxRecordBytes }: BeginLimits,
): ScriptCall {
  const { by, purpose, context, turn, maxTurns, input, idempotency } = request
  call.set('by', by).set('purpose', purpose).set('context', context)
  call.set('lease', leaseMs).set('maxTurns', maxTurns).set('turn', turn)
  call
    .text('input', stringifyJson(input ?? {}))
    .set('claimTtl', CLAIM_TTL_MS)
    .set('maxSize', maxRecordBytes)
  call.text('key', idempotency?.key).text('hash', idempotency?.bodyHash)
  return call.text('former', idempotency?.formerHash)
}

/** The arguments of a commit; `ttlMs` is how long the record lives from now, 0 for as long as it did. */
export function commitCall(lease: Lease, commit: Commit, ttlMs: number): ScriptCall {
  const { n, head, turn, release, messages, entries, approvals } = commit
  const call = new ScriptCall()
  const events = commit.events && addBatch(call, commit.events)
  // In one piece: an object that is made name by name costs more than what is in it.
  return call.setAll({
    epoch: lease.epoch,
    by: lease.by,
    lease: lease.leaseMs,
    n,
    ttl: ttlMs,
    ends: turn?.status === 'running' ? undefined : turn?.status,
    release: release === true ? 1 : undefined,
    head: call.json(head),
    state: call.json(turn?.state),
    result: call.json(turn?.result),
    events,
    maxEvents: events && MAX_EVENTS,
    eventTtl: events && EVENT_TTL_MS[lease.kind],
    messages: messages && addMessages(call, messages),
    entries: entries && addEntries(call, entries),
    approvals: approvals && addApprovals(call, approvals),
  })
}

/** Adds events to a call of a lease. */
export function addEvents(call: ScriptCall, lease: Lease, batch: EventBatch): ScriptCall {
  return call
    .set('events', addBatch(call, batch))
    .set('maxEvents', MAX_EVENTS)
    .set('eventTtl', EVENT_TTL_MS[lease.kind])
}

function addBatch(call: ScriptCall, { first, events }: EventBatch) {
  if (events.length === 0) return undefined
  const [at] = events.map((event) => call.add(writeEventLine(event)))
  return { first, at, count: events.length }
}

function addMessages(call: ScriptCall, messages: NonNullable<Commit['messages']>) {
  return messages.map(({ context, keep, base, append = [] }) => {
    const [at = 0] = append.map((message) => call.add(stringifyJson(message)))
    return { context, keep, base, at, count: append.length }
  })
}

function addEntries(call: ScriptCall, entries: NonNullable<Commit['entries']>) {
  const numberOf = (value: JsonValue | null) => (value === null ? 0 : call.add(stringifyJson(value)))
  return [...entries].map(([name, value]) => [call.add(name), numberOf(value)])
}

function addApprovals(call: ScriptCall, approvals: NonNullable<Commit['approvals']>) {
  return approvals.map(({ id, status, data, decision }) => ({
    id,
    status,
    data: call.json(data),
    decision: call.json(decision),
  }))
}
