import { parseAst } from 'vitest/node'

type Node = Readonly<Record<string, unknown>> & { readonly type: string }

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
])
/** A shape of two fields or more: one alone is a name for a value. */
const MIN_FIELDS = 2

/**
 * Functions that only rename: each returns an object whose fields are all fields of its one parameter, and at least one has
 * another name there. Those that take some fields under their own names are not meant: they say what may go on.
 */
export function renamingMappers(text: string, lang: 'ts' | 'tsx' = 'ts'): readonly string[] {
  const found: string[] = []
  walk(nodeOf(parseAst(text, { lang })), (node) => {
    const from = FUNCTIONS.has(node.type) ? renamedFields(node) : undefined
    if (from !== undefined) found.push(from)
  })
  return found
}

function walk(node: Node | undefined, visit: (node: Node) => void): void {
  if (node === undefined) return
  visit(node)
  for (const child of Object.values(node))
    for (const each of Array.isArray(child) ? child : [child]) walk(nodeOf(each), visit)
}

function nodeOf(value: unknown): Node | undefined {
  return isNode(value) ? value : undefined
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** `{ a: b, … }` of a function that only renames, as `a: b, …`. */
function renamedFields(node: Node): string | undefined {
  const parameters = nodesOf(node['params'])
  const [parameter] = parameters
  if (parameters.length !== 1 || parameter === undefined) return undefined
  const { literal, sources } = returned(nodeOf(node['body']), parameter)
  const fields = nodesOf(literal?.['properties']).flatMap(fieldsOf)
  const pairs = fields.map((field) => {
    const isNamed = field.type === 'Property' && field['computed'] !== true
    const to = isNamed ? nameOf(nodeOf(field['key'])) : undefined
    const from = sources(nodeOf(field['value']))
    return to !== undefined && from !== undefined ? ([to, from] as const) : undefined
  })
  const known = pairs.flatMap((pair) => (pair === undefined ? [] : [pair]))
  if (known.length < Math.max(fields.length, MIN_FIELDS)) return undefined
  if (known.every(([to, from]) => to === from)) return undefined
  return known.map(([to, from]) => `${to}: ${from}`).join(', ')
}

/** A field, or those of `...(condition && { … })`. */
function fieldsOf(field: Node): readonly Node[] {
  const argument = nodeOf(field['argument'])
  const right = nodeOf(argument?.['right'])
  return field.type === 'SpreadElement' &&
    argument?.type === 'LogicalExpression' &&
    right?.type === 'ObjectExpression'
    ? nodesOf(right['properties'])
    : [field]
}

/** The object that a body returns, and what tells of a value which field of the parameter it is. */
function returned(body: Node | undefined, parameter: Node) {
  const names = new Map<string, string>()
  const given = nameOf(parameter)
  if (given === undefined) addNames(parameter, names)
  let literal = body
  if (body?.type === 'BlockStatement') {
    const statements = nodesOf(body['body'])
    literal = nodeOf(statements.at(-1)?.['argument'])
    // In front of it nothing but the parameter taken apart.
    for (const statement of statements.slice(0, -1)) {
      const [taken, ...more] = nodesOf(statement['declarations'])
      const isTaken = taken !== undefined && more.length === 0 && nameOf(nodeOf(taken['init'])) === given
      if (!isTaken || given === undefined) return { literal: undefined, sources: () => undefined }
      addNames(nodeOf(taken['id']), names)
    }
  }
  const sources = (value: Node | undefined): string | undefined => {
    if (value?.type === 'Identifier') return names.get(nameOf(value) ?? '')
    if (value?.type !== 'MemberExpression' || value['computed'] === true || given === undefined)
      return undefined
    return nameOf(nodeOf(value['object'])) === given ? nameOf(nodeOf(value['property'])) : undefined
  }
  return { literal: literal?.type === 'ObjectExpression' ? literal : undefined, sources }
}

/** The names of a parameter that is taken apart, without defaults. */
function addNames(pattern: Node | undefined, names: Map<string, string>): void {
  for (const property of nodesOf(pattern?.['properties'])) {
    const from = nameOf(nodeOf(property['key']))
    const to = nameOf(nodeOf(property['value']))
    if (from !== undefined && to !== undefined) names.set(to, from)
  }
}

function nameOf(node: Node | undefined): string | undefined {
  const name = node?.type === 'Identifier' ? node['name'] : undefined
  return typeof name === 'string' ? name : undefined
}
