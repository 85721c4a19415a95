import type { Access } from '../access/access.js'
import type { CallContext } from '../util/call-context.js'

/** Who sent a message, and for whom its work is done. A class, so that it is known again behind the SDK. */
export class McpCaller {
  readonly access: Access
  /** Whose sessions the caller's are. */
  readonly owner: string
  readonly call: CallContext

  constructor(access: Access, owner: string, call: CallContext) {
    this.access = access
    this.owner = owner
    this.call = call
  }
}
