// Shows: a tool of one's own; one call, several calls side by side, a list of what may be called.
import { PermissionChecker, PermissionConfig, ToolRegistry } from 'ai-prompt-shell/agent'

const WEATHER = { 北京: { temperature: 22, condition: '晴' }, 上海: { temperature: 26, condition: '多云' } }

const registry = new ToolRegistry()
registry.register({
  name: 'get_weather',
  description: 'The weather of a city',
  readOnly: true,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute({ city }) {
    const weather = WEATHER[city]
    if (weather === undefined) throw new Error(`no weather for ${city}`)
    return { city, ...weather }
  },
})

console.log('tools:', registry.listTools())
console.log('one call:', await registry.invoke('get_weather', { city: '北京' }))

// Each call has 30 seconds; one that fails does not touch the others.
const outcomes = await registry.invokeAll(
  ['北京', '上海', 'Atlantis'].map((city) => ({ name: 'get_weather', arguments: { city } })),
  30,
)
for (const outcome of outcomes) {
  console.log('side by side:', outcome.ok ? outcome.value : `${outcome.code}: ${outcome.message}`)
}

const checker = new PermissionChecker(PermissionConfig.allowOnly(['get_weather']))
console.log('get_weather:', checker.decide('get_weather'))
try {
  checker.check('delete_file')
} catch (error) {
  console.log('delete_file:', error.code)
}

try {
  await registry.invoke('get_wether', {})
} catch (error) {
  console.log(`${error.code}: ${error.message}`)
}
