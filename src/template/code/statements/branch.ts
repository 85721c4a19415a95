import type { IfNode, ListNode, WithNode } from '../../ast.js'
import { isDataPipe } from '../expressions/pipe.js'
import type { Scope } from '../scope.js'
import { inside, type Writer } from './writer.js'

/** `{{if pipeline}}`. */
export function emitIf(writer: Writer, { pipe, list, elseList }: IfNode, scope: Scope): string {
  const { frame, expressions } = writer
  const inner = scope.inner()
  const start = writer.due.note()
  const { code } = expressions.rawPipe(pipe, inner, true)
  const condition = `value=${code};${frame.pause(pipe)}if(${frame.truth('value')})`
  return start + emitBranches(writer, condition, { list, scope: inner }, { list: elseList, scope: inner })
}

/** `{{with pipeline}}`, which makes the value dot. */
export function emitWith(writer: Writer, { pipe, list, elseList }: WithNode, scope: Scope): string {
  const { frame, expressions } = writer
  const inner = scope.inner()
  const start = writer.due.note()
  const local = frame.newLocal('dot')
  const fromData = isDataPipe(pipe, inner)
  const code = expressions.pipe(pipe, inner, true)
  const condition = `${local}=${code};${frame.pause(pipe)}if(${frame.truth(local)})`
  const origin = frame.originOf(pipe, inner)
  const body = inner.inner({ name: '', local, container: '', fromData, origin })
  return start + emitBranches(writer, condition, { list, scope: body }, { list: elseList, scope: inner })
}

/** A list of a branch, and what is in sight there. */
interface Branch<List> {
  readonly list: List
  readonly scope: Scope
}

/** Both ways begin with the same text due, and end with none. */
function emitBranches(
  writer: Writer,
  condition: string,
  { list, scope }: Branch<ListNode>,
  otherwise: Branch<ListNode | null>,
): string {
  const { due } = writer
  return inside(writer, () => {
    const before = due.state
    const body = writer.list(list, scope.inner()) + due.flush()
    due.restore(before)
    const other = otherwise.list === null ? '' : writer.list(otherwise.list, otherwise.scope.inner())
    const end = other + due.flush()
    return `${condition}{${body}}${end === '' ? '' : `else{${end}}`}`
  })
}
