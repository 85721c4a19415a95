import type { Permission, Tool, Toolbox } from '../tools/toolbox.js'
import type { Agent } from './agent.js'
import { ROLE_PROMPTS } from './guards/final-answer.js'
import { PLAIN_AGENT } from './plain-agent.js'
import type { PreparedAgent } from './prepared-agent.js'
import type { SettledConfig } from './runtime-bundle.js'
import { joinLayers } from './system-prompt.js'

/** What a program's agent works with in a turn. */
export interface ProgramAgentParts {
  readonly config: SettledConfig
  /** The tools that the agent sees, as it has chosen them. */
  readonly toolbox: Toolbox
  /** In place of the configuration's. */
  readonly permission?: ((tool: Tool) => Permission) | undefined
}

/** An agent of a program as sessions take it: no document describes it, its program does. */
export function toPreparedAgent(
  agent: Agent,
  { config, toolbox, permission }: ProgramAgentParts,
): PreparedAgent {
  const { agentRole, parameters, limits, maxToolTurns } = config
  return {
    ...PLAIN_AGENT,
    id: agent.name,
    system: joinLayers(agentRole && ROLE_PROMPTS[agentRole], agent.systemPrompt),
    model: config.model,
    toolbox,
    parameters,
    protocol: config.protocol ?? PLAIN_AGENT.protocol,
    permission: permission ?? config.permission ?? PLAIN_AGENT.permission,
    answer: config.answer ?? PLAIN_AGENT.answer,
    agentRole: agentRole ?? PLAIN_AGENT.agentRole,
    guards: { ...PLAIN_AGENT.guards, ...config.guards },
    limits: { ...limits, maxToolTurns },
    onLimit: config.onLimit,
    context: { ...PLAIN_AGENT.context, ...config.compactConfig },
    prompts: config.prompts ?? PLAIN_AGENT.prompts,
  }
}
