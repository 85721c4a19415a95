import type { ToolDefinition, ToolEntry } from '../registry/snapshot.js'
import { compileSchema, describeVerdict } from '../schema/json-schema.js'
import { canonicalJson } from '../util/canonical-json.js'
import { type JsonObject, type JsonValue, own, stringifyJson } from '../util/json.js'
import { maskText, maskValue } from '../util/mask-secrets.js'
import { createCircuitBreakers, type Verdict } from './circuit-breaker.js'
import { runWithin } from './deadline.js'
import { createGates } from './gate.js'
import { pickResult, schemaOfResult } from './pick-result.js'
import { prepareArguments } from './prepare-arguments.js'
import { createResultCache } from './result-cache.js'
import type { ToolCaller, ToolCallOptions, ToolOutcome } from './tool.js'
import { TOOL_FAILURES, ToolFailure, type ToolFailureCode, toToolFailure } from './tool-failure.js'
import type { ToolSettings } from './tool-settings.js'
import type { PreparedCall, ToolWire, WireReply } from './tool-wire.js'

type WireType = ToolDefinition['connection']['type']

/** One finished call, for logs and metrics. */
export interface ToolCallRecord {
  readonly tool: string
  readonly type: WireType
  readonly requestId: string
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
  /** Asked before every call: a reason to refuse it, or undefined. */
  readonly permission?: (tool: ToolEntry, args: JsonObject) => string | undefined
  /** In milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/** What is known of a call while it runs, for its failure. */
interface CallNotes {
  arguments: JsonObject | undefined
  secrets: readonly string[]
}

/** Callers give up a little before their deadline: that is the tool's slowness, not a change of mind. */
const DEADLINE_SLACK_MS = 75
/** A call that was given less time than this and failed to answer says nothing about its tool. */
const FAIR_WAIT_MS = 100

/**
 * The one path of every tool call: arguments, permission, host policy, circuit breaker, cache, caps, deadline, wire,
 * result. A failure at any step is data.
 */
export function createToolCaller(options: ToolCallerOptions): ToolCaller {
  const { settings, wires, now = Date.now } = options
  const breakers = createCircuitBreakers({ ...settings.breaker, now })
  const gate = { maxWaiting: settings.maxWaiting }
  const toolGates = createGates({ ...gate, limit: settings.maxConcurrentPerTool })
  const hostGates = createGates({ ...gate, limit: settings.maxConcurrentPerHost })
  const cache = createResultCache<WireReply>({
    maxBytes: settings.cacheBytes,
    sizeOf: (reply) => stringifyJson(reply.value).length,
    now,
  })

  async function call(
    tool: ToolEntry,
    values: readonly JsonValue[],
    callOptions: ToolCallOptions,
  ): Promise<ToolOutcome> {
    const started = performance.now()
    const notes: CallNotes = { arguments: undefined, secrets: [] }
    const durationMs = () => Math.round((performance.now() - started) * 100) / 100
    try {
      const { reply, cached } = await obtain(tool, values, callOptions, notes)
      const { value, warnings } = finish(tool.definition, reply)
      const outcome = { ok: true, value, cached, warnings, durationMs: durationMs() } as const
      record(tool, callOptions, outcome, undefined)
      return { ...outcome, arguments: notes.arguments ?? {} }
    } catch (error) {
      const failure = atDeadline(toToolFailure(error), callOptions.deadline)
      const message = maskText(failure.message, notes.secrets)
      const substituted = substituteFor(tool.definition)
      const outcome = {
        ok: false,
        code: failure.code,
        message,
        substituted,
        durationMs: durationMs(),
      } as const
      record(tool, callOptions, outcome, failure.code === 'internal' ? failure.cause : undefined)
      return { ...outcome, arguments: notes.arguments }
    }
  }

  async function obtain(
    tool: ToolEntry,
    values: readonly JsonValue[],
    callOptions: ToolCallOptions,
    notes: CallNotes,
  ): Promise<{ reply: WireReply; cached: boolean }> {
    const { definition } = tool
    const args = prepareArguments(definition.parameters, values)
    notes.arguments = args
    const refusal = options.permission?.(tool, args)
    if (refusal !== undefined) throw new ToolFailure('forbidden', refusal)
    const { context, requestId, traceparent } = callOptions
    const call = { tool: definition, arguments: args, context, requestId, traceparent }
    const prepared = wires[definition.connection.type].prepare(call)
    notes.secrets = prepared.secrets
    return deliver(tool, args, prepared, callOptions)
  }

  /** From the cache, else over the wire. */
  async function deliver(
    tool: ToolEntry,
    args: JsonObject,
    prepared: PreparedCall,
    { signal, deadline }: ToolCallOptions,
  ): Promise<{ reply: WireReply; cached: boolean }> {
    const { readOnly, cacheTtlMs = 0, timeoutMs = settings.timeoutMs } = tool.definition
    const ownBudget = Math.min(timeoutMs, settings.timeoutMs)
    const budgetMs = Math.min(ownBudget, deadline - now())
    if (!readOnly || cacheTtlMs <= 0) {
      return { reply: await attempt(tool, prepared, budgetMs, signal, deadline), cached: false }
    }
    const { result, cached } = await cache.get({
      key: `${tool.id} ${tool.revision} ${prepared.identity} ${canonicalJson(args)}`,
      ttlMs: cacheTtlMs,
      budgetMs,
      signal,
      load: (shared) => attempt(tool, prepared, ownBudget, shared, now() + ownBudget),
    })
    return { reply: result, cached }
  }

  async function attempt(
    tool: ToolEntry,
    prepared: PreparedCall,
    budgetMs: number,
    caller: AbortSignal,
    deadline: number,
  ): Promise<WireReply> {
    const report = breakers.enter(tool.id, tool.revision)
    const started = now()
    try {
      const send = (signal: AbortSignal) =>
        throughGates(tool.id, prepared, { signal, deadline: Math.min(deadline, started + budgetMs) })
      const reply = await runWithin(budgetMs, caller, send)
      report('healthy')
      return { ...reply, value: maskValue(reply.value, prepared.secrets) }
    } catch (error) {
      const failure = atDeadline(toToolFailure(error), deadline)
      report(verdictOn(failure, now() - started), maskText(failure.message, prepared.secrets))
      throw failure
    }
  }

  async function throughGates(
    id: string,
    prepared: PreparedCall,
    sendOptions: { readonly signal: AbortSignal; readonly deadline: number },
  ): Promise<WireReply> {
    const leaveTool = await toolGates.enter(id, sendOptions.signal)
    try {
      const leaveHost = await hostGates.enter(prepared.target, sendOptions.signal)
      try {
        return await prepared.send(sendOptions)
      } finally {
        leaveHost()
      }
    } finally {
      leaveTool()
    }
  }

  function atDeadline(failure: ToolFailure, deadline: number): ToolFailure {
    const late = failure.code === 'cancelled' && now() >= deadline - DEADLINE_SLACK_MS
    return late ? new ToolFailure('timeout', "no answer before the caller's deadline") : failure
  }

  function record(
    tool: ToolEntry,
    { requestId }: ToolCallOptions,
    outcome: { readonly ok: boolean; readonly durationMs: number; readonly cached?: boolean } & (
      | { readonly ok: true }
      | { readonly ok: false; readonly code: ToolFailureCode; readonly message: string }
    ),
    cause: unknown,
  ): void {
    options.observe?.({
      tool: tool.id,
      type: tool.definition.connection.type,
      requestId,
      code: outcome.ok ? 'ok' : outcome.code,
      message: outcome.ok ? '' : outcome.message,
      cached: outcome.cached ?? false,
      durationMs: outcome.durationMs,
      cause,
    })
  }

  return {
    call,
    get status() {
      return { inFlight: toolGates.inFlight, breakers: breakers.status }
    },
  }
}

function verdictOn(failure: ToolFailure, waitedMs: number): Verdict {
  if (failure.code === 'timeout' && waitedMs < FAIR_WAIT_MS) return 'neutral'
  return TOOL_FAILURES[failure.code].unhealthy ? 'unhealthy' : 'neutral'
}

/** Picks the result and compares it with the tool's own promise, whose breach is a warning. */
function finish(definition: ToolDefinition, reply: WireReply): WireReply {
  const value = pickResult(reply.value, definition.result)
  if (definition.returns === undefined) return { value, warnings: reply.warnings }
  const warning = checkReturns(schemaOfResult(definition.returns, definition.result), value)
  return { value, warnings: warning === undefined ? reply.warnings : [...reply.warnings, warning] }
}

function checkReturns(schema: JsonObject, value: JsonValue): string | undefined {
  try {
    const verdict = compileSchema(schema)(value)
    return verdict.problems.length === 0 ? undefined : describeVerdict(verdict, 'result')
  } catch (error) {
    return `its returns schema does not compile: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** What a failed call yields: the tool's default, else the default of what it returns, else the empty text. */
function substituteFor(definition: ToolDefinition): JsonValue {
  const { fallback, returns, result } = definition
  if (fallback !== undefined || returns === undefined) return fallback ?? ''
  return own(schemaOfResult(returns, result), 'default') ?? own(returns, 'default') ?? ''
}
