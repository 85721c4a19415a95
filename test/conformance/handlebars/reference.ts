import { type HandlebarsNode, parseHandlebars } from '../../../src/template/dialects/handlebars/parser.js'

/** What a template gives: its output, or the output so far and why it ended. */
export type ReferenceOutcome =
  | { readonly kind: 'output'; readonly output: string }
  | {
      readonly kind: 'error'
      readonly output: string
      readonly template: string
      readonly offset: number
      readonly subject: string
      readonly message: string
    }

const MAX_DEPTH = 16

class Failure extends Error {
  readonly template: string
  readonly offset: number
  readonly subject: string

  constructor(template: string, offset: number, subject: string, message: string) {
    super(message)
    this.template = template
    this.offset = offset
    this.subject = subject
  }
}

/**
 * The rules of the Handlebars subset as plainly as they can be said: a walk over the parsed tree. Slow, and
 * shares nothing with the engine but the parser, so that the engine can be compared with it.
 */
export function renderReference(
  source: string,
  data: unknown,
  partials: Readonly<Record<string, string>> = {},
): ReferenceOutcome {
  let output = ''

  function walk(nodes: readonly HandlebarsNode[], template: string, scope: Scope, depth: number): void {
    for (const node of nodes) visit(node, template, scope, depth)
  }

  function visit(node: HandlebarsNode, template: string, scope: Scope, depth: number): void {
    const fail = (subject: string, message: string): never => {
      throw new Failure(template, node.offset, subject, message)
    }
    if (node.kind === 'text') output += node.text
    else if (node.kind === 'variable') output += print(read(node.path) ?? missing(node.path))
    else if (node.kind === 'if') {
      const value = read(node.path)
      walk(value !== undefined && isTrue(value.value) ? node.body : node.otherwise, template, scope, depth)
    } else if (node.kind === 'each') {
      const { value } = read(node.path) ?? missing(node.path)
      const items = Array.isArray(value) ? value : notAnArray(node.path)
      for (const item of items) walk(node.body, template, { ...scope, item: { value: item } }, depth)
    } else include(node.name)

    function include(name: string): void {
      if (!Object.hasOwn(partials, name)) fail(name, `template "${name}" is not registered`)
      if (depth === MAX_DEPTH) fail(name, `templates include each other deeper than ${MAX_DEPTH}`)
      walk(parseHandlebars(partials[name] as string), name, scope, depth + 1)
    }

    function missing(path: readonly string[]): never {
      return fail(path.join('.'), `variable "${path.join('.')}" not found`)
    }

    function notAnArray(path: readonly string[]): never {
      return fail(path.join('.'), `"${path.join('.')}" is not an array`)
    }

    function read(path: readonly string[]): Found | undefined {
      const [first, ...rest] = path as [string, ...string[]]
      const start = first === 'item' && scope.item ? scope.item : field(scope.data, first)
      return rest.reduce<Found | undefined>((found, name) => found && field(found.value, name), start)
    }
  }

  try {
    walk(parseHandlebars(source), 't', { data }, 0)
    return { kind: 'output', output }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { template, offset, subject, message } = error
    return { kind: 'error', output, template, offset, subject, message }
  }
}

/** Boxed, because a value that is there may itself be null. */
interface Found {
  readonly value: unknown
}

interface Scope {
  readonly data: unknown
  readonly item?: Found
}

function field(value: unknown, name: string): Found | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const isField = Array.isArray(value)
    ? /^(0|[1-9]\d*)$/.test(name) && Number(name) < value.length
    : Object.hasOwn(value, name)
  return isField ? { value: (value as Record<string, unknown>)[name] } : undefined
}

function isTrue(value: unknown): boolean {
  return value !== null && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0)
}

function print({ value }: Found): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : toJson(value)
}

function toJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${toJson(item)}`)
    .join(',')}}`
}
