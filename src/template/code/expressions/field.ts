import type { ChainNode, FieldNode, Operand, VariableNode } from '../../ast.js'
import { BUILTINS } from '../../builtins.js'
import type { Frame } from '../frame.js'
import type { Scope, Variable } from '../scope.js'
import type { Emitter } from './emitter.js'
import { type Expression, nullable } from './expression.js'
import { FieldPlace } from './field-place.js'
import { lastVisited, type Visited } from './places.js'
import { propertyKey } from './property-key.js'

/** Longer paths are read step by step: the JavaScript engine nests one level for each part. */
const MAX_INLINE_PATH = 100

/** A path from a variable or dot: own data that is there is read at once, everything else Go's way. */
export function emitField(
  frame: Frame,
  from: Variable,
  node: FieldNode | VariableNode,
  guarded: boolean,
): Expression {
  const { local, container, fromData } = from
  const read = chainOf(frame, local, node.path, fromData)
  const site = fieldSite(frame, node, node, guarded)
  const more = container === '' ? '' : `,${container}`
  return nullable(`((value=${read})!==undefined?value:run.field(${site},${local}${more}))`)
}

/** The same from the value of another operand. */
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
