// Which declarations a program can reach: what the entries export, and everything that these name. Of a module that is
// reached for one type the others stay behind, with whatever only they need. What a type that an entry hands on extends, or
// is another name of, is handed on with it: its members are what programs write.
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseSync } from 'rolldown/utils'

/**
 * @param {string} directory where tsc wrote all declarations
 * @param {readonly string[]} entries files in it
 * @returns the modules that are reached, by their files, each with what is needed of it, and those that an entry hands on
 */
export function reach(directory, entries) {
  const modules = new Map()
  const moduleOf = (file) => {
    if (!modules.has(file)) modules.set(file, readModule(file, readFileSync(join(directory, file), 'utf8')))
    return modules.get(file)
  }
  const handedOn = new Set()
  for (const entry of entries) handOn(entry)
  for (const entry of entries) for (const name of moduleOf(entry).names) need(entry, name)
  for (const file of handedOn) handOnBases(file)
  return { modules, handedOn }

  /** Marks a module that programs import from. */
  function handOn(file) {
    if (handedOn.has(file)) return
    handedOn.add(file)
    for (const target of moduleOf(file).sources) handOn(target)
  }

  /** Marks the modules that have the bases of a module's types; the loop over all reaches them later. */
  function handOnBases(file) {
    const { statements, needed, links } = moduleOf(file)
    const texts = statements.filter(({ declares }) => [...declares].some((name) => needed.has(name)))
    for (const name of texts.flatMap(({ text }) => basesIn(text))) {
      const link = links.get(name)
      if (link?.file !== undefined) handedOn.add(link.file)
    }
  }

  /** Marks a name of a module as needed, and what it stands for. */
  function need(file, name) {
    const { needed, links, statements, whole } = moduleOf(file)
    if (needed.has(name)) return
    needed.add(name)
    const link = links.get(name)
    if (link?.file !== undefined) needAt(link)
    for (const each of whole) needAt({ file: each.file, name: '*' })
    for (const statement of statements)
      if (statement.declares.has(name)) {
        statement.isNeeded = true
        needNamed(file, statement.text)
      }
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

/**
 * A module's statements, each with what it declares; the names in it, and which of these come from where; what it
 * exports; and which modules it hands on, and hands on whole.
 */
function readModule(file, text) {
  const { program, errors } = parseSync(file, text, { lang: 'dts' })
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  let last = 0
  const statements = program.body.map((node, index) => {
    const before = last
    last = node.end
    return {
      node,
      index,
      text: text.slice(before, node.end),
      declares: new Set(declaredBy(node)),
      isNeeded: false,
    }
  })
  const links = new Map(statements.flatMap(({ node }) => linksOf(file, node)))
  const names = new Set([...links.keys(), ...statements.flatMap(({ declares }) => [...declares])])
  const whole = program.body.flatMap((node) =>
    isWhole(node) ? [{ file: fileAt(file, node.source.value), isType: node.exportKind === 'type' }] : [],
  )
  const sources = program.body.filter(isHandingOn).map(({ source }) => fileAt(file, source.value))
  const exported = new Set(statements.flatMap(exportedBy))
  return { statements, links, whole, sources, names, exported, needed: new Set() }
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

function exportedBy({ node: { type, specifiers = [] }, declares }) {
  if (type !== 'ExportNamedDeclaration') return []
  return [...declares, ...specifiers.map(({ exported }) => exported.name)]
}

/** `[name here, what it is]` of what a statement links to: a name of a module, or of a package. */
function linksOf(file, { type, source, specifiers = [], importKind, exportKind }) {
  const path = source?.value
  const isOwn = path === undefined || path.startsWith('.')
  return specifiers
    .map((specifier) => {
      const { local, exported, imported } = specifier
      const name =
        (exported ? local : imported)?.name ?? (specifier.type === 'ImportDefaultSpecifier' ? 'default' : '*')
      const here = (exported ?? local).name
      const isType = [importKind, exportKind, specifier.importKind, specifier.exportKind].includes('type')
      const target = isOwn
        ? { file: path === undefined ? file : fileAt(file, path) }
        : { from: path, local: here }
      return [here, { ...target, name, isType }]
    })
    .filter(([here, link]) => link.file !== file || link.name !== here || type === 'ImportDeclaration')
}

/** The names after `extends`, and of what a type is only another name. */
function basesIn(text) {
  const code = withoutComments(text)
  const bases = /\binterface [^{]*?> extends ([^{]+)\{|\binterface \w+ extends ([^{]+)\{/.exec(code)
  const other = /\btype \w+ = (\w+);/.exec(code)?.[1]
  return [...(bases?.[1] ?? bases?.[2] ?? other ?? '').matchAll(/[\w$]+/g)].map(([word]) => word)
}

/** The text without what is said about it. */
export function withoutComments(text) {
  return text.replace(/^[ \t]*\/\*[\s\S]*?\*\/\s*?\n/gm, '')
}

/** The file of a module that another one imports. */
export function fileAt(file, path) {
  return normalize(join(dirname(file), path.replace(/\.js$/, '.d.ts')))
}
