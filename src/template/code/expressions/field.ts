import type { ChainNode, FieldNode, Node, Operand, VariableNode } from '../../ast.js'
import { BUILTINS } from '../../builtins.js'
import { STRINGER_METHODS } from '../../format/kind.js'
import type { FieldSite, Site } from '../../site.js'
import { Float, Slice, Typed } from '../../value.js'
import type { Frame } from '../frame.js'
import { type FieldPhrase, fieldCode } from '../phrase.js'
import type { Scope, Variable } from '../scope.js'
import { type Emitter, type Expression, nullable } from './expression.js'
import { lastVisited, type Visited } from './places.js'

/** Never a property of anything: reading it finds nothing, so that the careful way is taken. */
const NOWHERE = Symbol('nowhere')

/** Names that a value may have without owning them as data. */
const INHERITED = new Set(
  [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype, BigInt.prototype]
    .flatMap((prototype) => Reflect.ownKeys(prototype))
    .filter((key) => typeof key === 'string'),
)
/** Fields and methods of the engine's own values, which JSON data never contains. */
const ENGINE_FIELDS = new Set<string>([
  ...[new Float(0), new Slice([], 0, 0, 0), new Typed('', null)].flatMap((value) => Object.keys(value)),
  ...STRINGER_METHODS,
])

/** Longer paths are read step by step: the JavaScript engine nests one level for each part. */
const MAX_INLINE_PATH = 100

/** A path from a variable or dot: own data that is there is read at once, everything else Go's way. */
export function emitField(
  frame: Frame,
  from: Variable,
  node: FieldNode | VariableNode,
  guarded: boolean,
): Expression {
  const { local, container, fromData, read } = from
  if (node.path.length === 1 && read?.isOf(from)) return emitKnownField(frame, read, fromData, node, guarded)
  const path = chainOf(frame, local, node.path, fromData)
  const site = fieldSite(frame, node, node, guarded)
  return nullable(fieldCode(path, site, local, container))
}

function emitKnownField(
  frame: Frame,
  read: FieldPhrase,
  fromData: boolean,
  node: FieldNode | VariableNode,
  guarded: boolean,
): Expression {
  const { constants } = frame.context
  const first = constants.count
  constants.add(propertyKey(node.path[0] ?? '', fromData), 'name')
  fieldSite(frame, node, node, guarded)
  return nullable(read.at(first))
}

/** A path from the value of another operand. */
export function emitChain(emitter: Emitter, node: ChainNode, scope: Scope, guarded: boolean): Expression {
  const { frame } = emitter
  const receiver = emitter.operand(node.operand, scope, guarded)
  const container = isInterface(frame, node.operand) ? ',null' : ''
  const site = fieldSite(frame, node, lastVisited(node.operand), guarded)
  const read = chainOf(frame, 'receiver', node.path, false)
  const code = `(value=${read})!==undefined?value:run.field(${site},receiver${container})`
  return nullable(`(receiver=${receiver.code},${code})`)
}

/** The constant of a field access, whose failure is reported at a node. */
export function fieldSite(
  frame: Frame,
  node: FieldNode | VariableNode | ChainNode,
  at: Visited,
  guarded: boolean,
): string {
  const { constants, generation } = frame.context
  return constants.add(new FieldPlace(node, frame.visitedSite(at), guarded, generation.pathOf), 'fieldSite')
}

/** Whether an operand keeps its value inside an interface: the result of a function that declares no type. */
function isInterface(frame: Frame, operand: Operand): boolean {
  if (operand.kind !== 'identifier' || BUILTINS.has(operand.name)) return false
  const target = frame.context.generation.functions.get(operand.name)
  return typeof target !== 'object' || (target.returns ?? 'any') === 'any'
}

function chainOf(frame: Frame, local: string, path: readonly string[], fromData: boolean): string {
  if (path.length > MAX_INLINE_PATH) return 'undefined'
  const { constants } = frame.context
  return path.reduce(
    (code, name) => `${code}?.[${constants.add(propertyKey(name, fromData), 'name')}]`,
    local,
  )
}

/** A field access in a program, whose path from the data is found out when a message needs it. */
class FieldPlace implements FieldSite {
  readonly at: Site | null
  readonly path: readonly string[]
  readonly guarded: boolean
  readonly node: FieldNode | VariableNode | ChainNode
  /** The absolute path of a field where analysis knows it. */
  readonly pathOf: (node: Node) => readonly string[] | undefined

  constructor(
    node: FieldNode | VariableNode | ChainNode,
    at: Site | null,
    guarded: boolean,
    pathOf: (node: Node) => readonly string[] | undefined,
  ) {
    this.at = at
    this.path = node.path
    this.guarded = guarded
    this.node = node
    this.pathOf = pathOf
  }

  get fullPath(): readonly string[] {
    const { node } = this
    return this.pathOf(node) ?? (node.kind === 'variable' ? [node.name, ...node.path] : node.path)
  }
}

/**
 * What the generated code reads for a field: the name itself, or for names that are not safely data something
 * that is never found.
 *
 * @param fromData true if the value is part of the render's data, not the result of a function
 */
function propertyKey(name: string, fromData: boolean): string | symbol {
  if (isIndex(name) || INHERITED.has(name) || (!fromData && ENGINE_FIELDS.has(name))) return NOWHERE
  return name
}

/** An index reads from lists and texts; only some dialects have it, and only for lists. */
function isIndex(name: string): boolean {
  const first = name.charCodeAt(0)
  return first >= 0x30 && first <= 0x39
}
