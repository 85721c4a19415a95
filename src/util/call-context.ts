import type { CancelSignal } from './cancellation.js'

/**
 * For whom something is done, how long, and under which name: made once where work begins (a request, a turn, a task
 * step) and handed down through all floors unchanged, or narrowed with {@link narrowContext}. Plain data that nobody
 * changes: a copy by spreading is whole.
 */
export interface CallContext {
  readonly requestId: string
  /** W3C trace context of the caller, forwarded to upstreams and tools. */
  readonly traceparent?: string | undefined
  /** False where it is known that nobody keeps the trace; undefined where `traceparent` says whether. */
  readonly isTraced?: boolean | undefined
  /** Aborts when nobody waits for the result any more. */
  readonly signal: CancelSignal
  /** When the caller stops waiting, in epoch milliseconds. Undefined: it waits as long as the call itself allows. */
  readonly deadlineAt?: number | undefined
  /** How long one tool call may take, in milliseconds. Undefined: `TOOL_TIMEOUT_MS`. */
  readonly limitMs?: number | undefined
  /** What sets `limitMs`, for messages. */
  readonly limitName?: string | undefined
  /** Which call of a model this is, where a model asked for it. */
  readonly callId?: string | undefined
  /** Equal for every repetition of one call, so that a tool can distinguish a retry from a second order. */
  readonly idempotencyKey?: string | undefined
  /** The session the work belongs to. */
  readonly session?: string | undefined
  /** What decides about labels that are split, as `x-prompt-key` says it. Undefined: the variables, the session, or chance. */
  readonly splitKey?: string | undefined
  /** Names who asked for it, among those who ask: a key, or an address. Undefined: nobody in particular. */
  readonly caller?: string | undefined
  /**
   * Makes sure, before anything acts, that the work is still this process's: returns at once where that is certain, and
   * throws or rejects where it is not. Undefined: nobody else can have it.
   */
  readonly assertHeld?: (() => Promise<void> | undefined) | undefined
}

/** A context whose caller stops waiting at a time, in epoch milliseconds, or earlier where it did before. */
export function endingBy(context: CallContext, at: number): CallContext {
  const { deadlineAt = Number.POSITIVE_INFINITY } = context
  return narrowContext(context, { deadlineAt: Math.min(deadlineAt, at) })
}

/**
 * A context with some values replaced. Written out: a copy of a frozen object by spreading costs microseconds. Whether it is
 * traced is left to `traceparent`, which may be another one.
 */
export function narrowContext(context: CallContext, changes: Partial<CallContext>): CallContext {
  return Object.freeze({
    requestId: changes.requestId ?? context.requestId,
    traceparent: changes.traceparent ?? context.traceparent,
    signal: changes.signal ?? context.signal,
    deadlineAt: changes.deadlineAt ?? context.deadlineAt,
    limitMs: changes.limitMs ?? context.limitMs,
    limitName: changes.limitName ?? context.limitName,
    callId: changes.callId ?? context.callId,
    idempotencyKey: changes.idempotencyKey ?? context.idempotencyKey,
    session: changes.session ?? context.session,
    splitKey: changes.splitKey ?? context.splitKey,
    caller: changes.caller ?? context.caller,
    assertHeld: changes.assertHeld ?? context.assertHeld,
  })
}

/** What one call of a tool has beyond the work that it is part of. */
export type CallChanges = Required<Pick<CallContext, 'signal' | 'deadlineAt' | 'limitMs' | 'limitName'>> &
  Pick<CallContext, 'callId' | 'idempotencyKey'>

/** The context of one call of a tool: {@link narrowContext} for what every call changes, in one piece. */
export function contextOfCall(context: CallContext, changes: CallChanges): CallContext {
  return Object.freeze({
    requestId: context.requestId,
    traceparent: context.traceparent,
    signal: changes.signal,
    deadlineAt: changes.deadlineAt,
    limitMs: changes.limitMs,
    limitName: changes.limitName,
    callId: changes.callId ?? context.callId,
    idempotencyKey: changes.idempotencyKey ?? context.idempotencyKey,
    session: context.session,
    splitKey: context.splitKey,
    caller: context.caller,
    assertHeld: context.assertHeld,
  })
}
