import { ServiceError } from '../errors.js'
import type { AgentSource } from './prepared-agent.js'

/** A catalog without agents. */
export const NO_AGENTS: AgentSource = {
  async prepare(id) {
    throw new ServiceError('agent_not_found', `No agent has the id ${JSON.stringify(id)}`, { param: 'agent' })
  },
}
