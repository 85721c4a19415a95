import type { EmitEvent } from '../llm/responses/response-events.js'
import type { LeasedRun, RunCommit } from '../state/leased-run.js'
import type { TypedEvent } from '../state/logged-event.js'
import { type JsonObject, own } from '../util/json/json.js'
import { listField } from '../util/json/json-fields.js'

interface WaitingEvent {
  readonly type: string
  fields: JsonObject
}

/** What says no more than that there is a response. */
export const FIRST_EVENTS: ReadonlySet<string> = new Set([
  'response.queued',
  'response.created',
  'response.in_progress',
])

/** The producer waits while this many events are not stored. */
const MAX_WAITING = 256

/**
 * Stores the events of a response; the run shows each when it is stored. What is emitted while a write is under way goes with
 * the next one, pieces of one text as one event: a slow store makes fewer and longer events. Events are numbered when
 * they are written.
 */
export class EventPump {
  readonly #run: LeasedRun
  #waiting: WaitingEvent[] = []
  #number: number
  #writing: Promise<void> | undefined
  #failure: unknown
  #hasShown = false
  #isHeld = false

  /** @param number of the next event */
  constructor(run: LeasedRun, number: number) {
    this.#run = run
    this.#number = number
  }

  /** Whether anything was emitted yet, here or earlier elsewhere. */
  get hasBegun(): boolean {
    return this.#number > 0 || this.#waiting.length > 0
  }

  /** Whether anything of the answer is on its way to readers. */
  get hasShown(): boolean {
    return this.#hasShown
  }

  readonly emit: EmitEvent = (type, fields) => {
    this.#hasShown ||= !FIRST_EVENTS.has(type)
    const last = this.#waiting.at(-1)
    if (last !== undefined && isSameText(last, type, fields)) last.fields = joined(last.fields, fields)
    else this.#waiting.push({ type, fields })
    if (!this.#isHeld) this.#writing ??= this.#write()
  }

  /** What is emitted from now on is stored with the end: it is known already, and a write of its own would be one more. */
  hold(): void {
    this.#isHeld = true
  }

  /** Resolves when there is room for more. @throws what a write failed with */
  room(): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure
    return this.#waiting.length < MAX_WAITING ? undefined : this.#written()
  }

  /** Resolves when everything that was emitted is stored, what is held too. @throws what a write failed with */
  stored(): Promise<void> {
    if (this.#waiting.length > 0) this.#writing ??= this.#write()
    return this.#written()
  }

  /** Stores what waits together with the last event and the response's end. @throws as `LeasedRun.commit` */
  async end(type: string, fields: JsonObject, commit: Omit<RunCommit, 'events'>): Promise<void> {
    await this.#writing?.catch(() => {})
    if (this.#failure !== undefined) throw this.#failure
    this.#waiting.push({ type, fields })
    await this.#run.commit({ ...commit, events: this.#take() })
  }

  async #written(): Promise<void> {
    await this.#writing
    if (this.#failure !== undefined) throw this.#failure
  }

  async #write(): Promise<void> {
    try {
      // What is emitted in one go is written in one.
      await Promise.resolve()
      while (this.#waiting.length > 0) await this.#run.commit({ events: this.#take() })
    } catch (error) {
      this.#failure = error
    } finally {
      this.#writing = undefined
    }
  }

  #take(): readonly TypedEvent[] {
    const waiting = this.#waiting
    const first = this.#number
    this.#waiting = []
    this.#number += waiting.length
    return waiting.map(({ type, fields }, place) => ({ type, sequence_number: first + place, ...fields }))
  }
}

/** Two pieces of one text as one. */
function joined(first: JsonObject, second: JsonObject): JsonObject {
  const delta = `${own(first, 'delta')}${own(second, 'delta')}`
  const logprobs = [...listField(first, 'logprobs'), ...listField(second, 'logprobs')]
  return { ...first, delta, ...(logprobs.length > 0 && { logprobs }) }
}

function isSameText(last: WaitingEvent, type: string, fields: JsonObject): boolean {
  return (
    last.type === type &&
    type.endsWith('.delta') &&
    typeof own(fields, 'delta') === 'string' &&
    own(last.fields, 'item_id') === own(fields, 'item_id') &&
    own(last.fields, 'content_index') === own(fields, 'content_index')
  )
}
