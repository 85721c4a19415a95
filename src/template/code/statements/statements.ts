import { at } from '../../../util/at.js'
import type { IfNode, ListItem, ListNode, WithNode } from '../../ast.js'
import { DueText, endsInText, textAtEnd, withText } from '../../fast/due-text.js'
import type { CodeContext } from '../context.js'
import { Expressions } from '../expressions/expressions.js'
import { Frame } from '../frame.js'
import { isLongList } from '../parts.js'
import type { Scope } from '../scope.js'
import { Tracing } from '../tracing.js'
import { emitAction, emitTemplateCall } from './action.js'
import { emitIf, emitWith } from './branch.js'
import { emitPartCalls, type WritePart } from './part-call.js'
import { emitRange } from './range.js'
import { emitText, type Loop, Loops, type Writer } from './writer.js'

/** The statements of one JavaScript function: for each kind of node there is one emitter. */
export class Statements implements Writer {
  readonly context: CodeContext
  readonly frame: Frame
  readonly expressions: Expressions
  readonly due: DueText
  readonly loops: Loops
  readonly tracing: Tracing | null
  readonly #writePart: WritePart

  /** @param writePart makes the functions of the parts of a large template */
  constructor(context: CodeContext, writePart: WritePart, outer?: Loop) {
    this.context = context
    this.frame = new Frame(context)
    this.expressions = new Expressions(this.frame)
    this.due = new DueText(context.constants)
    this.loops = new Loops(outer)
    this.tracing = context.generation.traced ? new Tracing(context) : null
    this.#writePart = writePart
  }

  /** The whole list of a template, of which a large program may have thousands. */
  body(list: ListNode, scope: Scope): string {
    return this.context.shared === null ? this.items(list.nodes, scope) : this.#parts(list, scope)
  }

  list(list: ListNode, scope: Scope, carries = false): string {
    const isInParts = this.context.shared !== null && isLongList(list)
    return isInParts ? this.#parts(list, scope) : this.items(list.nodes, scope, carries)
  }

  items(nodes: readonly ListItem[], scope: Scope, carries = false): string {
    let code = ''
    for (let i = 0; i < nodes.length; i++) {
      const node = at(nodes, i)
      const next = nodes[i + 1]
      const afterNext = nodes[i + 2]
      const staysDue = carries && afterNext === undefined
      if (next?.kind === 'text' && !staysDue && this.#takesIn(node, afterNext)) {
        code += this.#item(withText(node, next), scope)
        i++
      } else code += this.#item(node, scope)
    }
    return code
  }

  #parts(list: ListNode, scope: Scope): string {
    return emitPartCalls(this, list, scope, this.#writePart)
  }

  /** Whether text after a branch becomes part of its lists, because it joins more text there than behind it. */
  #takesIn(node: ListItem, afterText: ListItem | undefined): node is IfNode | WithNode {
    const { generation, shared } = this.context
    if (!generation.mode.joinsTexts || (node.kind !== 'if' && node.kind !== 'with')) return false
    const isCarried = shared === null && afterText?.kind === 'range' && textAtEnd(afterText) !== null
    return !isCarried && endsInText(node, this.due.isDue)
  }

  #item(node: ListItem, scope: Scope): string {
    switch (node.kind) {
      case 'text':
        return this.tracing === null ? emitText(this, node.text) : this.tracing.text(node)
      case 'action':
        return emitAction(this, node, scope)
      case 'if':
        return emitIf(this, node, scope)
      case 'with':
        return emitWith(this, node, scope)
      case 'range':
        return emitRange(this, node, scope)
      case 'template':
        return emitTemplateCall(this, node, scope)
      case 'break':
      case 'continue':
        return this.due.flush() + this.loops.leave(node.kind)
    }
  }
}
