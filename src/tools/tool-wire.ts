import type { ToolDefinition } from '../registry/snapshot.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'

/** What a wire needs to know of one call. */
export interface WireCall {
  readonly tool: ToolDefinition
  /** Mapped and checked. */
  readonly arguments: JsonObject
  readonly context: JsonObject
  /** For whom: what is passed on of it is the wire's business. */
  readonly caller: CallContext
}

/** A call whose target is known and permitted, not yet made. */
export interface PreparedCall {
  /** Where it goes, for the cap on concurrent calls to one place. */
  readonly target: string
  /** What makes two calls with equal arguments the same call. */
  readonly identity: string
  /** Credentials it will send, so that they can be removed from everything that comes back. */
  readonly secrets: readonly string[]
  /** Connects without calling, where the next call is faster for it; equal keys share what that brings. */
  readonly connection?: {
    readonly key: string
    /** @throws WireError */
    readonly open: () => Promise<void>
  }
  /** Reads the protocol's libraries, which is not part of the call's time; absent once they are there. */
  readonly load?: () => Promise<void>
  /** @throws WireError, ToolFailure */
  send(options: { readonly signal: AbortSignal; readonly deadline: number }): Promise<WireReply>
}

export interface WireReply {
  readonly value: JsonValue
  readonly warnings: readonly string[]
}

/** One protocol. */
export interface ToolWire {
  /** @throws ToolFailure when the call cannot or must not be made */
  prepare(call: WireCall): PreparedCall
  close(): Promise<void>
}
