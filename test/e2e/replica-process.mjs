// A replica with one agent of its own: its first call of the tool `look` hangs where HANG is set.

import { DEFAULT_CYCLE_PROMPTS } from '../../dist/agents/cycle/create-setup.js'
import { DEFAULT_GUARDS } from '../../dist/agents/guards/guard-settings.js'
import { buildApp } from '../../dist/app.js'
import { loadConfig } from '../../dist/config.js'
import { createScriptedModel } from '../../dist/testing/scripted-model.js'
import { createToolbox } from '../../dist/tools/create-toolbox.js'
import { localTool } from '../../dist/tools/local-tool.js'

const look = localTool({
  name: 'look',
  execute: () => (process.env.HANG ? new Promise(() => {}) : 'seen'),
})
const agents = {
  async prepare(id) {
    return {
      id,
      revision: 'r1',
      system: undefined,
      model: 'scripted',
      parameters: {},
      toolbox: createToolbox([look]),
      permission: () => 'allow',
      protocol: 'native',
      answer: 'text',
      agentRole: 'main',
      guards: DEFAULT_GUARDS,
      limits: {},
      context: { keepToolResults: -1, compact: true },
      prompts: DEFAULT_CYCLE_PROMPTS,
    }
  },
}
/** Asks for the tool first; after a result it tells what it was told. */
const model = createScriptedModel([
  ({ messages }) =>
    messages.at(-1)?.role === 'user' && messages.length === 1
      ? { toolCalls: [{ name: 'look', arguments: {} }] }
      : JSON.stringify(messages.map(({ role, content }) => [role, content])),
])
const app = await buildApp(loadConfig(), { agents, model })
await app.server.listen({ host: '127.0.0.1', port: 0 })
process.send?.(app.server.server.address().port)
