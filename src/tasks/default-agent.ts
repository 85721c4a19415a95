import { PLAIN_AGENT } from '../agents/plain-agent.js'
import type { Toolbox } from '../tools/toolbox.js'
import type { TaskAgentSetup } from './task-setup.js'

/** Who carries out a task that names no agent: the model as it is, with all tools there are. */
export function defaultTaskAgent(model: string, toolbox: Toolbox): TaskAgentSetup {
  return { ...PLAIN_AGENT, model, toolbox }
}
