// Puts all declarations that programs can reach into a few files. What the same entries of the package need is in one, so
// that a program reads nothing but what its entry needs. A name that several modules declare, or that is one of the
// language, gets a number where it is not one that programs import. Modules that no entry hands on say no more than their
// types: what is said of them is for those who work on them.
import { fileAt, reach, withoutComments } from './reachable-declarations.mjs'

/**
 * @param {string} directory where tsc wrote all declarations
 * @param {ReadonlyMap<string, string>} entries the names of the package's exports, by their files in the directory
 * @returns {ReadonlyMap<string, string>} files in the directory, and what they declare
 */
export function bundleDeclarations(directory, entries) {
  const { modules, handedOn } = reach(directory, [...entries.keys()])
  const resolve = resolverOf(modules)
  const parts = partsOf(directory, entries, modules)
  for (const part of parts) Object.assign(part, namesIn(part.statement.node, modules.get(part.file)))
  const surface = new Map([...entries.keys()].map((entry) => [entry, exportsOf(entry, modules, resolve)]))
  const names = uniqueNames(parts, surface)
  const chunks = new Map(
    parts.flatMap(({ file, statement, chunk }) =>
      [...statement.declares].map((name) => [keyOf(file, name), chunk]),
    ),
  )
  const written = [...grouped(parts)].map(([chunk, members]) => [
    `declarations/${chunk}.d.ts`,
    writeChunk(chunk, members),
  ])
  return new Map([
    ...written,
    ...[...surface].map(([entry, exported]) => [entry, writeEntry(entry, exported)]),
  ])

  function writeChunk(chunk, members) {
    const imports = new Map()
    const texts = members.map(({ file, statement, named, ids }) => {
      const edits = named.map((place) => ({ ...place, text: textFor(resolve(file, place)) }))
      const own = ids.map((place) => ({ ...place, text: names.get(keyOf(file, place.name)) }))
      const text = exported(edited(statement, [...edits, ...own]))
      return indentedByTabs(handedOn.has(file) ? text : withoutComments(text)).trim()
    })
    return `${[...importLines(imports), ...texts].join('\n')}\n`

    function textFor({ from, file, name, local }) {
      if (from !== undefined) {
        const here = local ?? name
        add(imports, from, name === '*' ? `* as ${here}` : aliased(name, here))
        return here
      }
      const key = keyOf(file, name)
      if (chunks.get(key) !== chunk) add(imports, `./${chunks.get(key)}.js`, names.get(key))
      return names.get(key)
    }
  }

  function writeEntry(entry, exports) {
    const up = '../'.repeat(entry.split('/').length - 1) || './'
    const lines = new Map()
    for (const [name, { from, file, name: there, isType }] of exports) {
      const key = keyOf(file, there)
      const own = from === undefined ? names.get(key) : there
      const place = from ?? `${up}declarations/${chunks.get(key)}.js`
      add(lines, `${place} ${isType ? 'export type' : 'export'}`, aliased(own, name))
    }
    const texts = [...lines].map(([line, specifiers]) => {
      const [place, ...kind] = line.split(' ')
      return `${kind.join(' ')} { ${[...specifiers].join(', ')} } from '${place}';`
    })
    return `${texts.join('\n')}\n`
  }
}

/** The statements that are needed, each with the entries that need it. */
function partsOf(directory, entries, modules) {
  const own = [...entries].map(([entry, name]) => [name, reach(directory, [entry]).modules])
  return [...modules].flatMap(([file, { statements }]) =>
    statements.flatMap((statement) => {
      const by = own.filter(([, reached]) => reached.get(file)?.statements[statement.index].isNeeded)
      return by.length === 0 ? [] : [{ file, statement, chunk: by.map(([name]) => name).join('-') }]
    }),
  )
}

/** The parts of each file. */
function grouped(parts) {
  const chunks = new Map()
  for (const part of parts) chunks.set(part.chunk, [...(chunks.get(part.chunk) ?? []), part])
  return chunks
}

/** What a name of a module is in the end: a declaration of a module, or a name of a package. */
function resolverOf(modules) {
  return function resolve(file, { name, path, member }, isType = false) {
    if (path !== undefined)
      return path.startsWith('.')
        ? resolve(fileAt(file, path), { name: member })
        : { from: path, name: member }
    const { links, statements, whole } = modules.get(file)
    const link = links.get(name)
    if (link !== undefined)
      return link.from === undefined
        ? resolve(link.file, { name: link.name }, isType || link.isType)
        : { ...link, isType: isType || link.isType }
    if (statements.some(({ declares }) => declares.has(name))) return { file, name, isType }
    const behind = whole.find((each) => isIn(each.file, name))
    if (behind === undefined) throw new Error(`${file} has no ${name}`)
    return resolve(behind.file, { name }, isType || behind.isType)
  }

  function isIn(file, name) {
    const { exported, whole } = modules.get(file)
    return exported.has(name) || whole.some((each) => isIn(each.file, name))
  }
}

/** Everything that an entry exports, and what it is. */
function exportsOf(entry, modules, resolve) {
  const names = new Set()
  collect(entry)
  return new Map([...names].sort().map((name) => [name, resolve(entry, { name })]))

  function collect(file) {
    const { exported, whole } = modules.get(file)
    for (const name of exported) names.add(name)
    for (const each of whole) collect(each.file)
  }
}

/**
 * A name for each declaration that no other has which one entry needs together with it, nor the language or a package where
 * that is meant.
 */
function uniqueNames(parts, surface) {
  const foreign = new Set(parts.flatMap((part) => part.foreign))
  const taken = new Map()
  const entriesOf = new Map(
    parts.flatMap(({ file, statement, chunk }) =>
      [...statement.declares].map((name) => [keyOf(file, name), chunk.split('-')]),
    ),
  )
  const all = [...entriesOf.keys()]
  const exported = new Set(
    [...surface.values()].flatMap((each) => [...each.values()].map(({ file, name }) => keyOf(file, name))),
  )
  const names = new Map()
  for (const key of [...all.filter((each) => exported.has(each)), ...all]) {
    if (names.has(key)) continue
    const [, name] = key.split(' ')
    const by = entriesOf.get(key)
    const isFree = (text) => !foreign.has(text) && !by.some((entry) => taken.get(entry)?.has(text))
    let unique = name
    for (let number = 1; !isFree(unique); number += 1) unique = `${name}_${number}`
    for (const entry of by) add(taken, entry, unique)
    names.set(key, unique)
  }
  return names
}

/**
 * Where a statement names something: what is declared (`ids`), what the module knows (`named`), and what it does not, or has
 * from a package (`foreign`).
 */
function namesIn(statement, { names, links }) {
  const found = { ids: [], named: [], foreign: [] }
  visit(statement, new Set())
  return found

  function visit(node, bound) {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) {
      for (const each of node) visit(each, bound)
      return
    }
    const own = node.typeParameters?.params?.map(({ name }) => nameOf(name)) ?? []
    const scope = own.length === 0 ? bound : new Set([...bound, ...own])
    if (node.type === 'Identifier') return note(node, scope)
    if (node.type === 'TSImportType') return noteImport(node, scope)
    if (node.type === 'TSMappedType')
      return visitAll(node, new Set([...scope, nameOf(node.key ?? node.typeParameter.name)]))
    if (node.type === 'TSConditionalType') return visitConditional(node, scope)
    visitAll(node, scope)
  }

  function visitAll(node, scope) {
    for (const [key, child] of Object.entries(node)) {
      if (key === 'id' && child !== null) declare(child, scope)
      else if (key === 'params' || key === 'parameters') for (const each of child) visitParameter(each, scope)
      else if (!isNameOnly(node, key)) visit(child, scope)
    }
  }

  /** Of a parameter only its type means something. */
  function visitParameter(node, scope) {
    if (node.type === 'Identifier') visit(node.typeAnnotation, scope)
    else if (node.type === 'RestElement') visit([node.typeAnnotation, node.argument.typeAnnotation], scope)
    else visit(node, scope)
  }

  function declare(id, scope) {
    if (id.type === 'Identifier')
      found.ids.push({ name: id.name, start: id.start, end: id.start + id.name.length })
    if (id.typeAnnotation) visit(id.typeAnnotation, scope)
  }

  /** What `infer` finds is known where it was looked for, and where it was found. */
  function visitConditional({ checkType, extendsType, trueType, falseType }, scope) {
    const inferred = new Set([...scope, ...inferredIn(extendsType)])
    visit(checkType, scope)
    visit(extendsType, inferred)
    visit(trueType, inferred)
    visit(falseType, scope)
  }

  function note({ name, start }, scope) {
    if (scope.has(name)) return
    const isForeign = !names.has(name)
    if (isForeign || links.get(name)?.from !== undefined) found.foreign.push(name)
    if (!isForeign) found.named.push({ name, start, end: start + name.length })
  }

  function noteImport({ source, qualifier, typeArguments, start }, scope) {
    visit(typeArguments, scope)
    const path = source.value
    if (qualifier?.type !== 'Identifier') throw new Error(`import('${path}') of no single name`)
    if (!path.startsWith('.')) found.foreign.push(qualifier.name)
    found.named.push({ path, member: qualifier.name, start, end: qualifier.end })
  }
}

function inferredIn(node) {
  if (node === null || typeof node !== 'object') return []
  const own = node.type === 'TSInferType' ? [nameOf(node.typeParameter.name)] : []
  return [...own, ...Object.values(node).flatMap(inferredIn)]
}

function nameOf(name) {
  return typeof name === 'string' ? name : name.name
}

/** Whether a child of a node is what something is called, and means nothing that is known elsewhere. */
function isNameOnly({ type, computed }, key) {
  if (key === 'key' || key === 'property') return computed !== true
  if (key === 'right') return type === 'TSQualifiedName'
  if (key === 'label' || key === 'parameterName') return true
  return key === 'name' && type === 'TSTypeParameter'
}

function edited({ text, node }, edits) {
  const begin = node.end - text.length
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce(
      (all, { start, end, text: own }) => all.slice(0, start - begin) + own + all.slice(end - begin),
      text,
    )
}

/** A level of indentation is a tab in place of four blanks. */
function indentedByTabs(text) {
  return text.replace(/^(?: {4})+/gm, (blanks) => '\t'.repeat(blanks.length / 4))
}

/** A statement as one that others can import. */
function exported(text) {
  return text.replace(/^((?:\s+|\/\*[\s\S]*?\*\/|\/\/.*\n)*)(?:export )?/, '$1export ')
}

function importLines(imports) {
  return [...imports].map(([from, specifiers]) => {
    const all = [...specifiers].sort()
    const whole = all.filter((each) => each.startsWith('*')).map((each) => `import ${each} from '${from}';`)
    const named = all.filter((each) => !each.startsWith('*'))
    return [...whole, ...(named.length === 0 ? [] : [`import { ${named.join(', ')} } from '${from}';`])].join(
      '\n',
    )
  })
}

function aliased(name, here) {
  return name === here ? name : `${name} as ${here}`
}

function add(map, key, value) {
  map.set(key, (map.get(key) ?? new Set()).add(value))
}

function keyOf(file, name) {
  return `${file} ${name}`
}
