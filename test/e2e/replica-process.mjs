// A replica with one agent of its own: its first call of the tool `look` hangs where HANG is set.

import { PLAIN_AGENT } from '../../dist/agents/plain-agent.js'
import { buildApp, loadConfig } from '../../dist/bundle/index.js'
import { createScriptedModel } from '../../dist/bundle/testing.js'
import { localTool } from '../../dist/tools/local-tool.js'
import { createToolbox } from '../../dist/tools/toolbox.js'

const look = localTool({
  name: 'look',
  execute: () => (process.env.HANG ? new Promise(() => {}) : 'seen'),
})
const agents = {
  async prepare(id) {
    return {
      ...PLAIN_AGENT,
      id,
      revision: 'r1',
      model: 'scripted',
      toolbox: createToolbox([look]),
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
