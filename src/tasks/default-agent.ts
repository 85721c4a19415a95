import { DEFAULT_CYCLE_PROMPTS } from '../agents/cycle/create-setup.js'
import { DEFAULT_GUARDS } from '../agents/guards/guard-settings.js'
import type { Toolbox } from '../tools/toolbox.js'
import type { TaskAgentSetup } from './task-setup.js'

/** Who carries out a task that names no agent: the model as it is, with all tools there are. */
export function defaultTaskAgent(model: string, toolbox: Toolbox): TaskAgentSetup {
  return {
    id: '',
    system: undefined,
    model,
    parameters: {},
    toolbox,
    permission: () => 'allow',
    protocol: 'native',
    answer: 'text',
    agentRole: 'main',
    guards: DEFAULT_GUARDS,
    limits: {},
    context: { keepToolResults: -1, compact: true },
    prompts: DEFAULT_CYCLE_PROMPTS,
  }
}
