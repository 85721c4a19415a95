import {
  createToolbox,
  joinToolboxes,
  narrowToolbox,
  type Permission,
  type Tool,
  type Toolbox,
} from '../tools/toolbox.js'
import type { Agent } from './agent.js'
import type { SettledConfig } from './agent-config.js'
import { ROLE_PROMPTS } from './guards/final-answer.js'
import { PLAIN_AGENT } from './plain-agent.js'
import type { PreparedAgent } from './prepared-agent.js'
import { joinLayers } from './system-prompt.js'
import { SESSION_MEMORY_SET } from './tools/session-memory-tool.js'

/** What a program's agent works with in a turn. */
export interface ProgramAgentParts {
  readonly config: SettledConfig
  /** The program's tools, and those of sessions. */
  readonly tools: Toolbox
  readonly sessionTools: Toolbox
  /** In place of the configuration's. */
  readonly permission?: ((tool: Tool) => Permission) | undefined
}

/** An agent of a program as sessions take it: no document describes it, its program does. */
export function toPreparedAgent(
  agent: Agent,
  { config, tools, sessionTools, permission }: ProgramAgentParts,
): PreparedAgent {
  const { agentRole, parameters, limits, maxToolTurns } = config
  return {
    ...PLAIN_AGENT,
    id: agent.name,
    system: joinLayers(agentRole && ROLE_PROMPTS[agentRole], agent.systemPrompt),
    model: config.model,
    toolbox: visibleTools(agent, joinToolboxes(sessionTools, tools)),
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

/** What the agent chooses, or everything but what writes into the session's memory: that has to be chosen. */
function visibleTools(agent: Agent, available: Toolbox): Toolbox {
  const chosen = agent.tools?.(available)
  if (chosen !== undefined) return createToolbox(chosen)
  return narrowToolbox(available, ({ name }) => name !== SESSION_MEMORY_SET)
}
