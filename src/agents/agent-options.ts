import type { ProtocolId, ToolProtocol } from '../protocols/protocol.js'
import { toolProtocol } from '../protocols/tool-protocol.js'
import type { CycleOptions } from './cycle/create-setup.js'
import type { PreparedAgent } from './prepared-agent.js'

/** What an agent's document says about its loop. */
export type AgentOptions = Pick<
  CycleOptions,
  'parameters' | 'permission' | 'answer' | 'agentRole' | 'guards' | 'limits' | 'context' | 'prompts'
>

/** How the loop of an agent behaves, as far as its document says; whoever runs it says the rest. */
export function agentOptions(agent: Pick<PreparedAgent, keyof AgentOptions>): AgentOptions {
  const { parameters, permission, answer, agentRole, guards, limits, context, prompts } = agent
  return { parameters, permission, answer, agentRole, guards, limits, context, prompts }
}

/** The text form a model writes calls in; undefined for native ones. */
export function textProtocol(protocol: ProtocolId | ToolProtocol | undefined): ToolProtocol | undefined {
  if (typeof protocol === 'object') return protocol.id === 'native' ? undefined : protocol
  return protocol === undefined || protocol === 'native' ? undefined : toolProtocol(protocol)
}
