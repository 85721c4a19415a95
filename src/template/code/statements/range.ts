import type { ListNode, RangeNode } from '../../ast.js'
import type { DueState } from '../../fast/due-text.js'
import { textAtEnd } from '../../fast/text-places.js'
import type { Origin } from '../../run/origin.js'
import { isDataPipe } from '../expressions/pipe.js'
import type { Frame } from '../frame.js'
import type { Scope, Variable } from '../scope.js'
import { type LoopLocals, loopVariables, newLoopLocals, roundKey } from './loop-variables.js'
import type { Loop } from './loops.js'
import { inside } from './text.js'
import type { Writer } from './writer.js'

/** `{{range pipeline}}`: a plain list by index, everything else by a cursor. */
export function emitRange(writer: Writer, node: RangeNode, scope: Scope): string {
  const { frame, due, loops } = writer
  const inner = scope.inner()
  const locals = newLoopLocals(frame)
  const { length } = locals
  const fromData = isDataPipe(node.pipe, inner)
  const start = carry(writer, node)
  const open = openLoop(writer, node, locals, inner)
  const outer = loops.innermost
  const label = loops.newLabel()
  const origin = originOfRound(frame, node, inner)
  const element: Variable = { name: '', local: locals.item, container: locals.list, fromData, origin }
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
  const { list, cursor, length } = locals
  const value = expressions.pipe(node.pipe, scope, false)
  const settle = context.generation.mode.settle(list, context.constants)
  const variables = String(node.pipe.declarations.length)
  const open = `${frame.use('openLoop')}(run,${list},${frame.lastSite(node.pipe)},${variables})`
  return (
    `${list}=${value};${settle === '' ? '' : `${settle};`}` +
    `if(${frame.use('isArray')}(${list})){${cursor}=null;${length}=${list}.length}` +
    `else{${cursor}=${open};${length}=${cursor}.length}`
  )
}

/** The loop itself. */
function rounds(writer: Writer, node: RangeNode, scope: Scope, parts: LoopParts): string {
  const { frame, tracing } = writer
  const { label, locals, element, carried } = parts
  const { list, cursor, index, length, item } = locals
  const tick = frame.tick(frame.site(node))
  const told = tracing === null ? '' : tracing.round(node, roundKey(locals))
  const bind = `${item}=${cursor}===null?${list}[${index}]:${frame.use('elementAt')}(${cursor},${index});`
  const variables = loopVariables(frame, node.pipe, scope, locals, element)
  const carries = carried.pieces.length > 0
  const body = inside(writer, () => writer.list(node.list, scope, carries) + endRound(writer, carried))
  const end = tracing === null ? '' : tracing.endOfLoop(node)
  const head = `${label}:for(${index}=0;${index}<${length};${index}++)`
  return `${head}{${tick}${told}${bind}${variables}${body}}${end}`
}

function originOfRound(frame: Frame, node: RangeNode, scope: Scope): Origin | undefined {
  const of = frame.originOf(node.pipe, scope)
  return of === undefined ? undefined : { kind: 'round', of, loop: node }
}

/**
 * The text at the end of a round that also stands before the loop stays due, to be joined with the start of the
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
  const code = due.flushBut(start.pieces.join(''))
  due.restore(start)
  return start.pieces.length === 0 ? code : `${code}due=${start.name};`
}

/** In a range's else, break leaves just that range, while continue belongs to the loop around. */
function rangeElse(writer: Writer, list: ListNode, scope: Scope, loop: Loop): string {
  return writer.loops.within(loop, () =>
    inside(writer, () => `else ${loop.break}:{${writer.list(list, scope.inner())}${writer.due.flush()}}`),
  )
}
