import type { ProtocolId, ToolProtocol } from '../protocols/protocol.js'
import type { Permission, Tool, Toolbox } from '../tools/toolbox.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json/json.js'
import type { CycleSetup } from './cycle/cycle-setup.js'
import type { Limits } from './limits.js'

/** An agent of the catalog, its prompts rendered and its tools chosen: ready for one turn. */
export interface PreparedAgent
  extends Pick<CycleSetup, 'answer' | 'agentRole' | 'guards' | 'context' | 'prompts'> {
  readonly id: string
  /** Of its document; changes with the content and only with it. */
  readonly revision: string
  /** The system message without a protocol's instructions and without the session's memory. */
  readonly system: string | undefined
  readonly model: string
  /** Sent with every request: `temperature`, `max_tokens` and the like. */
  readonly parameters: JsonObject
  /** Only the tools it lists. */
  readonly toolbox: Toolbox
  /** `ask` and `deny` of its document; what a tool says itself is stricter still. */
  readonly permission: (tool: Tool) => Permission
  readonly protocol: ProtocolId | ToolProtocol
  /** Default: `answer`. */
  readonly onLimit?: CycleSetup['onLimit'] | undefined
  /** What the document sets; the rest has its default. */
  readonly limits: Partial<Limits>
  /** Which version of it; undefined for its draft. */
  readonly served?: ServedAgent | undefined
  /** What it was made of; undefined for one that no document describes. */
  readonly document?: JsonObject
}

/** A version of an agent. */
export interface ServedAgent {
  readonly number: number
  readonly digest: string
}

/** An agent as its document was at the start: work that started with it continues with it. */
export interface PinnedAgent {
  readonly revision: string
  readonly document: JsonObject
}

/** What an agent is prepared with. */
export interface AgentRequest {
  /** Of the session or the request; the instructions are a template of them. */
  readonly variables: JsonObject
  readonly call: CallContext
  /** Beside the catalog's: tools the agent has if its document lists them by name, such as `session_memory_set`. */
  readonly tools?: Toolbox
  /** Of the version that somebody began with: another text is refused with `version_gone`. */
  readonly digest?: string | undefined
  /** In place of the catalog's document. */
  readonly pinned?: PinnedAgent | undefined
}

/** The agents of the catalog as it is now. */
export interface AgentSource {
  /**
   * @throws ServiceError `agent_not_found` with near names, `version_not_found`, `label_not_found`, `release_unusable`, `version_gone`, `invalid_variables`, `missing_variables`, and as rendering does
   */
  prepare(id: string, request: AgentRequest): Promise<PreparedAgent>
}
