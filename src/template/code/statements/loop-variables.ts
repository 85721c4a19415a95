import type { PipeNode } from '../../ast.js'
import type { Frame } from '../frame.js'
import type { Scope, Variable } from '../scope.js'
import { noteOrigin } from './tracing.js'

/** The locals of one loop. */
export interface LoopLocals {
  readonly list: string
  /** Null for a plain list. */
  readonly cursor: string
  readonly index: string
  readonly length: string
  readonly item: string
}

/** Locals that no other loop has. */
export function newLoopLocals(frame: Frame): LoopLocals {
  return {
    list: frame.newLocal('list'),
    cursor: frame.newLocal('cursor'),
    index: frame.newLocal('index'),
    length: frame.newLocal('length'),
    item: frame.newLocal('item'),
  }
}

/** The key of a round: the index in a list, the key in a map. */
export function roundKey({ cursor, index }: LoopLocals): string {
  return `${cursor}===null||${cursor}.keys===null?${index}:${cursor}.keys[${index}]`
}

/** Sets the variables of a range before each round: one is the element, two are key and element. */
export function loopVariables(
  frame: Frame,
  { declarations, isAssign }: PipeNode,
  scope: Scope,
  locals: LoopLocals,
  element: Variable,
): string {
  const [first, second] = declarations
  if (first === undefined) return ''
  const set = (name: string, value: string, isKey: boolean) =>
    loopVariable(frame, { name, value, isKey, isAssign }, scope, element)
  if (second === undefined) return set(first.name, locals.item, false)
  return set(first.name, roundKey(locals), true) + set(second.name, locals.item, false)
}

/** A variable that is set before each round. */
interface LoopVariable {
  readonly name: string
  readonly value: string
  readonly isKey: boolean
  readonly isAssign: boolean
}

function loopVariable(frame: Frame, given: LoopVariable, scope: Scope, element: Variable): string {
  const { name, value, isKey, isAssign } = given
  if (element.origin !== undefined) noteOrigin(name, isKey, element.origin, scope)
  const variable = scope.find(name)
  if (variable === undefined) return ''
  const isAssigned = frame.context.assigned.has(name)
  const container = isKey ? '' : element.container
  const known = `${variable.local}=${value};`
  if (variable.container !== '') return `${variable.container}=${container || 'undefined'};${known}`
  if (isAssign) return known
  if (!isAssigned || container === '') {
    scope.refine({ ...variable, container, fromData: !isKey && element.fromData && !isAssigned })
    return known
  }
  // An assignment in the body says that the value is no element, but the loop still needs its list.
  const own = frame.newLocal('container')
  scope.refine({ ...variable, container: own, fromData: false })
  return `${own}=${container};${known}`
}
