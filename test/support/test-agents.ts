import type { ContextSettings } from '../../src/agents/cycle/cycle-setup.js'
import { DEFAULT_CYCLE_PROMPTS } from '../../src/agents/cycle/turn.js'
import { DEFAULT_GUARDS } from '../../src/agents/guards/guard-settings.js'
import type { Limits } from '../../src/agents/limits.js'
import type { AgentSource } from '../../src/agents/prepared-agent.js'
import { PermissionChecker } from '../../src/agents/tools/permission.js'
import { ServiceError } from '../../src/errors.js'
import type { ProtocolId } from '../../src/protocols/protocol.js'
import { type LocalTool, localTool } from '../../src/tools/local-tool.js'
import { createToolbox, joinToolboxes, narrowToolbox } from '../../src/tools/toolbox.js'

/** An agent of a test; all of it has defaults. */
export interface TestAgent {
  readonly system?: string
  readonly revision?: string
  readonly tools?: readonly LocalTool[]
  /** Beside its own: the session's, by name. */
  readonly listed?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
  readonly limits?: Partial<Limits>
  readonly protocol?: ProtocolId
  readonly context?: Partial<ContextSettings>
}

/** Agents by id; the map may be changed while they are used. */
export function testAgents(agents: ReadonlyMap<string, TestAgent>): AgentSource {
  return {
    async prepare(id, { variables, tools = createToolbox([]) }) {
      const agent = agents.get(id)
      if (agent === undefined) throw new ServiceError('agent_not_found', `No agent has the id "${id}"`)
      const {
        system = `You are ${id}.`,
        revision = 'r1',
        listed = [],
        ask = [],
        deny = [],
        limits = {},
      } = agent
      const checker = new PermissionChecker({ ask, deny })
      return {
        id,
        revision,
        system: system.replace('{{name}}', String(variables['name'] ?? '')),
        model: 'scripted',
        parameters: {},
        toolbox: joinToolboxes(
          createToolbox((agent.tools ?? []).map((tool) => localTool(tool))),
          narrowToolbox(tools, ({ name }) => listed.includes(name)),
        ),
        permission: ({ name }) => checker.decide(name),
        protocol: agent.protocol ?? 'native',
        answer: 'text',
        agentRole: 'main',
        guards: DEFAULT_GUARDS,
        limits,
        context: { keepToolResults: -1, compact: true, ...agent.context },
        prompts: DEFAULT_CYCLE_PROMPTS,
      }
    },
  }
}
