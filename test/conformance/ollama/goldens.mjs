/**
 * Ollama's published texts of its templates, byte for byte, against ours: `npm run conformance:ollama -- DIRECTORY`, where
 * the directory is `template` of a checkout of ollama/ollama. Its files are not part of this repository. Ends with 1 where
 * a text differs, or there are none.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileOllamaTemplate } from '../../../dist/protocols/templates/ollama-template.js'

const SAID = {
  system: 'You are a helpful assistant.',
  user: ['Hello, how are you?', "I'd like to show off how chat templating works!"],
  assistant: "I'm doing great. How can I help you today?",
}
/** The published texts of these templates have no blank at their end, though the templates print one. */
const TRIMMED = new Set(['chatqa', 'llama2-chat', 'mistral-instruct', 'openchat', 'vicuna'])

/** The conversation that a file is named after: its roles, separated by `-`. */
function conversationOf(name) {
  let users = 0
  return name.split('-').map((role) => {
    const said = role === 'user' ? SAID.user[users++] : SAID[role]
    if (said === undefined) throw new Error(`unknown conversation ${name}`)
    return { role, content: said }
  })
}

async function differs(directory, template, name) {
  const expected = readFileSync(join(directory, 'testdata', template, name), 'utf8')
  const source = readFileSync(join(directory, template), 'utf8').replaceAll('\r\n', '\n')
  const text = await compileOllamaTemplate(source).render({ messages: conversationOf(name), now: new Date() })
  const shown = TRIMMED.has(template.replace('.gotmpl', '')) ? text.replace(/ $/, '') : text
  if (shown === expected) return false
  console.log(
    `${template} ${name}\n  expected ${JSON.stringify(expected)}\n  printed  ${JSON.stringify(shown)}`,
  )
  return true
}

const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error('name the directory with the templates')
let [count, different] = [0, 0]
for (const template of readdirSync(directory).filter((name) => name.endsWith('.gotmpl'))) {
  for (const name of readdirSync(join(directory, 'testdata', template))) {
    count += 1
    if (await differs(directory, template, name)) different += 1
  }
}
console.log(`${count - different} of ${count} texts are equal`)
process.exitCode = count === 0 || different > 0 ? 1 : 0
