/** An extension of a catalog directory. */
export interface ExtensionRow {
  readonly name: string
  readonly format: 'json' | 'yaml'
  readonly text: () => string
}

const good = (index: number) => ({ name: `p${index}`, userPrompt: `Hello {{.variables.name}} ${index}` })
const broken = (index: number) => ({ name: `p${index}`, userPrompt: '{{if}}' })
const large = (index: number) => ({ name: `p${index}`, userPrompt: '{{.variables.a}} xxxxx'.repeat(4_900) })
const sameRole = (index: number) => ({
  name: `p${index}`,
  messages: new Array(1_900).fill({ role: 'user', content: 'x' }),
})

/** Documents that are many, good, broken or large. */
export const EXTENSIONS: readonly ExtensionRow[] = [
  json('5,000 prompts', 5_000, good),
  json('20,000 prompts', 20_000, good),
  json('1,600 prompts, all broken', 1_600, broken),
  json('20,000 prompts, all broken', 20_000, broken),
  json('60 templates of 5,000 actions', 60, large),
  json('10 prompts of 1,900 messages of one role', 10, sameRole),
  json('200,000 prompts that are numbers', 200_000, (index) => index),
  { name: '400 prompts in YAML', format: 'yaml', text: () => yamlOf(400, 'hello') },
  { name: '400 prompts in YAML, all broken', format: 'yaml', text: () => yamlOf(400, '{{if}}') },
  { name: '6,000 prompts in YAML, all broken', format: 'yaml', text: () => yamlOf(6_000, '{{if}}') },
]

function json(name: string, count: number, prompt: (index: number) => unknown): ExtensionRow {
  const prompts = () => Array.from({ length: count }, (_, index) => prompt(index))
  return {
    name,
    format: 'json',
    text: () => JSON.stringify({ ...FRAME, contributes: { prompts: prompts() } }),
  }
}

const FRAME = { name: 'many', version: '1.0.0', extensionType: 'prompt' }

function yamlOf(count: number, userPrompt: string): string {
  const prompts = Array.from(
    { length: count },
    (_, index) => `  - {name: p${index}, userPrompt: "${userPrompt}"}`,
  )
  return `name: many\nversion: 1.0.0\ncontributes:\n prompts:\n${prompts.join('\n')}\n`
}
