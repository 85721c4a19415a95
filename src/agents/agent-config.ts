import type { ProtocolId, ToolProtocol } from '../protocols/protocol.js'
import { assertKnownOptions, type OptionNames } from '../util/errors/known-options.js'
import type { JsonObject } from '../util/json/json.js'
import { assertLoopOptions } from './assert-loop-options.js'
import type { ContextSettings } from './cycle/cycle-setup.js'
import type { CycleOptions } from './cycle/turn.js'
import { assertAgentRole } from './guards/final-answer.js'
import { DEFAULT_LIMITS } from './limits.js'
import type { Approve } from './run-local-turn.js'

/** How sessions of an application behave. */
export interface AgentConfig
  extends Partial<
    Pick<CycleOptions, 'answer' | 'agentRole' | 'guards' | 'limits' | 'onLimit' | 'permission' | 'prompts'>
  > {
  /** Turns of one session. */
  readonly maxTurns: number
  /** Rounds of tool calls in one turn. */
  readonly maxToolTurns: number
  /** Milliseconds a session may be idle; undefined: for ever. */
  readonly sessionTtl?: number | undefined
  /** How much of a conversation the model is shown; undefined: everything. */
  readonly compactConfig?: Partial<ContextSettings> | undefined
  /** The model's name, as in a chat completions request. Default: the provider's own. */
  readonly model?: string | undefined
  /** Sent with every request: `temperature`, `max_tokens` and the like. */
  readonly parameters: JsonObject
  /** How the model writes tool calls. Default `native`. */
  readonly protocol?: ProtocolId | ToolProtocol | undefined
  /** Longest time of one tool call, in milliseconds. Default 60,000. */
  readonly toolTimeoutMs?: number | undefined
  /** Asked about calls of tools whose permission is `ask`. Default: such calls are refused. */
  readonly approve?: Approve | undefined
}

export const DEFAULT_AGENT_CONFIG: AgentConfig = Object.freeze({
  maxTurns: DEFAULT_LIMITS.maxTurns,
  maxToolTurns: DEFAULT_LIMITS.maxToolTurns,
  sessionTtl: undefined,
  compactConfig: undefined,
  model: undefined,
  parameters: {},
})

const CONFIG_NAMES: OptionNames<Required<AgentConfig>> = {
  ...{ maxTurns: true, maxToolTurns: true, sessionTtl: true, compactConfig: true, model: true },
  ...{ parameters: true, protocol: true, toolTimeoutMs: true, approve: true, answer: true },
  ...{ agentRole: true, guards: true, limits: true, onLimit: true, permission: true, prompts: true },
}

/** The configuration of a bundle, everything decided. */
export interface SettledConfig extends AgentConfig {
  readonly model: string
}

/** Fills in what is not said. @throws ServiceError `invalid_config` for options that do not exist */
export function settleConfig(given: Partial<AgentConfig>, model: string): SettledConfig {
  assertKnownOptions('AgentConfig', given, CONFIG_NAMES)
  assertLoopOptions({ ...given, context: given.compactConfig })
  assertAgentRole(given.agentRole)
  const { limits = {} } = given
  return {
    ...DEFAULT_AGENT_CONFIG,
    ...(limits.maxTurns !== undefined && { maxTurns: limits.maxTurns }),
    ...(limits.maxToolTurns !== undefined && { maxToolTurns: limits.maxToolTurns }),
    ...given,
    model,
  }
}
