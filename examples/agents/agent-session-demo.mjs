// Shows: an agent with a tool, its session turn by turn, hooks, and what the session remembers.
import { AgentBuilder, AgentSession, HookExecutor, ToolRegistry } from 'ai-prompt-shell/agent'
import { createScriptedModel } from 'ai-prompt-shell/testing'

const calculator = { name: 'calculator', systemPrompt: '你是计算器助手' }

const toolRegistry = new ToolRegistry().register({
  name: 'add',
  description: 'Adds two numbers',
  readOnly: true,
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  execute: ({ a, b }) => a + b,
})

const hooks = new HookExecutor()
for (const event of ['onTurnStart', 'onTurnEnd']) {
  hooks.register(event, ({ turnIndex }) => console.log(`[${event} ${turnIndex}]`))
}
hooks.register('preTool', ({ call }) =>
  console.log(`[preTool ${call.name} ${JSON.stringify(call.arguments)}]`),
)

// A model that says what it is told: first a call, then an answer.
const provider = createScriptedModel([
  { toolCalls: [{ name: 'add', arguments: { a: 1, b: 1 } }] },
  '1+1=2',
  (request) => `I was told: ${request.messages[0].content.split('\n').at(-2)}`,
])

try {
  new AgentBuilder().provider(provider).toolRegistry(toolRegistry).build()
} catch (error) {
  console.log(`${error.code}: ${error.message}`)
}

const bundle = new AgentBuilder()
  .provider(provider)
  .toolRegistry(toolRegistry)
  .hookExecutor(hooks)
  .config({ model: 'scripted' })
  .build()

const session = new AgentSession(calculator, 'session-1', bundle)
const { message, endedBy, steps, toolCalls } = await session.submitTurn('1+1=?')
console.log(message.content, { endedBy, steps, toolCalls })

await session.setSessionData('last_result', '2')
console.log(await session.getSessionData('last_result'))
console.log(await session.sessionMemory.snapshot())
console.log((await session.submitTurn('What do you remember?')).message.content)

const other = new AgentSession(calculator, 'session-2', bundle)
console.log('another session knows:', await other.getSessionData('last_result'))
console.log('turns:', session.turnIndex, 'tokens:', session.usage.usage.outputTokens > 0)
