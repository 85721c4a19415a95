import type { Access } from '../access/access.js'
import type { CallContext } from '../util/call-context.js'
import type { HeldJson } from './held-json.js'

/** Who sent a message, and for whom its work is done. A class, so that it is known again behind the SDK. */
export class McpCaller {
  readonly access: Access
  /** Whose sessions the caller's are. */
  readonly owner: string
  readonly call: CallContext
  /** Takes the large values of the answer, where these are written apart from the rest. */
  readonly held: HeldJson | undefined

  constructor(access: Access, owner: string, call: CallContext, held?: HeldJson) {
    this.access = access
    this.owner = owner
    this.call = call
    this.held = held
  }
}
