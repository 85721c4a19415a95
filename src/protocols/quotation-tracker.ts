const NEWLINE = 0x0a
const TAB = 0x09
const SPACE = 0x20
const RETURN = 0x0d
const BACKTICK = 0x60
const TILDE = 0x7e
const GREATER = 0x3e
const SHORTEST_FENCE = 3
/** Characters directly before a quoted tag. */
const QUOTATION_MARKS = new Set('"\'“”‘’«»„「『'.split('').map((mark) => mark.charCodeAt(0)))
const CLOSING = new Set('>]})'.split('').map((bracket) => bracket.charCodeAt(0)))
const MARK = /[\n`]/

/**
 * Where on its line the text is: in the white space that begins it, in a run of backticks or tildes after that, behind
 * a run that opens or closes a fence, or anywhere else.
 */
type Place = 'indent' | 'run' | 'info' | 'closing' | 'elsewhere'

/**
 * Follows what quotes other text, through text that comes in pieces: Markdown's code fences, code between backticks, block
 * quotes, and quotation marks directly in front of a tag.
 *
 * A fence begins a line with three or more backticks or tildes, and ends with a line that has at least as many of the same
 * and nothing else. Backticks quote to the next run of as many, and to the end of the line at most; a line that begins with
 * `>` is quoted. If something in them looked like a tag, both extend to the next blank line, for a call of several lines.
 */
export class QuotationTracker {
  private place: Place = 'indent'
  /** The character of the current run, and how many there were. */
  private character = 0
  private count = 0
  /** Of the fence that is open. */
  private fence: { readonly character: number; readonly count: number } | undefined
  /** The length of the run of backticks in the line, and of the one that opened a span; 0 without. */
  private ticks = 0
  private span = 0
  /** The line is quoted, or the whole paragraph. */
  private quoted: 'line' | 'paragraph' | 'marks' | undefined
  private last = 0

  /** The text so far ended inside of a quotation, or in the line that opens a fence. */
  get inside(): boolean {
    if (this.fence !== undefined || this.place === 'info' || this.quoted !== undefined) return true
    if (this.place === 'run') return this.character === BACKTICK || this.count >= SHORTEST_FENCE
    // A run that ends here opens a span, or closes one of the same length.
    return this.ticks === 0 ? this.span > 0 : this.span !== this.ticks
  }

  /** Processes a further piece of text. */
  advance(text: string, from: number, to: number): void {
    let at = from
    while (at < to) {
      if (this.quoted === 'marks') at = this.skipMarked(text, at, to)
      else if (this.place === 'info') at = this.skipInfo(text, at, to)
      else if (this.place === 'elsewhere') at = this.skipLine(text, at, to)
      else {
        this.step(text.charCodeAt(at))
        at += 1
      }
    }
    if (to > from) this.last = text.charCodeAt(to - 1)
  }

  /** Notes a tag at this place: if it is quoted, so is the rest of it. True if it is quoted. */
  quotes(): boolean {
    if (this.fence !== undefined || this.place === 'info') return true
    if (this.inside) {
      if (this.quoted !== 'marks') this.quoted = 'paragraph'
      return true
    }
    if (!QUOTATION_MARKS.has(this.last)) return false
    this.quoted = 'marks'
    return true
  }

  /** Between quotation marks: to the one behind a closing bracket, or to a blank line. */
  private skipMarked(text: string, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at)
      const previous = at > from ? text.charCodeAt(at - 1) : this.last
      if (
        (QUOTATION_MARKS.has(code) && CLOSING.has(previous)) ||
        (code === NEWLINE && previous === NEWLINE)
      ) {
        this.quoted = undefined
        this.place = code === NEWLINE ? 'indent' : 'elsewhere'
        return at + 1
      }
    }
    return to
  }

  private skipInfo(text: string, at: number, to: number): number {
    // A slice, so that no more is searched than this piece.
    const piece = text.slice(at, to)
    const newline = piece.indexOf('\n')
    const end = newline === -1 ? to : at + newline
    const tick = this.character === BACKTICK ? text.slice(at, end).indexOf('`') : -1
    if (tick !== -1) {
      this.place = 'elsewhere'
      this.span = this.count
      return at + tick
    }
    if (end === to) return to
    this.endLine()
    return end + 1
  }

  /** The rest of a line, in which only backticks count. */
  private skipLine(text: string, from: number, to: number): number {
    const code = text.charCodeAt(from)
    if (code === NEWLINE) {
      this.endLine()
      return from + 1
    }
    if (code === BACKTICK) {
      this.ticks += 1
      return from + 1
    }
    if (this.ticks > 0) this.endTicks()
    // A slice, so that no more is searched than this piece.
    const end = text.slice(from, to).search(MARK)
    return end === -1 ? to : from + end
  }

  /** A run of backticks is over: it opens a span, or closes the one of as many. */
  private endTicks(): void {
    if (this.span === 0) this.span = this.ticks
    else if (this.span === this.ticks) {
      this.span = 0
      if (this.quoted === 'paragraph') this.quoted = undefined
    }
    this.ticks = 0
  }

  private step(code: number): void {
    if (code === NEWLINE) this.endLine()
    else if (this.place === 'run' && code === this.character) this.count += 1
    else if (this.place === 'run') this.endRun(code)
    else if (code !== SPACE && code !== TAB && (code !== RETURN || this.place === 'elsewhere'))
      this.begin(code)
  }

  private begin(code: number): void {
    const mark = code === BACKTICK || code === TILDE
    const indented = this.place === 'indent'
    if (indented && code === GREATER && this.fence === undefined) this.quoted ??= 'line'
    this.place = mark && indented ? 'run' : 'elsewhere'
    this.character = code
    this.count = 1
    if (this.place === 'elsewhere' && code === BACKTICK && this.fence === undefined) this.ticks = 1
  }

  private endRun(code: number): void {
    const blank = code === SPACE || code === TAB || code === RETURN
    if (this.closes()) this.place = blank ? 'closing' : 'elsewhere'
    else if (this.fence === undefined && this.count >= SHORTEST_FENCE) this.place = 'info'
    else {
      this.place = 'elsewhere'
      if (this.fence === undefined && this.character === BACKTICK) {
        this.ticks = this.count
        this.endTicks()
      }
    }
  }

  private endLine(): void {
    const blank = this.place === 'indent'
    const isRun = this.place === 'run' && this.character === BACKTICK && this.count < SHORTEST_FENCE
    if (isRun && this.fence === undefined) this.ticks = this.count
    if (this.place === 'closing' || (this.place === 'run' && this.closes())) this.fence = undefined
    else if (this.opens()) this.fence = { character: this.character, count: this.count }
    this.place = 'indent'
    if (this.quoted === 'line' || blank) this.quoted = undefined
    // A run at the end of its line may quote the lines behind it.
    if (this.ticks > 0) this.endTicks()
    else if (this.quoted === undefined) this.span = 0
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
