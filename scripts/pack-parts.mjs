// Makes small packages of parts of this one, from the same build: `ai-prompt-shell-template`, `-prompt` and `-client` have
// what `ai-prompt-shell/template`, `/prompt` and `/client` have, and of its dependencies only those that they need.
//
//   npm run parts -- <folder>     after `npm run build`; then `npm publish <folder>/template` and so on
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { bundleDeclarations } from './bundle-declarations.mjs'

const root = resolve(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const bundle = join(root, 'dist/bundle')

const PARTS = {
  template:
    'The template engine of AI-Prompt-Shell: Go text/template in JavaScript, byte for byte, with a function library',
  prompt: 'Prompts as a library, of AI-Prompt-Shell: templates, partials, conversations, token counts',
  client:
    'The client of AI-Prompt-Shell: renders, chats, agents, sessions and tasks over HTTP, without dependencies',
}

const folder = resolve(process.argv[2] ?? 'parts')
for (const [part, description] of Object.entries(PARTS)) writePart(part, description)

function writePart(part, description) {
  const { types, default: code } = manifest.exports[`./${part}`]
  const files = filesBehind(basename(code))
  const entries = new Map([[types.replace('./dist/', ''), part]])
  const declarations = bundleDeclarations(join(root, 'dist/.declarations'), entries)
  const texts = new Map([
    ...[...files].map(([file, text]) => [`bundle/${file}`, text]),
    ...[...declarations].map(([file, text]) => [`types/${file}`, text]),
  ])
  const { version, license, type, engines, repository, homepage, bugs, keywords } = manifest
  const own = {
    ...{ name: `${manifest.name}-${part}`, version, description, keywords, license, type, engines },
    ...{ repository, homepage, bugs },
    exports: {
      '.': { types: types.replace('./dist/', './types/'), default: `./bundle/${basename(code)}` },
      './package.json': './package.json',
    },
    files: ['bundle', 'types'],
    sideEffects: false,
    dependencies: dependenciesOf([...texts.values()]),
  }
  texts.set('package.json', `${JSON.stringify(own, null, 2)}\n`)
  texts.set('README.md', readmeOf(own.name, part, description))
  for (const [file, text] of texts) write(join(folder, part, file), text)
  cpSync(join(root, 'LICENSE'), join(folder, part, 'LICENSE'))
  console.log(`${own.name} ${version}: ${Object.keys(own.dependencies).join(', ') || 'no dependencies'}`)
}

/** A file of the bundle and those that it imports. */
function filesBehind(entry) {
  const texts = new Map()
  const add = (file) => {
    if (texts.has(file)) return
    const text = readFileSync(join(bundle, file), 'utf8')
    texts.set(file, text)
    for (const path of importsOf(file, text)) if (path.startsWith('./')) add(path.slice(2))
  }
  add(entry)
  return texts
}

function importsOf(file, text) {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    // Where it is more than a text, nothing of the package itself is imported.
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ]
}

/** Dependencies whose name stands in the code, also of those that are loaded when they are first needed. */
function dependenciesOf(texts) {
  const isNamed = (name) => texts.some((text) => new RegExp(`["'\`]${name}(?:/[^"'\`]*)?["'\`]`).test(text))
  return Object.fromEntries(Object.entries(manifest.dependencies).filter(([name]) => isNamed(name)))
}

function readmeOf(name, part, description) {
  return `# ${name}

${description}. The same code as \`${manifest.name}/${part}\`, without the service and what that needs; both have the same version.
`
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
