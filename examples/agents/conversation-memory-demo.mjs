// Shows: a conversation of which a model sees the newest messages, and the store keeps all.
import { ConversationMemory, InMemoryStore } from 'ai-prompt-shell/agent'

const store = new InMemoryStore()
const memory = new ConversationMemory(store, 'session-1', { strategy: 'SlidingWindow', maxTurns: 5 })

for (let number = 0; number < 10; number += 1) {
  await memory.addMessage({ role: 'user', content: `消息 ${number}` })
}

const history = await memory.getHistory()
console.log('shown:', history.length, '- the first:', history[0].content)
console.log('stored:', (await memory.getStored()).length)

// Calls and their results leave the window together.
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
await memory.addMessage({ role: 'assistant', content: null, tool_calls: [call] })
await memory.addMessage({ role: 'tool', tool_call_id: 'call_1', content: 'nothing' })
for (let number = 10; number < 14; number += 1) {
  await memory.addMessage({ role: 'user', content: `消息 ${number}` })
}
console.log(
  'shown:',
  (await memory.getHistory()).map(({ content }) => content),
)

// A process that starts later reads the same conversation, here as a whole.
const later = new ConversationMemory(store, 'session-1', { strategy: 'Full' })
console.log('after a restart:', (await later.getHistory()).length)
