import type { Snapshot, ToolEntry } from '../registry/snapshot.js'
import type { DeclaredFunction, FunctionLookup, TemplateFunction } from '../template/api.js'
import type { ToolCaller, ToolOutcome } from '../tools/tool.js'
import type { JsonObject, JsonValue } from '../util/json.js'

/** A tool that failed while a prompt rendered, and what stands in its place. */
export interface RenderWarning {
  readonly tool: string
  readonly code: string
  readonly message: string
  readonly substituted: JsonValue
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
  /** Turns what a template passes into plain JSON. */
  readonly toJson: (value: unknown) => JsonValue
}

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
  private controller: AbortController | undefined
  private stopListening: () => void = () => {}

  constructor(options: ToolFunctionsOptions) {
    this.options = options
  }

  has(name: string): boolean {
    return this.options.snapshot.functions.has(name) && !this.options.library.has(name)
  }

  get(name: string): TemplateFunction | DeclaredFunction | undefined {
    const tool = this.has(name) ? this.options.snapshot.functions.get(name) : undefined
    return tool === undefined ? undefined : (...values: unknown[]) => this.call(tool, values)
  }

  end(): void {
    this.stopListening()
    this.controller?.abort()
  }

  private async call(tool: ToolEntry, values: readonly unknown[]): Promise<unknown> {
    const { caller, context, deadline, requestId, traceparent, toJson } = this.options
    const outcome = await caller.call(tool, values.map(toJson), {
      signal: this.signal(),
      deadline,
      requestId,
      context,
      ...(traceparent === undefined ? {} : { traceparent }),
    })
    return outcome.ok ? outcome.value : this.substitute(tool, outcome)
  }

  private substitute(tool: ToolEntry, outcome: ToolOutcome & { readonly ok: false }): JsonValue {
    const { code, message, substituted } = outcome
    this.warnings.push({ tool: tool.id, code, message, substituted })
    return substituted
  }

  /** One controller per render, created by the first call: most renders call nothing. */
  private signal(): AbortSignal {
    if (this.controller === undefined) {
      const controller = new AbortController()
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
