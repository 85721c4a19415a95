import type { Kind } from '../store/store.js'
import type { CallContext } from '../util/call-context.js'

/** What somebody may do over MCP. */
export interface McpAccess {
  /** Whether a document may be seen. What may not be seen is not there. */
  mayRead(kind: Kind, id: string): boolean
  /** Whether agents are offered as tools. */
  readonly mayRunAgents: boolean
  /** Whether the catalog's tools are offered. */
  readonly mayCallTools: boolean
}

/** Who sent a message, and for whom its work is done. A class, so that it is known again behind the SDK. */
export class McpCaller {
  readonly access: McpAccess
  readonly call: CallContext

  constructor(access: McpAccess, call: CallContext) {
    this.access = access
    this.call = call
  }
}
