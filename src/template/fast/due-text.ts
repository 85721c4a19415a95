// Gain: `bench:template`, "code review" to bytes 2.8 → 2.3 µs, "few-shot" 5.6 → 4.7: each piece that is added costs more
// than its characters.
// On in one line: `Statements` adds text through it, and flushes at once where it may not be late.

/** The table of texts that generated code names. */
interface TextTable {
  addText(pieces: readonly string[]): string
  addDirectText(pieces: readonly string[]): string
  use(helper: 'addLong'): string
}

/** What is due at one point of the generated code. */
export interface DueState {
  readonly pieces: readonly string[]
  readonly name: string
  readonly noted: Noted
}

/** What local `due` holds: nothing, all that is due, or only the start of it. */
type Noted = 'nothing' | 'all' | 'start'

const NOTHING_DUE: DueState = { pieces: [], name: '', noted: 'nothing' }

/**
 * Static text that is due but not yet added to the output, so that it can be joined with the text after it, also
 * across the branches of an `if` and the rounds of a loop: each piece that a render adds costs more than its
 * characters. While something that may fail is evaluated local `s` has the text, which belongs to the output then.
 *
 * What code is made depends on where texts stand, never on what they are.
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
    return this.#state.pieces.join('')
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
    this.#state = { pieces: [...pieces, text], name: '', noted: noted === 'nothing' ? 'nothing' : 'start' }
  }

  /** Code that adds what is due to the output. */
  flush(): string {
    const { noted } = this.#state
    const code = `${this.isDue ? this.#addition() : ''}${noted === 'nothing' ? '' : 'due="";'}`
    this.#state = NOTHING_DUE
    return code
  }

  #addition(): string {
    if (!this.isDirect) return `out+=${this.#name()};`
    return `out=${this.#constants.use('addLong')}(run,out,${this.#constants.addDirectText(this.#state.pieces)});`
  }

  /** The same without the end of the text. */
  flushBut(end: string): string {
    const { text } = this
    if (this.isDue)
      this.#state = { ...this.#state, pieces: [text.slice(0, text.length - end.length)], name: '' }
    return this.flush()
  }

  /** Code that keeps what is due where a failure finds it. */
  note(): string {
    if (!this.isDue || this.#state.noted === 'all') return ''
    const name = this.#name()
    this.#state = { ...this.#state, noted: 'all' }
    return `due=${name};`
  }

  #name(): string {
    const { pieces, name, noted } = this.#state
    if (name !== '') return name
    const added = this.#constants.addText(pieces)
    this.#state = { pieces, name: added, noted }
    return added
  }
}
