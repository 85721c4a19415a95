// Shows: a turn as it happens, every event by its type.
import { LlmCycle, ToolRegistry } from 'ai-prompt-shell/agent'
import { createScriptedModel } from 'ai-prompt-shell/testing'

const tools = new ToolRegistry().register({
  name: 'joke_topic',
  description: 'What the joke should be about',
  readOnly: true,
  execute: () => 'penguins',
})

const model = createScriptedModel([
  { toolCalls: [{ name: 'joke_topic', arguments: {} }] },
  'Why do penguins carry fish in their beaks? They have no pockets.',
])
const cycle = new LlmCycle(model, { model: 'scripted' })
const run = cycle.submitStream('Tell me a joke', tools)

let text = ''
for await (const event of run) {
  if (event.type === 'text.delta') text += event.text
  else if (event.type === 'tool.called') console.log(`tool.called ${event.call.name}`)
  else if (event.type === 'tool.result') console.log(`tool.result ${event.preview}`)
  else if (event.type === 'turn.failed') console.log(`turn.failed ${event.error.message}`)
  else console.log(event.type)
}
console.log(text)
console.log('ended by:', (await run.result).endedBy)
