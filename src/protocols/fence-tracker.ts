const NEWLINE = 0x0a
const TAB = 0x09
const SPACE = 0x20
const BACKTICK = 0x60
const TILDE = 0x7e
const SHORTEST_FENCE = 3

/**
 * Where on its line the text is: in the white space that begins it, in a run of backticks or tildes after that, behind
 * a run that opens or closes a fence, or anywhere else.
 */
type Place = 'indent' | 'run' | 'info' | 'closing' | 'elsewhere'

/**
 * Follows Markdown's code fences through text that comes in pieces. A fence begins a line with three or more backticks or
 * tildes, and ends with a line that has at least as many of the same and nothing else.
 */
export class FenceTracker {
  private place: Place = 'indent'
  /** The character of the current run, and how many there were. */
  private character = 0
  private count = 0
  /** Of the fence that is open. */
  private fence: { readonly character: number; readonly count: number } | undefined

  /** The text so far ended inside of a fence, or in the line that opens it. */
  get inside(): boolean {
    return this.fence !== undefined || this.place === 'info'
  }

  /** Goes on over a piece of text. */
  advance(text: string, from: number, to: number): void {
    let at = from
    while (at < to) {
      if (this.place === 'elsewhere' || this.place === 'info') at = this.skipLine(text, at, to)
      else {
        this.step(text.charCodeAt(at))
        at += 1
      }
    }
  }

  private skipLine(text: string, at: number, to: number): number {
    // A slice, so that no more is searched than this piece.
    const piece = text.slice(at, to)
    const newline = piece.indexOf('\n')
    const end = newline === -1 ? to : at + newline
    if (this.place === 'info' && this.character === BACKTICK && text.slice(at, end).includes('`')) {
      this.place = 'elsewhere'
    }
    if (end < to) {
      this.endLine()
      return end + 1
    }
    return to
  }

  private step(code: number): void {
    if (code === NEWLINE) this.endLine()
    else if (this.place === 'run' && code === this.character) this.count += 1
    else if (this.place === 'run') this.endRun(code)
    else if (code !== SPACE && code !== TAB) this.begin(code)
  }

  private begin(code: number): void {
    const mark = code === BACKTICK || code === TILDE
    this.place = mark && this.place === 'indent' ? 'run' : 'elsewhere'
    this.character = code
    this.count = 1
  }

  private endRun(code: number): void {
    const blank = code === SPACE || code === TAB || code === 0x0d
    if (this.closes()) this.place = blank ? 'closing' : 'elsewhere'
    else if (this.fence === undefined && this.count >= SHORTEST_FENCE) this.place = 'info'
    else this.place = 'elsewhere'
  }

  private endLine(): void {
    if (this.place === 'closing' || (this.place === 'run' && this.closes())) this.fence = undefined
    else if (this.opens()) this.fence = { character: this.character, count: this.count }
    this.place = 'indent'
  }

  private opens(): boolean {
    if (this.fence !== undefined) return false
    return this.place === 'info' || (this.place === 'run' && this.count >= SHORTEST_FENCE)
  }

  private closes(): boolean {
    return (
      this.fence !== undefined && this.character === this.fence.character && this.count >= this.fence.count
    )
  }
}
