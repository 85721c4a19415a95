import { ServiceError } from '../errors.js'
import type { ToolDefinition, ToolEntry } from '../registry/snapshot.js'
import type { Verdict } from '../transport/resilience/circuit.js'
import type { StreakBreakers } from '../transport/resilience/streak-breakers.js'
import type { CallContext } from '../util/call-context.js'
import { type CancelSignal, nativeSignal } from '../util/cancellation.js'
import { canonicalKey } from '../util/json/canonical-key.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { sizeInPieces, sizeOfJson } from '../util/json/size-of-json.js'
import { isSmall, isSmallOnce } from '../util/slices/is-small.js'
import { room } from '../util/slices/pause.js'
import { runInTurns } from '../util/slices/sliced.js'
import { maskInPieces, maskText, maskValue } from '../util/telemetry/mask-secrets.js'
import { untilAborted } from '../util/time/time-limits.js'
import { callWithin, cancelled, OWN_LIMIT } from './call-tool.js'
import { finishReply } from './finish-reply.js'
import { createGates, type Gates } from './gates.js'
import { prepareArguments } from './prepare-arguments.js'
import { createResultCache, type ResultCache } from './result-cache.js'
import { substituteFor } from './substitute.js'
import { refusedOutcome, type ToolCaller, type ToolCallerStatus, type ToolOutcome } from './tool.js'
import { createToolBreakers, toBreakerStatus } from './tool-breakers.js'
import { TOOL_FAILURES, ToolFailure, type ToolFailureCode, toToolFailure } from './tool-failure.js'
import type { ToolSettings } from './tool-settings.js'
import type { PreparedCall, ToolWire, WireReply } from './tool-wire.js'

type WireType = ToolDefinition['connection']['type']

/** One finished call, for logs and metrics. */
export interface ToolCallRecord {
  readonly tool: string
  readonly type: WireType
  readonly requestId: string
  /** Of its span. */
  readonly traceparent: string | undefined
  readonly code: 'ok' | ToolFailureCode
  readonly message: string
  readonly cached: boolean
  readonly durationMs: number
  /** Of an unforeseen failure, for the log alone. */
  readonly cause: unknown
}

export interface ToolCallerOptions {
  readonly settings: ToolSettings
  /** The caller closes them. */
  readonly wires: Readonly<Record<WireType, ToolWire>>
  /** Called once per call, after it. */
  readonly observe?: (record: ToolCallRecord) => void
  /** Does what values of others may make long. Default: as all else. */
  readonly doForeign?: DoForeign
  /** In milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/**
 * Does pure work on values of others, such as the arguments of a call, within what one piece of work may take.
 *
 * @throws ServiceError if it is refused, or took too long and was stopped
 */
export type DoForeign = <Result>(
  tool: Pick<ToolEntry, 'id' | 'revision'>,
  call: CallContext,
  work: () => Result,
) => Result

/** One call on its way, and what is known of it for its failure. */
interface Call {
  readonly tool: ToolEntry
  readonly context: CallContext
  readonly data: JsonObject
  /** Epoch milliseconds; infinite where the caller has all the time. */
  readonly deadlineAt: number
  /** Once they are checked. */
  arguments: JsonObject | undefined
  secrets: readonly string[]
}

/** How long, and for whom, a call is on the wire. */
interface Flight {
  readonly budgetMs: number
  /** The name of that limit, for messages; empty where it is the caller's. */
  readonly limit: string
  readonly signal: CancelSignal
  readonly deadlineAt: number
}

/** Callers give up a little before their deadline: that is the tool's slowness, not a change of mind. */
const DEADLINE_SLACK_MS = 75
/** A call that was given less time than this and failed to answer says nothing about its tool. */
const FAIR_WAIT_MS = 100

/**
 * The one path of every call of a catalog tool: arguments, host policy, cache, circuit breaker, gates, deadline, wire,
 * result. A failure at any step is data.
 */
export function createToolCaller(options: ToolCallerOptions): ToolCaller {
  return new WireCaller(options)
}

class WireCaller implements ToolCaller {
  readonly #options: ToolCallerOptions
  readonly #now: () => number
  readonly #breakers: StreakBreakers
  readonly #toolGates: Gates
  readonly #hostGates: Gates
  readonly #cache: ResultCache<WireReply>
  readonly #doForeign: DoForeign

  constructor(options: ToolCallerOptions) {
    const { settings, now = Date.now, doForeign = (_tool, _call, work) => work() } = options
    const { maxWaiting, maxConcurrentPerTool, maxConcurrentPerHost } = settings
    this.#options = options
    this.#now = now
    this.#doForeign = doForeign
    this.#breakers = createToolBreakers(settings.breaker, now)
    this.#toolGates = createGates({ maxWaiting, limit: maxConcurrentPerTool })
    this.#hostGates = createGates({ maxWaiting, limit: maxConcurrentPerHost })
    this.#cache = createResultCache<WireReply>({
      maxBytes: settings.cacheBytes,
      sizeOf: ({ value }) => sizeOf(value),
      now,
    })
  }

  get status(): ToolCallerStatus {
    return { inFlight: this.#toolGates.inFlight, breakers: this.#breakers.status.map(toBreakerStatus) }
  }

  async call(
    tool: ToolEntry,
    given: JsonObject,
    context: CallContext,
    data: JsonObject,
  ): Promise<ToolOutcome> {
    const startedAt = performance.now()
    const { deadlineAt = Number.POSITIVE_INFINITY } = context
    const call: Call = { tool, context, data, deadlineAt, arguments: undefined, secrets: [] }
    try {
      const { reply, cached } = await this.#obtain(call, given)
      // Many calls may have waited for it.
      const turn = isSmallOnce(reply.value) ? undefined : room()
      if (turn !== undefined) await turn
      const finish = () => finishReply(tool.definition, reply)
      const { value, warnings } = this.#within(call, reply.value, finish, 'bad_response')
      const durationMs = since(startedAt)
      this.#record(tool, context, { code: 'ok', message: '', cached, durationMs, cause: undefined })
      return { ok: true, value, cached, warnings, durationMs, arguments: call.arguments ?? {} }
    } catch (error) {
      return this.#fail(call, this.#atDeadline(toToolFailure(error), deadlineAt), since(startedAt))
    }
  }

  refuse(tool: ToolEntry, { code, message }: ToolFailure, context: CallContext): ToolOutcome {
    this.#record(tool, context, { code, message, cached: false, durationMs: 0, cause: undefined })
    return refusedOutcome({ code, message }, substituteFor(tool.definition))
  }

  #fail({ tool, context, arguments: args, secrets }: Call, failure: ToolFailure, durationMs: number) {
    const { code } = failure
    const message = maskText(failure.message, secrets)
    const cause = code === 'internal' ? failure.cause : undefined
    this.#record(tool, context, { code, message, cached: false, durationMs, cause })
    const substituted = substituteFor(tool.definition)
    return { ok: false, code, message, substituted, durationMs, arguments: args } as const
  }

  async #obtain(call: Call, given: JsonObject): Promise<{ reply: WireReply; cached: boolean }> {
    const { tool, context, data } = call
    const { definition } = tool
    const prepare = () => prepareArguments(definition.parameters, given)
    const args = this.#within(call, given, prepare, 'invalid_arguments')
    call.arguments = args
    const prepared = this.#options.wires[definition.connection.type].prepare({
      tool: definition,
      arguments: args,
      context: data,
      caller: context,
    })
    call.secrets = prepared.secrets
    if (prepared.load !== undefined) await untilAborted(prepared.load(), context.signal, cancelled)
    return this.#deliver(call, args, prepared)
  }

  /**
   * Does pure work on a value of somebody else. A small one is done with in no time.
   *
   * @throws ToolFailure of this code if it took too long, and whatever the work throws
   */
  #within<Result>(
    { tool, context }: Call,
    value: unknown,
    work: () => Result,
    code: 'invalid_arguments' | 'bad_response',
  ): Result {
    if (isSmallOnce(value)) return work()
    try {
      return this.#doForeign(tool, context, work)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      // After the answer nothing may say that the tool was not called.
      const isRefused = error.code === 'overloaded' && code === 'invalid_arguments'
      throw new ToolFailure(isRefused ? 'overloaded' : code, error.message, { cause: error })
    }
  }

  /** From the cache, else over the wire. */
  async #deliver(
    { tool, context, deadlineAt }: Call,
    args: JsonObject,
    prepared: PreparedCall,
  ): Promise<{ reply: WireReply; cached: boolean }> {
    const { signal, limitMs = this.#options.settings.timeoutMs, limitName } = context
    const { readOnly, cacheTtlMs = 0, timeoutMs } = tool.definition
    const ownMs = Math.min(timeoutMs ?? limitMs, limitMs)
    const budgetMs = Math.min(ownMs, deadlineAt - this.#now())
    const callersLimit = context.limitMs === undefined ? 'TOOL_TIMEOUT_MS' : (limitName ?? '')
    const ownLimit = timeoutMs === ownMs ? OWN_LIMIT : callersLimit
    // Of a limit that its caller has named, the deadline is the same one.
    const limit = budgetMs < ownMs ? (limitName ?? '') : ownLimit
    if (!readOnly || cacheTtlMs <= 0) {
      return {
        reply: await this.#attempt(tool, prepared, { budgetMs, signal, deadlineAt, limit }),
        cached: false,
      }
    }
    const asked = canonicalKey(args)
    const { result, cached } = await this.#cache.get({
      key: `${tool.id} ${tool.revision} ${prepared.identity} ${typeof asked === 'string' ? asked : await asked}`,
      ttlMs: cacheTtlMs,
      budgetMs,
      limit,
      signal,
      load: (shared) =>
        this.#attempt(tool, prepared, {
          budgetMs: ownMs,
          signal: shared,
          deadlineAt: this.#now() + ownMs,
          limit: ownLimit,
        }),
    })
    return { reply: result, cached }
  }

  async #attempt(tool: ToolEntry, prepared: PreparedCall, flight: Flight): Promise<WireReply> {
    const { budgetMs, deadlineAt } = flight
    const report = this.#breakers.enter(tool.id, tool.revision)
    const startedAt = this.#now()
    try {
      const deadline = Math.min(deadlineAt, startedAt + budgetMs)
      const reply = await callWithin(
        budgetMs,
        flight.signal,
        (signal) => this.#throughGates(tool.id, prepared, { signal: nativeSignal(signal), deadline }),
        flight.limit,
      )
      report('healthy')
      return { ...reply, value: await masked(reply.value, prepared.secrets) }
    } catch (error) {
      const failure = this.#atDeadline(toToolFailure(error), deadlineAt)
      report(verdictOn(failure, this.#now() - startedAt), maskText(failure.message, prepared.secrets))
      throw failure
    }
  }

  async #throughGates(
    id: string,
    prepared: PreparedCall,
    sendOptions: { readonly signal: AbortSignal; readonly deadline: number },
  ): Promise<WireReply> {
    const leaveTool = await this.#toolGates.enter(id, sendOptions.signal)
    try {
      const leaveHost = await this.#hostGates.enter(prepared.target, sendOptions.signal)
      try {
        return await prepared.send(sendOptions)
      } finally {
        leaveHost()
      }
    } finally {
      leaveTool()
    }
  }

  #atDeadline(failure: ToolFailure, deadlineAt: number): ToolFailure {
    const late = failure.code === 'cancelled' && this.#now() >= deadlineAt - DEADLINE_SLACK_MS
    return late ? new ToolFailure('timeout', "no answer before the caller's deadline") : failure
  }

  #record(
    { id, definition }: ToolEntry,
    { requestId, traceparent }: CallContext,
    result: Omit<ToolCallRecord, 'tool' | 'type' | 'requestId' | 'traceparent'>,
  ): void {
    this.#options.observe?.({ tool: id, type: definition.connection.type, requestId, traceparent, ...result })
  }
}

function masked(value: JsonValue, secrets: readonly string[]): JsonValue | Promise<JsonValue> {
  if (secrets.length === 0) return value
  return isSmall(value) ? maskValue(value, secrets) : runInTurns(maskInPieces(value, secrets))
}

function sizeOf(value: JsonValue): number | Promise<number> {
  return isSmallOnce(value) ? sizeOfJson(value) : runInTurns(sizeInPieces(value))
}

/** Milliseconds with two decimals. */
function since(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 100) / 100
}

function verdictOn(failure: ToolFailure, waitedMs: number): Verdict {
  if (failure.code === 'timeout' && waitedMs < FAIR_WAIT_MS) return 'neutral'
  return TOOL_FAILURES[failure.code].unhealthy ? 'unhealthy' : 'neutral'
}
