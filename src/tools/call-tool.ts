import { type CallContext, contextOfCall } from '../util/call-context.js'
import type { CancelSignal } from '../util/cancellation.js'
import type { JsonObject } from '../util/json/json.js'
import { runWithin } from '../util/time/time-limits.js'
import type { ToolOutcome } from './tool.js'
import { ToolFailure, type ToolFailureCode, toToolFailure } from './tool-failure.js'
import type { Tool } from './toolbox.js'

/** The name of a tool's own limit in messages. */
export const OWN_LIMIT = 'timeoutMs of the tool'
/** Failures that say nothing of whether the tool has done what it was asked for. */
const LEAVES_OPEN: ReadonlySet<ToolFailureCode> = new Set(['cancelled', 'timeout', 'connection_lost'])
/** Said with them of tools that may change something, for the model that reads the result. */
const MAY_HAVE_ACTED = '; the call may have had its effect'

/** What else may be said of one call. */
export interface CallDetails extends Pick<CallContext, 'callId' | 'idempotencyKey'> {
  readonly now?: () => number
  /** What sets the limit, for messages. */
  readonly limitName?: string
}

/**
 * Calls a tool that must answer in time: within the limit, its own if that is shorter, and what is left of the
 * context's. A tool that does not look at its signal is left behind. Its failures are data.
 *
 * @param limitMs how long the caller is ready to wait, in milliseconds
 * @throws what `context.assertHeld` does: the work is another process's by now, and the tool was not called
 */
export async function callTool(
  tool: Tool,
  args: JsonObject,
  context: CallContext,
  limitMs: number,
  { now = Date.now, limitName = '', callId, idempotencyKey }: CallDetails = {},
): Promise<ToolOutcome> {
  const held = context.assertHeld?.()
  if (held !== undefined) await held
  const startedAt = now()
  const { deadlineAt = Number.POSITIVE_INFINITY } = context
  const budgetMs = Math.min(limitMs, tool.timeoutMs ?? limitMs, deadlineAt - startedAt)
  const given = budgetMs === limitMs ? limitName : ''
  const name = tool.timeoutMs === budgetMs ? OWN_LIMIT : given
  let isBegun = false
  const run = (signal: CancelSignal) => {
    isBegun = true
    const limits = { deadlineAt: startedAt + budgetMs, limitMs: budgetMs, limitName: name }
    return tool.call(args, contextOfCall(context, { signal, ...limits, callId, idempotencyKey }))
  }
  let outcome: ToolOutcome
  try {
    outcome = await callWithin(budgetMs, context.signal, run, name)
  } catch (error) {
    const { code, message } = toToolFailure(error)
    outcome = { ok: false, code, message, substituted: '', arguments: args, durationMs: now() - startedAt }
  }
  return isBegun && tool.readOnly !== true ? withDoubt(outcome) : outcome
}

function withDoubt(outcome: ToolOutcome): ToolOutcome {
  if (outcome.ok || !LEAVES_OPEN.has(outcome.code)) return outcome
  return { ...outcome, message: `${outcome.message}${MAY_HAVE_ACTED}` }
}

/**
 * Runs a call that must end in time, as `util/time/time-limits` says.
 *
 * @param limit names the limit in the message of a timeout: `TOOL_TIMEOUT_MS`; empty where it is the caller's
 * @throws ToolFailure `timeout`, `cancelled` or the failure the caller aborted with, and whatever the call throws before that
 */
export function callWithin<Result>(
  budgetMs: number,
  caller: CancelSignal,
  run: (signal: CancelSignal) => Promise<Result>,
  limit = '',
): Promise<Result> {
  const timedOut = (ms: number) => timeout(ms, limit)
  return runWithin(budgetMs, caller, run, { timedOut, cancelled })
}

function timeout(ms: number, limit: string): ToolFailure {
  const named = limit === '' ? '' : ` (${limit})`
  const message = ms <= 0 ? 'no time is left for the call' : `no answer within ${Math.round(ms)} ms${named}`
  return new ToolFailure('timeout', message)
}

/** Of a caller who stopped waiting, or aborted with a failure. */
export function cancelled(reason: unknown): ToolFailure {
  return reason instanceof ToolFailure ? reason : new ToolFailure('cancelled', 'the caller stopped waiting')
}
