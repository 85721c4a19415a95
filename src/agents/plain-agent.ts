import { DEFAULT_CYCLE_PROMPTS } from './cycle/turn.js'
import { DEFAULT_GUARDS } from './guards/guard-settings.js'
import type { PreparedAgent } from './prepared-agent.js'
import { allowAll } from './tools/permission.js'

/** An agent that no document describes: the model as it is, which may call whatever it is given. */
export const PLAIN_AGENT: Omit<PreparedAgent, 'model' | 'toolbox'> = {
  id: '',
  revision: '',
  system: undefined,
  parameters: {},
  permission: allowAll,
  protocol: 'native',
  answer: 'text',
  agentRole: 'main',
  guards: DEFAULT_GUARDS,
  limits: {},
  context: { keepToolResults: -1, compact: true },
  prompts: DEFAULT_CYCLE_PROMPTS,
}
