import type { ListItem, ListNode } from '../../ast.js'
import type { DueText } from '../../fast/due-text.js'
import type { CodeContext } from '../context.js'
import type { Emitter } from '../expressions/expression.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import type { Tracing } from '../tracing.js'

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

/** Static text, which stays due where it may be joined with the text after it. */
export function emitText({ due, context }: Writer, text: string): string {
  due.add(text)
  return context.generation.mode.joinsTexts ? '' : due.flush()
}

/** Makes code that is not at the top of its template: there no text goes straight to where the render writes bytes. */
export function inside({ due }: Writer, make: () => string): string {
  const { isDirect } = due
  due.isDirect = false
  const code = make()
  due.isDirect = isDirect
  return code
}

/** The labels that break and continue jump to; empty outside loops. */
export interface Loop {
  readonly break: string
  readonly continue: string
}

/** The loop around a part: leaving it is up to the function that called the part. */
export const OUTER_LOOP: Loop = { break: '@1', continue: '@2' }

/** The loops around a place in one function, and the names of their labels. */
export class Loops {
  readonly #around: Loop[]
  #count = 0

  constructor(outer: Loop | undefined) {
    this.#around = outer === undefined ? [] : [outer]
  }

  get innermost(): Loop | undefined {
    return this.#around.at(-1)
  }

  /** A label that no other loop of the function has. */
  newLabel(): string {
    return `loop${this.#count++}`
  }

  /** Makes code inside of a loop. */
  within<Code>(loop: Loop, make: () => Code): Code {
    this.#around.push(loop)
    const code = make()
    this.#around.pop()
    return code
  }

  /** Leaves the innermost loop, or its round; in a part it returns with what the caller shall do. */
  leave(keyword: 'break' | 'continue'): string {
    return leaveTo(this.innermost?.[keyword] ?? '', keyword)
  }
}

function leaveTo(label: string, keyword: 'break' | 'continue'): string {
  if (label === '') return ''
  return label.startsWith('@') ? `{locals[0]=${label.slice(1)};return out}` : `${keyword} ${label};`
}
