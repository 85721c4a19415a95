import type { ProtocolId, ToolProtocol } from '../protocols/protocol.js'
import { toolProtocol } from '../protocols/tool-protocol.js'
import { type CycleOptions, type CycleRules, type CycleRunner, cycleRules } from './cycle/turn.js'
import type { PreparedAgent } from './prepared-agent.js'

/** What an agent's document says about its loop. */
export type AgentOptions = Pick<
  CycleOptions,
  'parameters' | 'permission' | 'answer' | 'agentRole' | 'guards' | 'limits' | 'context' | 'prompts'
>

/**
 * How the loop of an agent behaves: as its document says, and as the one who runs it.
 *
 * @param changes in place of the document's own
 */
export function agentRules(
  agent: Pick<PreparedAgent, keyof AgentOptions | 'protocol' | 'onLimit'>,
  { hooks, clock, toolTimeoutMs }: Omit<CycleRunner, 'protocol'>,
  { limits = agent.limits, guards = agent.guards }: Partial<Pick<AgentOptions, 'limits' | 'guards'>> = {},
): CycleRules {
  const { parameters, permission, answer, agentRole, context, prompts, protocol, onLimit = 'answer' } = agent
  return cycleRules(
    { parameters, permission, answer, agentRole, guards, limits, context, prompts, onLimit },
    { hooks, protocol: textProtocol(protocol), clock, toolTimeoutMs },
  )
}

/** The text form a model writes calls in; undefined for native ones. */
export function textProtocol(protocol: ProtocolId | ToolProtocol | undefined): ToolProtocol | undefined {
  if (typeof protocol === 'object') return protocol.id === 'native' ? undefined : protocol
  return protocol === undefined || protocol === 'native' ? undefined : toolProtocol(protocol)
}
