import { randomUUID } from 'node:crypto'
import { LiveEvents } from '../agents/sessions/live-events.js'
import { RunWatch } from '../agents/sessions/run-watch.js'
import { ServiceError } from '../errors.js'
import { responseObject } from '../llm/responses/to-response.js'
import type { Grant } from '../state/contract/lease-state.js'
import type { RecordAddress } from '../state/contract/record-state.js'
import type { BegunRecord } from '../state/contract/response-state.js'
import type { TurnView } from '../state/contract/turn-state.js'
import { LeasedRun } from '../state/leased-run.js'
import type { NewEvent } from '../state/logged-event.js'
import { replayTurn } from '../state/replay-turn.js'
import type { CallContext } from '../util/call-context.js'
import { Cancellation, whenAborted } from '../util/cancellation.js'
import { type JsonObject, stringifyJson } from '../util/json/json.js'
import { textField } from '../util/json/json-fields.js'
import { newId } from '../util/new-id.js'
import { waitAtMost } from '../util/time/time-limits.js'
import { type ConversationLock, resumeLock } from './conversation-lock.js'
import { readLeft } from './left-loop.js'
import { MAX_RESPONSE_CHAIN } from './limits.js'
import { readBegun } from './read-log.js'
import { chainItems, type ResponseContext, ResponseContexts } from './response-context.js'
import { asMissing, noResponse } from './response-errors.js'
import { shownResponseId, storedResponseId } from './response-ids.js'
import type { LeftResponse } from './response-run.js'
import type { ResponseRuntime } from './response-runtime.js'
import { type ResponseOutcome, runResponse, ShuttingDown } from './run-response.js'
import { frameOf, readStoredRequest, type StoredRequest, writeStoredRequest } from './stored-request.js'

/** A response that runs here. */
export interface RunningResponse {
  readonly id: string
  /** As it is now: queued or in progress. */
  readonly response: JsonObject
  /** Its events from the first, each once it is stored; what this process lost is read from the log. */
  events(signal: AbortSignal): AsyncIterable<NewEvent>
  readonly outcome: Promise<ResponseOutcome>
  /** Ends it: nobody waits for it. */
  cancel(): void
}

const LOOK_EVERY_MS = 1_000
const LOOK_LIMIT = 100
const LOOK_AGAIN_MS = 5_000
const LAST_COMMITS_MS = 1_000
/** A response whose process died so often ends. */
const MAX_TAKEOVERS = 3
/** How long a cancel waits for the process that runs the response. */
const CANCEL_WAIT_MS = 10_000

/** Responses that are kept: begun, continued, read, followed, cancelled and forgotten, on any replica. */
export class Responses {
  readonly #runtime: ResponseRuntime
  readonly #stop = new Cancellation()
  readonly #running = new Set<Promise<unknown>>()
  readonly #watch: RunWatch
  /** What came before requests. */
  readonly contexts: ResponseContexts
  #isClosing = false
  #looking: NodeJS.Timeout | undefined

  constructor(runtime: ResponseRuntime) {
    this.#runtime = runtime
    this.contexts = new ResponseContexts(runtime, (id) => this.attend(id))
    this.#watch = new RunWatch((address) => this.#settle(address), runtime.leaseMs)
  }

  get runtime(): ResponseRuntime {
    return this.#runtime
  }

  /** Begins a response that is kept, or that adds to a conversation. */
  async start(
    owner: string,
    context: ResponseContext,
    asked: Pick<StoredRequest, 'request' | 'promptMessages' | 'answerer' | 'isStream'>,
    call: CallContext,
  ): Promise<RunningResponse> {
    if (this.#isClosing) throw new ServiceError('not_ready', 'The service is shutting down')
    const { store, clock } = this.#runtime
    const { id, isKept, background, items, previousResponse, conversation, answers } = context
    const stored: StoredRequest = {
      ...asked,
      items,
      answers,
      createdAt: Math.floor(clock.now() / 1_000),
      kept: {
        store: isKept,
        background,
        previousResponse: previousResponse && shownResponseId('resp', previousResponse),
        conversation: conversation && shownResponseId('conv', conversation.id),
      },
      conversationTurn: conversation?.lock.turn,
    }
    const input = writeStoredRequest(stored)
    const begun = await store.createBegun({
      ...{ kind: 'response', id, owner, token: id, head: {}, input, parent: previousResponse },
      by: newId(),
    })
    return this.#run(begun, stored, context.before, conversation?.lock, call, !background)
  }

  /** A response as it is now. @throws ServiceError `response_not_found` */
  async read(owner: string, shown: string): Promise<JsonObject> {
    const { address, view } = await this.#find(owner, shown)
    return objectOf(address.id, view)
  }

  /**
   * Deletes a response; a running one is stopped. Responses that follow it can no longer be continued. @throws
   * ServiceError `response_not_found`
   */
  async remove(owner: string, shown: string): Promise<void> {
    const { address, view } = await this.#find(owner, shown)
    if (view.endedAt === undefined) await this.#end(address, shown)
    await this.#runtime.store.remove(address).catch(asMissing(shown))
  }

  /** Ends a background response. @throws ServiceError `response_not_found`, `invalid_request` */
  async cancel(owner: string, shown: string): Promise<JsonObject> {
    const { address, view } = await this.#find(owner, shown)
    if (readStoredRequest(view.input).kept.background !== true)
      throw new ServiceError('invalid_request', 'Only background responses can be cancelled')
    if (view.endedAt !== undefined) return objectOf(address.id, view)
    await this.#end(address, shown)
    return this.read(owner, shown)
  }

  /** What a response was made of, oldest first. @throws ServiceError `response_not_found` */
  async inputItems(owner: string, shown: string): Promise<readonly JsonObject[]> {
    const { address, view } = await this.#find(owner, shown)
    const { items, kept } = readStoredRequest(view.input)
    if (kept.previousResponse === undefined) return items
    const chain = await this.#runtime.store.chain(address, MAX_RESPONSE_CHAIN + 1).catch(asMissing(shown))
    return [...chainItems(chain.slice(1)), ...items]
  }

  /** The events of a response after one, to its last. @throws ServiceError `response_not_found` */
  async follow(
    owner: string,
    shown: string,
    after: number | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<NewEvent>> {
    const { address, view } = await this.#find(owner, shown)
    return this.#follow(address, view, after, signal)
  }

  /** Looks from now on after responses that nobody runs. */
  watch(everyMs = LOOK_EVERY_MS): void {
    if (this.#looking !== undefined || this.#isClosing || this.#runtime.policy === 'never') return
    this.#looking = setInterval(() => void this.#look(), everyMs).unref()
  }

  /** Starts nothing more, lets running responses continue up to the deadline, then gives them back or ends them. */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#looking)
    await waitAtMost(deadlineMs, this.#idle())
    this.#stop.abort(new ShuttingDown('The service is shutting down'))
    await waitAtMost(LAST_COMMITS_MS, this.#idle())
  }

  /** Takes over the response that a dead process left. */
  attend(id: string): void {
    void this.#settle({ kind: 'response', id }).catch(() => {})
  }

  async #idle(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #find(owner: string, shown: string): Promise<{ address: RecordAddress; view: TurnView }> {
    const id = storedResponseId('resp', shown)
    if (id === undefined || this.#runtime.policy === 'never') throw noResponse(shown)
    const address = { kind: 'response', id, owner } as const
    const view = await this.#runtime.store.turns.read(address, 1).catch(asMissing(shown))
    return { address, view }
  }

  /** Asks for the end of a response and waits for it. */
  async #end(address: RecordAddress, shown: string): Promise<void> {
    const { store } = this.#runtime
    const { kind } = await store.cancel(address, 1).catch(asMissing(shown))
    if (kind === 'unattended') await this.#settle(address, true)
    const left = new AbortController()
    const view = await store.turns.read(address, 1).catch(asMissing(shown))
    const ended = async () => {
      for await (const _ of this.#follow(address, view, undefined, left.signal));
    }
    await waitAtMost(CANCEL_WAIT_MS, ended()).finally(() => left.abort())
  }

  #run(
    grant: BegunRecord,
    stored: StoredRequest,
    before: readonly JsonObject[],
    lock: ConversationLock | undefined,
    call: Pick<CallContext, 'requestId' | 'traceparent' | 'signal'> | Pick<CallContext, 'requestId'>,
    endsWithClient: boolean,
    begun?: LeftResponse,
  ): RunningResponse {
    const { store, clock, leases: observer, logger } = this.#runtime
    const { id } = grant.record
    const address: RecordAddress = { kind: 'response', id }
    const live = new LiveEvents()
    const run = new LeasedRun({
      ...{ store, clock, lease: grant.lease, observer },
      cancelRequested: grant.record.cancelRequested,
      onEvent: (event) => live.push(event),
    })
    const stop = new Cancellation()
    const shutDown = () => stop.abort(this.#stop.reason)
    whenAborted(this.#stop, shutDown)
    if (endsWithClient && 'signal' in call) whenAborted(call.signal, () => stop.abort(call.signal.reason))
    const frame = frameOf(id, stored)
    const outcome = runResponse(this.#runtime, {
      ...{ frame, stored, run, lock, begun, stop },
      context: before,
      call: { requestId: call.requestId, traceparent: 'traceparent' in call ? call.traceparent : undefined },
    })
      .then(async (ended) => {
        // What nobody wants kept was there for as long as it took.
        if (!stored.kept.store && ended.response !== undefined) await store.remove(address).catch(() => {})
        return ended
      })
      .finally(() => {
        live.close()
        run.close()
        this.#stop.removeEventListener('abort', shutDown)
      })
    this.#running.add(outcome)
    void outcome.then(({ error }) => {
      this.#running.delete(outcome)
      if (error?.code === 'internal_error') logger.error({ err: error, response: id }, 'a response failed')
    })
    return {
      id,
      response: responseObject(
        frame,
        stored.request.model,
        stored.kept.background ? 'queued' : 'in_progress',
      ),
      events: (signal) => this.#tell(address, live, signal),
      outcome,
      cancel: () => stop.abort(new ServiceError('client_closed_request', 'The client went away')),
    }
  }

  async *#tell(address: RecordAddress, live: LiveEvents, signal: AbortSignal): AsyncGenerator<NewEvent> {
    let after: number | undefined
    for await (const { type, json } of live) {
      yield { type, json }
      if (isLast(type)) return
      after = (after ?? -1) + 1
    }
    if (this.#stop.aborted) throw new ServiceError('not_ready', 'The service is shutting down')
    const view = await this.#runtime.store.turns.read(address, 1)
    yield* this.#follow(address, view, after, signal)
  }

  async *#follow(
    address: RecordAddress,
    view: TurnView,
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<NewEvent> {
    const { store } = this.#runtime
    const isOpen = view.endedAt === undefined
    const place = { from: view.firstEvent ?? '0-1' }
    const unwatch = isOpen ? this.#watch.add(address) : () => {}
    try {
      const items = isOpen
        ? store.events.follow(address, { ...place, signal })
        : replayTurn(store, address, view, place, (ended) => lastEventOf(ended, after))
      for await (const item of items) {
        if (item.kind === 'gap') continue
        const { type, json } = item
        if (numberOf(json) > (after ?? -1)) yield { type, json }
        if (isLast(type)) return
      }
    } finally {
      unwatch()
    }
  }

  async #look(): Promise<void> {
    try {
      const due = await this.#runtime.store.openResponses.due(LOOK_LIMIT, LOOK_AGAIN_MS)
      if (this.#isClosing) return
      await Promise.all(due.map((address) => this.#settle(address).catch(() => {})))
    } catch {
      // A store that is away for now is asked again.
    }
  }

  /** Continues the response that a dead process left. @returns how long its lease lasts, in milliseconds */
  async #settle({ kind, id }: RecordAddress, mayBeQueued = false): Promise<number> {
    const { store, leases, continuesTurns, logger } = this.#runtime
    const address = { kind, id }
    const { status, leasedForMs } = await store.read(address)
    const isLeft = status === 'interrupted' || (mayBeQueued && status === 'queued')
    if (!isLeft || this.#isClosing) return leasedForMs
    const grant = await store.begin({ address, by: newId(), purpose: 'resume' }).catch(() => undefined)
    if (grant === undefined || grant.kind === 'repeated') return leasedForMs
    leases?.takenOver(grant.lease, grant.takeovers)
    const stored = readStoredRequest(grant.turn.input)
    try {
      const { before, lock, result } = await this.#resumed(grant, stored)
      const begun: LeftResponse = {
        ...(await readBegun(store, address, grant.turn)),
        isHopeless: grant.takeovers > MAX_TAKEOVERS || !continuesTurns,
        left: readLeft(grant.turn, grant.messages.messages, this.#runtime.clock.now()),
      }
      if (result === undefined)
        this.#run(grant, stored, before, lock, { requestId: randomUUID() }, false, begun)
      else await this.#finish(grant, begun.events, result)
    } catch (err) {
      logger.warn({ err, response: id }, 'a response could not be continued')
    }
    return 0
  }

  /** What a response continues from. */
  async #resumed(
    { record: { owner } }: Grant,
    { kept, conversationTurn }: StoredRequest,
  ): Promise<{ before: readonly JsonObject[]; lock?: ConversationLock; result?: JsonObject }> {
    if (kept.conversation !== undefined && conversationTurn !== undefined) {
      const id = storedResponseId('conv', kept.conversation) ?? ''
      const resumed = await resumeLock(this.#runtime, { kind: 'conversation', id, owner }, conversationTurn)
      if (resumed === undefined) return { before: [] }
      return 'result' in resumed ? { before: [], ...resumed } : { before: resumed.items, lock: resumed.lock }
    }
    const previous = kept.previousResponse
    if (previous === undefined) return { before: [] }
    return { before: await this.contexts.chain(owner, storedResponseId('resp', previous), previous) }
  }

  /** Writes the end of a response whose conversation has it already. */
  async #finish({ lease }: Grant, number: number, response: JsonObject): Promise<void> {
    const { store, clock } = this.#runtime
    const run = new LeasedRun({ store, lease, clock })
    const type = `response.${textField(response, 'status') ?? 'completed'}`
    const event = { type, sequence_number: number, response }
    await run
      .commit({ events: [event], turn: { status: 'completed', result: response } })
      .finally(() => run.close())
  }
}

function objectOf(id: string, { input, result, status }: TurnView): JsonObject {
  if (result !== undefined) return result
  const stored = readStoredRequest(input)
  const isQueued = status === 'queued'
  return responseObject(frameOf(id, stored), stored.request.model, isQueued ? 'queued' : 'in_progress')
}

const LAST_EVENTS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
])

/** Whether nothing follows an event. */
function isLast(type: string): boolean {
  return LAST_EVENTS.has(type)
}

/** The last event of a response whose log is gone. */
function lastEventOf({ result = {} }: TurnView, after: number | undefined): NewEvent {
  const type = `response.${textField(result, 'status') ?? 'completed'}`
  return { type, json: stringifyJson({ type, sequence_number: (after ?? -1) + 1, response: result }) }
}

const NUMBER = /"sequence_number":(\d+)/

/** Every event has its number right behind its type. */
function numberOf(json: string): number {
  return Number(NUMBER.exec(json)?.[1] ?? Number.POSITIVE_INFINITY)
}
