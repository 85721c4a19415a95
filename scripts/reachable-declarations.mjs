// Which declarations a program can reach: what the entries export, and everything that these name. Of a module that is
// reached for one type the others stay behind, with whatever only they need; and of one that no entry hands on, what is
// said of it to those who work on it.
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseSync } from 'rolldown/utils'

/**
 * @param {string} directory where tsc wrote all declarations
 * @param {readonly string[]} entries files in it
 * @returns {ReadonlyMap<string, string>} files in it, and what is to be declared there
 */
export function reachableDeclarations(directory, entries) {
  const modules = new Map()
  const moduleOf = (file) => {
    if (!modules.has(file)) modules.set(file, readModule(file, readFileSync(join(directory, file), 'utf8')))
    return modules.get(file)
  }
  const handedOn = new Set()
  for (const entry of entries) handOn(entry)
  for (const entry of entries) for (const name of moduleOf(entry).names) need(entry, name)
  return new Map(
    [...modules].map(([file, module]) => {
      const text = writeModule(module)
      return [file, handedOn.has(file) ? text : withoutComments(text)]
    }),
  )

  /** Marks a module that programs import from. */
  function handOn(file) {
    if (handedOn.has(file)) return
    handedOn.add(file)
    for (const target of moduleOf(file).sources) handOn(target)
  }

  /** Marks a name of a module as needed, and what it stands for. */
  function need(file, name) {
    const { needed, links, statements, whole } = moduleOf(file)
    if (needed.has(name)) return
    needed.add(name)
    const link = links.get(name)
    if (link?.file !== undefined) needAt(link)
    for (const each of whole) needAt({ file: each, name: '*' })
    for (const { declares, text } of statements) if (declares.has(name)) needNamed(file, text)
  }

  /** What a link to another module stands for: one name of it, or all. */
  function needAt({ file, name }) {
    for (const each of name === '*' ? moduleOf(file).names : [name]) need(file, each)
  }

  /** All that a text may name: what only looks like a name does no harm. */
  function needNamed(file, text) {
    const { names } = moduleOf(file)
    const code = withoutComments(text)
    for (const [word] of code.matchAll(/[\w$]+/g)) if (names.has(word)) need(file, word)
    for (const [, path, name = '*'] of code.matchAll(/import\("(\.[^"]+)"\)(?:\.(\w+))?/g))
      needAt({ file: fileAt(file, path), name })
  }
}

/** A module's statements, the names in it, which of these come from where, and which modules it hands on whole. */
function readModule(file, text) {
  const { program, errors } = parseSync(file, text, { lang: 'dts' })
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  let last = 0
  const statements = program.body.map((node) => {
    const before = last
    last = node.end
    return { node, text: text.slice(before, node.end), declares: new Set(declaredBy(node)) }
  })
  const links = new Map(statements.flatMap(({ node }) => linksOf(file, node)))
  const names = new Set([...links.keys(), ...statements.flatMap(({ declares }) => [...declares])])
  const whole = program.body.flatMap((node) => (isWhole(node) ? [fileAt(file, node.source.value)] : []))
  const sources = program.body.filter(isHandingOn).map(({ source }) => fileAt(file, source.value))
  return { statements, links, whole, sources, names, needed: new Set() }
}

/** `export … from './module.js'` */
function isHandingOn({ type, source }) {
  return type.startsWith('Export') && source?.value.startsWith('.')
}

/** `export * from './module.js'` */
function isWhole({ type }) {
  return type === 'ExportAllDeclaration'
}

function declaredBy({ declaration, type, id, declarations }) {
  if (declaration) return declaredBy(declaration)
  if (type === 'TSModuleDeclaration') return []
  return declarations?.map((each) => each.id.name) ?? (id ? [id.name] : [])
}

/** `[name here, {file, name there}]` of what a statement links to; without a file where that is a package. */
function linksOf(file, { source, specifiers = [] }) {
  const target = source ? (source.value.startsWith('.') ? fileAt(file, source.value) : undefined) : file
  return specifiers
    .map(({ local, exported, imported }) => [
      (exported ?? local).name,
      { file: target, name: (exported ? local : imported)?.name ?? '*' },
    ])
    .filter(([name, link]) => link.file !== file || link.name !== name)
}

function withoutComments(text) {
  return text.replace(/^[ \t]*\/\*[\s\S]*?\*\/\s*?\n/gm, '')
}

function fileAt(file, path) {
  return normalize(join(dirname(file), path.replace(/\.js$/, '.d.ts')))
}

/** The statements that are needed, each link with what is needed of it. */
function writeModule({ statements, needed }) {
  const written = statements.map((statement) => writeStatement(statement, needed))
  return `${written.join('').trim()}\n`
}

function writeStatement({ node, text, declares }, needed) {
  const { specifiers, end } = node
  if (!specifiers?.length)
    return declares.size === 0 || [...declares].some((name) => needed.has(name)) ? text : ''
  const used = specifiers.filter(({ exported, local }) => needed.has((exported ?? local).name))
  if (used.length === specifiers.length) return text
  const begin = end - text.length
  const names = used.map((each) => text.slice(each.start - begin, each.end - begin))
  return names.length === 0 ? '' : text.replace(/\{[^}]*\}/, () => `{ ${names.join(', ')} }`)
}
