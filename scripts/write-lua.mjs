// Writes src/state/redis-scripts.ts from the scripts in src/state/lua: what runs from the source, what is built and what is
// bundled have them as texts, and none reads a file at its start. Part of `npm run build`; writes only what differs.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'src/state/lua')
const target = join(root, 'src/state/redis-scripts.ts')

const written = writeScripts()
if (readFileSync(target, 'utf8') !== written) writeFileSync(target, written)

/** The file as it should be. */
export function writeScripts() {
  const scripts = readdirSync(folder)
    .sort()
    .map((file) => parseScript(basename(file, '.lua'), readFileSync(join(folder, file), 'utf8')))
  const commands = scripts.filter(({ keys }) => keys !== undefined)
  return `// Written by \`npm run build\` from src/state/lua, where each script says what it takes and gives: do not edit.

${inOrder(scripts).map(toConstant).join('\n')}
/** Every script by its name, with the number of its keys. */
export const SCRIPTS = {
${commands.map(({ name, keys }) => `  ${name}: { keys: ${keys}, lua: ${name.toUpperCase()} },\n`).join('')}} as const

/** The name of a script. */
export type ScriptName = keyof typeof SCRIPTS
`
}

/** `--- @include` names what comes before it, `--- @keys` the number of its keys; what others include has none. */
function parseScript(name, text) {
  const include = /^--- @include (\w+)$/m.exec(text)?.[1]
  const keys = /^--- @keys (\d+)$/m.exec(text)?.[1]
  const code = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('--'))
    .join('\n')
  return { name, include, keys, code }
}

/** What is included stands before what includes it. */
function inOrder(scripts) {
  const depth = ({ include }) =>
    include === undefined ? 0 : 1 + depth(scripts.find(({ name }) => name === include))
  return scripts.toSorted((a, b) => depth(a) - depth(b))
}

function toConstant({ name, include, code }) {
  const first = include === undefined ? '' : `\${${include.toUpperCase()}}\n`
  const escaped = code.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')
  return `const ${name.toUpperCase()} = \`${first}${escaped}\n\`\n`
}
