// Shows: an agent with tools, knowledge, memory and two contexts, against a real model.
// Needs LLM_BASE_URL and LLM_MODEL (and LLM_API_KEY); without them it says so.
import {
  AgentBuilder,
  ContextManager,
  ConversationMemory,
  HookExecutor,
  InMemoryStore,
  KnowledgeStore,
  MemoryRetriever,
  openModel,
  ToolRegistry,
} from 'ai-prompt-shell/agent'

const { LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey, LLM_MODEL: model } = process.env

if (baseUrl === undefined || model === undefined) {
  console.log(
    'Set LLM_BASE_URL and LLM_MODEL to run this against a real model; there is nothing to do without them.',
  )
} else {
  const provider = openModel({ baseUrl, apiKey })
  try {
    await run(provider)
  } finally {
    await provider.close()
  }
}

async function run(provider) {
  const store = new InMemoryStore()
  const knowledge = new KnowledgeStore(store)
  await knowledge.savePage('Opening hours', 'The library is open from 9 to 18, on Saturdays from 10 to 14.', [
    'library',
  ])

  const toolRegistry = new ToolRegistry()
    .register({
      name: 'today',
      description: 'The day of the week',
      readOnly: true,
      execute: () => 'Saturday',
    })
    .register({
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

  const conversation = new ConversationMemory(store, 'visit', { maxMessages: 20 })
  const hooks = new HookExecutor(console.error).register('onTurnEnd', ({ turnIndex }) =>
    console.log(`[turn ${turnIndex} ended]`),
  )

  const bundle = new AgentBuilder()
    .provider(provider)
    .toolRegistry(toolRegistry)
    .hookExecutor(hooks)
    .memoryStore(store)
    .retriever(new MemoryRetriever(knowledge))
    .config({ model, maxToolTurns: 5 })
    .build()

  const contexts = new ContextManager('visit', bundle)
  const librarian = contexts.createContext('desk', {
    name: 'librarian',
    systemPrompt: 'You answer visitors of a library. Look things up before you answer.',
  })
  for (const question of ['How long are you open today?', 'How many hours is that?']) {
    await conversation.addMessage({ role: 'user', content: question })
    const { message, toolCalls } = await librarian.submitTurn(question)
    await conversation.addMessage(message)
    console.log(`> ${question}\n${message.content} (${toolCalls} tool calls)`)
  }

  contexts.createContext('notes', { name: 'secretary', systemPrompt: 'You write notes for colleagues.' })
  await contexts.bridge('desk', 'notes')
  const { message } = await contexts.switchContext('notes').submitTurn('What was the last visitor told?')
  console.log(message.content)
  console.log(
    'remembered:',
    (await conversation.getStored()).length,
    'messages; used:',
    librarian.usage.usage,
  )
}
