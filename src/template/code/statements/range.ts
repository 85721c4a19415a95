import type { ListNode, PipeNode, RangeNode } from '../../ast.js'
import { type DueState, dueTextOf, textAtEnd } from '../../fast/due-text.js'
import type { Origin } from '../../run/origin.js'
import { isDataPipe } from '../expressions/pipe.js'
import type { Frame } from '../frame.js'
import type { LoopLocals } from '../loop-locals.js'
import type { Scope, Variable } from '../scope.js'
import { noteOrigin } from '../tracing.js'
import { inside, type Loop, type Writer } from './writer.js'

/** `{{range pipeline}}`: a plain list by index, everything else by a cursor. */
export function emitRange(writer: Writer, node: RangeNode, scope: Scope): string {
  const { frame, due, loops } = writer
  const inner = scope.inner()
  const locals = frame.newLoopLocals()
  const { length } = locals
  const fromData = isDataPipe(node.pipe, inner)
  const start = carry(writer, node)
  const open = openLoop(writer, node, locals, inner)
  const outer = loops.innermost
  const label = loops.newLabel()
  const origin = originOfRound(frame, node, inner)
  const element: Variable = {
    name: '',
    local: locals.item,
    container: locals.list,
    fromData,
    origin,
    read: locals.read,
  }
  const carried = due.state
  const loop = loops.within({ break: label, continue: label }, () =>
    rounds(writer, node, inner.inner(element), { label, locals, element, carried }),
  )
  if (node.elseList === null) return `${start}${open}if(${length}>0){${loop}}`
  const otherwise = rangeElse(writer, node.elseList, inner, {
    break: `${label}Else`,
    continue: outer?.continue ?? '',
  })
  due.restore(carried)
  const end = inside(writer, () => due.flush())
  return `${start}${open}if(${length}>0){${loop}${end}}${otherwise}`
}

/** What one loop is written with. */
interface LoopParts {
  readonly label: string
  readonly locals: LoopLocals
  readonly element: Variable
  /** The text that is due before each round, and so after it. */
  readonly carried: DueState
}

/** Finds out what the loop goes over, and how long it is. */
function openLoop(
  { frame, expressions, context }: Writer,
  node: RangeNode,
  locals: LoopLocals,
  scope: Scope,
): string {
  const { list, open, opened } = locals
  const value = expressions.pipe(node.pipe, scope, false)
  const settle = context.generation.mode.settle(list, context.constants)
  const known = settle === '' ? `${list}=${value};` : `${list}=${value};${settle};`
  return `${known}${open}${frame.lastSite(node.pipe)},${node.pipe.declarations.length})${opened}`
}

/** The loop itself. */
function rounds(writer: Writer, node: RangeNode, scope: Scope, parts: LoopParts): string {
  const { frame, tracing } = writer
  const { label, locals, element, carried } = parts
  const tick = frame.tick(frame.site(node))
  const told = tracing === null ? '' : tracing.round(node, locals.key)
  const variables = loopVariables(frame, node.pipe, scope, locals, element)
  const carries = carried.pieces.length > 0
  const body = inside(writer, () => writer.list(node.list, scope, carries) + endRound(writer, carried))
  const end = tracing === null ? '' : tracing.endOfLoop(node)
  return `${label}:${locals.head}${tick}${told}${locals.bind}${variables}${body}}${end}`
}

function originOfRound(frame: Frame, node: RangeNode, scope: Scope): Origin | undefined {
  const of = frame.originOf(node.pipe, scope)
  return of === undefined ? undefined : { kind: 'round', of, loop: node }
}

/**
 * The text at the end of a round that also precedes the loop stays due, to be joined with the start of the
 * next round and with what follows the loop.
 */
function carry({ due, context }: Writer, node: RangeNode): string {
  const mayCarry = context.shared === null && context.generation.mode.joinsTexts
  const last = mayCarry && due.isDue ? textAtEnd(node) : null
  if (last === null) return due.flush()
  const carried = due.text.endsWith(last) ? last : ''
  const start = due.flushBut(carried)
  due.add(carried)
  return start + due.note()
}

/** Ends a round with that due which was due at its start. */
function endRound({ due }: Writer, start: DueState): string {
  const code = due.flushBut(dueTextOf(start))
  due.restore(start)
  return start.code === null ? code : code + start.code.note
}

/** In a range's else, break leaves just that range, while continue belongs to the loop around. */
function rangeElse(writer: Writer, list: ListNode, scope: Scope, loop: Loop): string {
  return writer.loops.within(loop, () =>
    inside(writer, () => `else ${loop.break}:{${writer.list(list, scope.inner())}${writer.due.flush()}}`),
  )
}

/** Sets the variables of a range before each round: one is the element, two are key and element. */
function loopVariables(
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
  return set(first.name, locals.key, true) + set(second.name, locals.item, false)
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
  // After an assignment in the body the value is not an element, but the loop still needs its list.
  const own = frame.newLocal('container')
  scope.refine({ ...variable, container: own, fromData: false })
  return `${own}=${container};${known}`
}
