import type { ListItem, ListNode } from '../../ast.js'
import type { DueText } from '../../fast/due-text.js'
import type { CodeContext } from '../context.js'
import type { Emitter } from '../expressions/emitter.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import type { Loops } from './loops.js'
import type { Tracing } from './tracing.js'

/** Turns lists into statements; the emitters of each kind of node write their lists through it. */
export interface Writer {
  readonly context: CodeContext
  readonly frame: Frame
  readonly expressions: Emitter
  readonly due: DueText
  readonly loops: Loops
  /** Null in a program that is not traced. */
  readonly tracing: Tracing | null
  /** @param carries its last text stays due at its end, to be joined with the start of the next round */
  list(list: ListNode, scope: Scope, carries?: boolean): string
  items(nodes: readonly ListItem[], scope: Scope, carries?: boolean): string
}
