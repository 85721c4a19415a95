import { setMaxListeners } from 'node:events'
import type { Snapshot, ToolEntry } from '../registry/snapshot.js'
import type { DeclaredFunction, FunctionLookup } from '../template/api.js'
import { LimitError } from '../template/format/go-error.js'
import { createGates } from '../tools/gate.js'
import type { ToolCaller, ToolOutcome } from '../tools/tool.js'
import { type JsonObject, type JsonValue, stringifyJson } from '../util/json.js'
import { createSlicer } from '../util/pause.js'
import { placeholderFor, substituteFor } from './tool-substitute.js'

/**
 * What a caller should know of a render that succeeded: a tool that failed and what stands in its place, or that broke
 * its promise; a variable that means nothing to the prompt; a prompt that is older than its document.
 */
export interface RenderWarning {
  readonly tool?: string
  /** Of the request: `variables.max_lenght`. */
  readonly path?: string
  readonly code: string
  readonly message: string
  /** Only for a failed call. */
  readonly substituted?: JsonValue
}

/** One call of a tool by a template, for people who want to see what happens. */
export interface ToolTrace {
  readonly tool: string
  readonly function: string
  /** As the tool got them; as the template wrote them, when they do not fit the tool. */
  readonly arguments: JsonValue
  readonly status: 'ok' | 'failed' | 'dry_run'
  readonly cached: boolean
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  readonly error?: { readonly code: string; readonly message: string }
  readonly substituted?: JsonValue
  readonly warnings?: readonly string[]
}

/** How the tools of one render behave differently from a plain one. */
export interface ToolObservation {
  /** Calls nothing: placeholders take the results' places. */
  readonly dryRun: boolean
  /** Told of every call when it is over. */
  readonly onCall: (trace: ToolTrace) => void
}

export interface ToolFunctionsOptions {
  readonly snapshot: Snapshot
  readonly caller: ToolCaller
  /** Functions whose names no tool takes. */
  readonly library: FunctionLookup
  /** The data of the render, where tools find their base urls. */
  readonly context: JsonObject
  readonly requestId: string
  readonly traceparent: string | undefined
  /** When the render ends at the latest, in epoch milliseconds. */
  readonly deadline: number
  /** The client's own signal, asked for when the first tool is called. */
  readonly clientSignal: (() => AbortSignal) | undefined
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly observation: ToolObservation | undefined
}

/** Of one render, over all templates of its prompt. */
const MAX_PARALLEL_CALLS = 16
/** How long calls that end at once may follow each other before others have a turn, in milliseconds. */
const SLICE_MS = 5

/** Of one render: those under way, and those that an explanation lists, are kept. */
const MAX_CALLS = 1_000

/** How a tool is called: with whatever the template passes, and with the render's budget. */
const TOOL_FUNCTION = { parameters: ['any'], variadic: true, takes: 'json', lenient: true } as const

/** A call that still runs at the deadline fails the render, which therefore must notice before the call does. */
const GRACE_MS = 50

/** The tools of a snapshot as template functions of one render. */
export interface ToolFunctions extends FunctionLookup {
  readonly warnings: readonly RenderWarning[]
  /** Ends what is still running: called once the render is settled. */
  end(): void
}

/** Binds the tools of a snapshot to one render. */
export function bindTools(options: ToolFunctionsOptions): ToolFunctions {
  return new BoundTools(options)
}

class BoundTools implements ToolFunctions {
  readonly warnings: RenderWarning[] = []
  private readonly options: ToolFunctionsOptions
  private readonly gates = createGates({ limit: MAX_PARALLEL_CALLS, maxWaiting: Number.POSITIVE_INFINITY })
  private readonly slicer = createSlicer(SLICE_MS, () => performance.now())
  private calls = 0
  private controller: AbortController | undefined
  private stopListening: () => void = () => {}

  constructor(options: ToolFunctionsOptions) {
    this.options = options
  }

  has(name: string): boolean {
    const { snapshot, library } = this.options
    return snapshot.functions.has(name) && !library.has(name)
  }

  get(name: string): DeclaredFunction | undefined {
    const tool = this.has(name) ? this.options.snapshot.functions.get(name) : undefined
    if (tool === undefined) return undefined
    const { observation } = this.options
    const isDry = observation?.dryRun === true
    return {
      ...TOOL_FUNCTION,
      call: (...given: JsonValue[]) => {
        this.count()
        return isDry ? this.pretend(tool, given, observation) : this.call(tool, given)
      },
    }
  }

  end(): void {
    this.stopListening()
    this.controller?.abort()
  }

  /** @throws LimitError for one call too many: each is kept until the render ends */
  private count(): void {
    this.calls += 1
    if (this.calls > MAX_CALLS) throw new LimitError('width', `more than ${MAX_CALLS} calls of tools`)
  }

  private async call(tool: ToolEntry, given: readonly JsonValue[]): Promise<unknown> {
    const { caller, context, deadline, requestId, traceparent, now, observation } = this.options
    const signal = this.signal()
    const leave = await this.gates.enter('render', signal)
    const turn = this.slicer.turn()
    if (turn !== undefined) await turn
    const startedAt = now()
    const outcome = await caller
      .call(tool, given, {
        signal,
        deadline: deadline + GRACE_MS,
        requestId,
        context,
        ...(traceparent === undefined ? {} : { traceparent }),
      })
      .finally(leave)
    observation?.onCall(traceOf(tool, given, startedAt, outcome))
    return outcome.ok ? this.accept(tool, outcome) : this.substitute(tool, outcome)
  }

  private accept({ id }: ToolEntry, { value, warnings }: ToolOutcome & { readonly ok: true }): JsonValue {
    for (const message of warnings) this.warnings.push({ tool: id, code: 'unexpected_result', message })
    return value
  }

  private substitute(tool: ToolEntry, outcome: ToolOutcome & { readonly ok: false }): unknown {
    const { code, message, substituted } = outcome
    this.warnings.push({ tool: tool.id, code, message, substituted })
    return substituteFor(tool.definition, substituted)
  }

  private pretend(tool: ToolEntry, given: readonly JsonValue[], observation: ToolObservation): unknown {
    const { now } = this.options
    const { id, functionName } = tool
    observation.onCall({
      tool: id,
      function: functionName,
      arguments: given,
      status: 'dry_run',
      cached: false,
      startedAt: now(),
      durationMs: 0,
    })
    const written = given.map((value) => ` ${stringifyJson(value)}`).join('')
    return placeholderFor(tool.definition, `[${functionName}${written}]`)
  }

  /** One controller per render, created by the first call: most renders call nothing. */
  private signal(): AbortSignal {
    if (this.controller === undefined) {
      const controller = new AbortController()
      // Every call of the render listens.
      setMaxListeners(0, controller.signal)
      const client = this.options.clientSignal?.()
      const abort = () => controller.abort(client?.reason)
      if (client?.aborted) abort()
      client?.addEventListener('abort', abort, { once: true })
      this.stopListening = () => client?.removeEventListener('abort', abort)
      this.controller = controller
    }
    return this.controller.signal
  }
}

function traceOf(
  tool: ToolEntry,
  given: readonly JsonValue[],
  startedAt: number,
  outcome: ToolOutcome,
): ToolTrace {
  const common = {
    tool: tool.id,
    function: tool.functionName,
    arguments: outcome.arguments ?? given,
    startedAt,
    durationMs: outcome.durationMs,
  }
  if (outcome.ok) {
    const { cached, warnings } = outcome
    return { ...common, status: 'ok', cached, ...(warnings.length === 0 ? {} : { warnings }) }
  }
  const { code, message, substituted } = outcome
  return { ...common, status: 'failed', cached: false, error: { code, message }, substituted }
}
