// Gain: `bench:template`, "code review" to bytes 2.8 → 2.3 µs, "few-shot" 5.6 → 4.7: each piece that is added costs more
// than its characters.
// On in one line: `Statements` adds text through it, and flushes at once where it may not be late.

import type { IfNode, ListItem, ListNode, RangeNode, TextNode, WithNode } from '../ast.js'

/** The code of one text. */
export interface TextCode {
  readonly name: string
  /** Adds it to the output. */
  readonly add: string
  /** Keeps it where a failure finds it. */
  readonly note: string
}

/** The table of texts that generated code names. */
interface TextTable {
  addText(pieces: readonly string[]): TextCode
  addDirectText(pieces: readonly string[]): TextCode
  use(helper: 'addLong'): string
}

/** What is due at one point of the generated code. */
export interface DueState {
  readonly pieces: readonly string[]
  /** Null before there is any. */
  readonly code: TextCode | null
  readonly noted: Noted
}

/** What local `due` holds: nothing, all that is due, or only the start of it. */
type Noted = 'nothing' | 'all' | 'start'

const NOTHING_DUE: DueState = { pieces: [], code: null, noted: 'nothing' }

/**
 * Static text that is due but not yet added to the output, so that it can be joined with the text after it, also
 * across the branches of an `if` and the rounds of a loop: each piece that a render adds costs more than its
 * characters. While something that may fail is evaluated local `due` has the text, which belongs to the output then.
 *
 * The generated code depends on the positions of texts, never on their contents.
 */
export class DueText {
  /** Set where a render may write bytes as it goes: at the top of its main template. */
  isDirect = false
  readonly #constants: TextTable
  #state: DueState = NOTHING_DUE

  constructor(constants: TextTable) {
    this.#constants = constants
  }

  /** Whether there is any text; it may be empty. */
  get isDue(): boolean {
    return this.#state.pieces.length > 0
  }

  get text(): string {
    return dueTextOf(this.#state)
  }

  get state(): DueState {
    return this.#state
  }

  /** Goes back to what was due at an earlier point of the code. */
  restore(state: DueState): void {
    this.#state = state
  }

  add(text: string): void {
    const { pieces, noted } = this.#state
    this.#state = { pieces: [...pieces, text], code: null, noted: noted === 'nothing' ? 'nothing' : 'start' }
  }

  /** Code that adds what is due to the output. */
  flush(): string {
    const { noted } = this.#state
    const added = this.isDue ? this.#addition() : ''
    this.#state = NOTHING_DUE
    return noted === 'nothing' ? added : `${added}due="";`
  }

  #addition(): string {
    if (!this.isDirect) return this.#code().add
    const { name } = this.#constants.addDirectText(this.#state.pieces)
    return `out=${this.#constants.use('addLong')}(run,out,${name});`
  }

  /** Code that writes the text that is due, without its end. */
  flushBut(end: string): string {
    const { text } = this
    if (this.isDue)
      this.#state = { ...this.#state, pieces: [text.slice(0, text.length - end.length)], code: null }
    return this.flush()
  }

  /** Code that keeps what is due where a failure finds it. */
  note(): string {
    if (!this.isDue || this.#state.noted === 'all') return ''
    const code = this.#code()
    this.#state = { pieces: this.#state.pieces, code, noted: 'all' }
    return code.note
  }

  #code(): TextCode {
    const { pieces, code, noted } = this.#state
    if (code !== null) return code
    const added = this.#constants.addText(pieces)
    this.#state = { pieces, code: added, noted }
    return added
  }
}

/** All that is due: most often one piece, which takes no join. */
export function dueTextOf({ pieces }: DueState): string {
  return pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('')
}

/** Whether some way through a branch ends in text; `isDue` if text directly precedes it. */
export function endsInText({ list, elseList }: IfNode | WithNode, isDue: boolean): boolean {
  return listEndsInText(list, isDue) || listEndsInText(elseList, isDue)
}

function listEndsInText(list: ListNode | null, isDue: boolean): boolean {
  const last = list?.nodes.at(-1)
  if (last === undefined) return isDue
  if (last.kind === 'text') return true
  if (last.kind !== 'if' && last.kind !== 'with') return false
  const before = list?.nodes.at(-2)
  return endsInText(last, before === undefined ? isDue : before.kind === 'text')
}

/** A branch with a text at the end of each of its lists. */
export function withText<Branch extends IfNode | WithNode>(branch: Branch, text: TextNode): Branch {
  const list = followedBy(branch.list, text)
  const elseList = branch.elseList ?? { kind: 'list', position: branch.position, nodes: [] }
  return { ...branch, list, elseList: followedBy(elseList, text) }
}

function followedBy(list: ListNode, text: TextNode): ListNode {
  return { ...list, nodes: [...list.nodes, text] }
}

/**
 * The pending text at the end of each round of a loop that starts with pending text, if it is the same for all rounds;
 * empty if it may differ, null if there is no such text.
 */
export function textAtEnd({ list, elseList }: RangeNode): string | null {
  const last = list.nodes.at(-1)
  if (list.nodes.length < 2 || canLeave(list) || canLeave(elseList)) return null
  if (last?.kind === 'text') return last.text
  const before = list.nodes.at(-2)
  if (last?.kind !== 'range' || last.elseList !== null || before?.kind !== 'text') return null
  const inner = textAtEnd(last)
  return inner === null || before.text.endsWith(inner) ? inner : ''
}

/** Whether a list contains a break or continue anywhere. */
function canLeave(list: ListNode | null): boolean {
  return list?.nodes.some(leaves) ?? false
}

function leaves(node: ListItem): boolean {
  if (node.kind === 'break' || node.kind === 'continue') return true
  if (node.kind !== 'if' && node.kind !== 'with' && node.kind !== 'range') return false
  return canLeave(node.list) || canLeave(node.elseList)
}
