import type { ToolEntry } from '../registry/snapshot.js'
import type { Warning } from '../schema/api.js'
import type { ReadonlyStatic } from '../schema/readonly-static.js'
import type { WarningCode } from '../schema/warning-codes.js'
import {
  DEFAULT_TEMPLATE_LIMITS,
  type DeclaredFunction,
  type FunctionLookup,
  LimitError,
  TOOL,
} from '../template/host.js'
import { callWithValues } from '../tools/call-with-values.js'
import type { CatalogTool } from '../tools/catalog-tools.js'
import { createGates } from '../tools/gates.js'
import type { ToolOutcome } from '../tools/tool.js'
import type { ToolFailureCode } from '../tools/tool-failure.js'
import type { Toolbox } from '../tools/toolbox.js'
import { type CallContext, narrowContext } from '../util/call-context.js'
import { Cancellation } from '../util/cancellation.js'
import { type JsonValue, stringifyJson } from '../util/json/json.js'
import { SLICES } from '../util/slices/budgets.js'
import { createSlicer } from '../util/slices/pause.js'
import { MAX_TOOL_CALLS } from './limits.js'
import { placeholderFor, toTemplateValue } from './tool-substitute.js'

/**
 * What a caller should know of a render that succeeded: a tool that failed and what replaces its result, or that broke
 * its promise; a variable that means nothing to the prompt; a prompt that is older than its document.
 */
export type RenderWarning = Omit<ReadonlyStatic<typeof Warning>, 'code' | 'substituted'> & {
  readonly code: WarningCode | ToolFailureCode
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

/** Tools that a render does not call: none of them, all, or those that are not `readOnly`. */
export type DryRun = 'false' | 'true' | 'writes'

/** How the tools of one render behave differently from a plain one. */
export interface ToolObservation {
  /** Which tools are not called: placeholders take their results' places. */
  readonly dryRun: DryRun
  /** Notified of every call when it is over. */
  readonly onCall: (trace: ToolTrace) => void
  /** A result that is known of a call that is not made; undefined: a placeholder takes its place. */
  readonly recall?: ((tool: ToolEntry, given: readonly JsonValue[]) => JsonValue | undefined) | undefined
  /** Called with the result of every call that succeeded. */
  readonly onResult?: ((tool: ToolEntry, given: readonly JsonValue[], value: JsonValue) => void) | undefined
}

export interface ToolFunctionsOptions {
  readonly toolbox: Toolbox<CatalogTool>
  /** Functions whose names no tool takes. */
  readonly library: FunctionLookup
  /** For whom the prompt is rendered. */
  readonly call: CallContext
  /** When the render ends at the latest, in epoch milliseconds. */
  readonly deadlineAt: number
  /** What renders may take, in milliseconds: for messages. */
  readonly timeoutMs: number
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly observation: ToolObservation | undefined
}

/** How a tool is called: with whatever the template passes, and with the render's budget. */
const TOOL_FUNCTION = {
  parameters: ['any'],
  variadic: true,
  takes: 'json',
  lenient: true,
  cost: TOOL,
} as const

/**
 * Calls end a little before the render, so that the replacement of a slow tool's result is still printed: this part of what is left
 * when the first one begins, and no more than this many milliseconds.
 */
const RESERVED_PART = 0.2
const MAX_RESERVED_MS = 100

/** The tools of a box as template functions of one render. */
export interface ToolFunctions extends FunctionLookup {
  /** In the order of the calls. */
  readonly warnings: readonly RenderWarning[]
  /**
   * The tools for another attempt at the render: what was called is not called again, and this attempt, parts of which may
   * still wait, neither calls nor gets anything more.
   */
  again(): ToolFunctions
  /** Ends what is still running: called once the render is settled. */
  end(): void
}

/** Binds the tools of a box to one render. */
export function bindTools(options: ToolFunctionsOptions): ToolFunctions {
  return new BoundTools(options, new RenderCalls(options))
}

/** The tools as one attempt at a render has them. */
class BoundTools implements ToolFunctions {
  private readonly options: ToolFunctionsOptions
  private readonly calls: RenderCalls
  /** By name: a loop asks for one and the same again and again. */
  private readonly bound = new Map<string, DeclaredFunction>()
  private isGivenUp = false

  constructor(options: ToolFunctionsOptions, calls: RenderCalls) {
    this.options = options
    this.calls = calls
  }

  has(name: string): boolean {
    return this.find(name) !== undefined
  }

  get(name: string): DeclaredFunction | undefined {
    const known = this.bound.get(name)
    if (known !== undefined) return known
    const tool = this.find(name)
    if (tool === undefined) return undefined
    const call = (...given: JsonValue[]) => (this.isGivenUp ? NEVER : this.calls.answer(tool, given))
    const bound = { ...TOOL_FUNCTION, call }
    this.bound.set(name, bound)
    return bound
  }

  get warnings(): readonly RenderWarning[] {
    return this.calls.warnings
  }

  again(): ToolFunctions {
    this.isGivenUp = true
    this.calls.beginAgain()
    return new BoundTools(this.options, this.calls)
  }

  end(): void {
    this.calls.end()
  }

  private find(name: string): CatalogTool | undefined {
    const { toolbox, library } = this.options
    return library.has(name) ? undefined : toolbox.get(name)
  }
}

/** What is waited for by what was given up. */
const NEVER = new Promise<never>(() => {})

/** A call with what it gave, or will give. */
interface MadeCall {
  readonly id: string
  readonly given: readonly JsonValue[]
  readonly answer: unknown
}

/** The calls of one render, in however many attempts. */
class RenderCalls {
  /** With the number of its call: calls end in any order. */
  private readonly noted: (readonly [call: number, warning: RenderWarning])[] = []
  private readonly options: ToolFunctionsOptions
  /** What the engine allows one template, for all templates of the prompt together. */
  private readonly gates = createGates({
    limit: DEFAULT_TEMPLATE_LIMITS.maxParallelCalls,
    maxWaiting: Number.POSITIVE_INFINITY,
  })
  /** Calls that end at once may follow each other for a slice before others have a turn. */
  private readonly slicer = createSlicer(SLICES.part.ms)
  private calls = 0
  private readonly made: MadeCall[] = []
  /** What earlier attempts called and this one did not yet, by tool and arguments. */
  private earlier: Map<string, MadeCall[]> | undefined
  private context: CallContext | undefined
  private readonly cancellation = new Cancellation()
  private stopListening: () => void = () => {}

  constructor(options: ToolFunctionsOptions) {
    this.options = options
  }

  /** What a tool answers, or has answered an earlier attempt. @throws LimitError for one call too many */
  answer(tool: CatalogTool, given: readonly JsonValue[]): unknown {
    const { id } = tool.entry
    const earlier = this.earlier?.get(callKey(id, given))?.shift()
    if (earlier !== undefined) return earlier.answer
    this.count()
    const { observation } = this.options
    const answer =
      observation !== undefined && isPretended(tool.entry, observation)
        ? this.pretend(tool.entry, given, observation)
        : this.call(tool, given)
    this.made.push({ id, given, answer })
    return answer
  }

  beginAgain(): void {
    this.earlier = new Map()
    for (const call of this.made) {
      const key = callKey(call.id, call.given)
      const same = this.earlier.get(key)
      if (same === undefined) this.earlier.set(key, [call])
      else same.push(call)
    }
  }

  get warnings(): readonly RenderWarning[] {
    return this.noted.sort(([one], [other]) => one - other).map(([, warning]) => warning)
  }

  end(): void {
    this.stopListening()
    this.cancellation.abort()
  }

  /** @throws LimitError for one call too many: each is kept until the render ends */
  private count(): void {
    this.calls += 1
    if (this.calls > MAX_TOOL_CALLS)
      throw new LimitError('width', `more than ${MAX_TOOL_CALLS} calls of tools`)
  }

  private async call(tool: CatalogTool, given: readonly JsonValue[]): Promise<unknown> {
    const { now, observation } = this.options
    const { entry } = tool
    const number = this.calls
    this.context ??= this.listen()
    const { context } = this
    const leave = await this.gates.enter('render', context.signal)
    const turn = this.slicer.turn()
    if (turn !== undefined) await turn
    const startedAt = now()
    const outcome = await callWithValues(tool, given, context).finally(leave)
    observation?.onCall(traceOf(entry, given, startedAt, outcome))
    if (outcome.ok) observation?.onResult?.(entry, given, outcome.value)
    return outcome.ok ? this.accept(number, entry, outcome) : this.substitute(number, entry, outcome)
  }

  private accept(number: number, { id }: ToolEntry, outcome: ToolOutcome & { readonly ok: true }): JsonValue {
    for (const message of outcome.warnings)
      this.noted.push([number, { tool: id, code: 'unexpected_result', message }])
    return outcome.value
  }

  private substitute(
    number: number,
    tool: ToolEntry,
    outcome: ToolOutcome & { readonly ok: false },
  ): unknown {
    const { code, substituted } = outcome
    const message = code === 'timeout' ? this.explained(outcome) : outcome.message
    this.noted.push([number, { tool: tool.id, code, message, substituted }])
    return toTemplateValue(tool.definition, substituted)
  }

  /** A timeout, with the limit of renders where that was the cause. */
  private explained({ message }: { readonly message: string }): string {
    const { now, timeoutMs } = this.options
    const endAt = this.context?.deadlineAt ?? Number.POSITIVE_INFINITY
    return now() < endAt ? message : `${message}: a render has ${timeoutMs} ms (RENDER_TIMEOUT_MS)`
  }

  private pretend(tool: ToolEntry, given: readonly JsonValue[], observation: ToolObservation): unknown {
    const { now } = this.options
    const { id, functionName } = tool
    const recalled = observation.recall?.(tool, given)
    if (recalled !== undefined) return recalled
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

  /** The context of all calls, which end before the render; made by the first one: most renders call nothing. */
  private listen(): CallContext {
    const { call, deadlineAt, now } = this.options
    const left = Math.max(0, deadlineAt - now())
    const endAt = deadlineAt - Math.min(MAX_RESERVED_MS, left * RESERVED_PART)
    const abort = () => this.cancellation.abort(call.signal.reason)
    if (call.signal.aborted) abort()
    else call.signal.addEventListener('abort', abort, { once: true })
    this.stopListening = () => call.signal.removeEventListener('abort', abort)
    return narrowContext(call, { signal: this.cancellation, deadlineAt: endAt })
  }
}

function callKey(id: string, given: readonly JsonValue[]): string {
  return `${id} ${stringifyJson(given)}`
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

function isPretended({ definition }: ToolEntry, { dryRun }: ToolObservation): boolean {
  return dryRun === 'true' || (dryRun === 'writes' && !definition.readOnly)
}
