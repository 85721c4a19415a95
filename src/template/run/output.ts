import type { RenderOptions, TemplateError } from '../api.js'
import type { ByteSink, LongText } from '../fast/byte-sink.js'
import type { SeenTexts } from '../fast/known-ascii.js'
import { flattened } from '../format/in-one-piece.js'
import { outputLimit } from '../limit-errors.js'
import { type Site, withPartial } from '../site.js'
import type { Value } from '../value.js'
import { follow, Pending } from './pending.js'
import { type Segment, Segments } from './segments.js'
import { Warnings } from './warnings.js'

/** A failure met while output before it was pending, with the output after that. */
interface Unjoined {
  readonly error: TemplateError
  readonly output: string
}

/** Output longer than this is set aside at the next look at the clock. */
const CHUNK_LENGTH = 1 << 14

/**
 * What a render wrote before the text that generated code has at hand, which is passed to and from here: mostly
 * nothing. Lengths are in UTF-16 units.
 */
export class Output implements SeenTexts {
  /** Whether it is the inside of a JSON string. */
  readonly json: boolean
  /** Whether everything that was escaped for it was ASCII; unknown for output that is not JSON. */
  isAscii: boolean
  /** What comes before the current text, once something asynchronous was printed or a long text was set aside. */
  #segments: Segments | null = null
  /** The length of what is set aside. */
  flushed = 0
  /** Where the output goes that comes before all segments, in a render that writes its bytes as it goes. */
  sink: ByteSink | null = null
  /** A value to print in time slices. */
  large: Value = null
  unjoined: Unjoined | null = null
  readonly #maxLength: number
  readonly #maxWidth: number
  readonly #onWarning: RenderOptions['onWarning']
  #warnings: Warnings | null = null

  constructor(json: boolean, maxLength: number, maxWidth: number, onWarning: RenderOptions['onWarning']) {
    this.json = json
    this.isAscii = json
    this.#maxLength = maxLength
    this.#maxWidth = maxWidth
    this.#onWarning = onWarning
  }

  /** What the render says of itself when it is over. */
  get warnings(): Warnings {
    this.#warnings ??= new Warnings(this.#onWarning, this.#maxWidth)
    return this.#warnings
  }

  /** What comes before the current text, in its order. */
  get segments(): Iterable<Segment> {
    return this.#segments ?? []
  }

  /** How many segments there are: the index of the next one. */
  get count(): number {
    return this.#segments?.count ?? 0
  }

  /** Empty again. */
  reset(): void {
    this.#segments = null
    this.flushed = 0
    this.sink = null
    this.unjoined = null
    this.isAscii = this.json
  }

  /** @throws TemplateError if the output is longer than it may be */
  check(text: string, site: Site): void {
    if (this.flushed + text.length > this.#maxLength) throw outputLimit(site, this.#maxLength)
  }

  /** Adds a segment for a pending result, which is printed there. @returns the text to continue with, like all methods below */
  addPending(text: string, pending: Pending): string {
    this.#segments ??= new Segments()
    this.#segments.add(text, pending)
    this.flushed += text.length
    return ''
  }

  /** Adds a mark for a pending result that is not printed there: its failure ends the output at this place. */
  addMark(text: string, pending: Pending): string {
    const mark = new Pending()
    mark.$origin = pending
    follow(
      mark,
      pending.$promise.then(() => ''),
    )
    return this.addPending(text, mark)
  }

  /** Sets a long text aside in one piece: as a chain of a million pieces it would keep the collector busy. */
  setAside(text: string): string {
    if (text.length <= CHUNK_LENGTH) return text
    this.#segments ??= new Segments()
    this.#segments.add(flattened(text))
    this.flushed += text.length
    return ''
  }

  /** Adds a long text, straight to its bytes if there is room. */
  writeLong(text: string, long: LongText): string {
    if (this.sink === null || this.#segments !== null) return text + long.text
    if (this.sink.write(text, long)) {
      this.flushed += text.length + long.text.length
      return ''
    }
    this.#segments = new Segments()
    this.#segments.add(this.sink.text)
    this.sink = null
    return text + long.text
  }

  /** A failure with all output before it. */
  failed(failure: TemplateError, text: string): TemplateError {
    if (failure.partial !== '' || failure === this.unjoined?.error) return failure
    const whole = withPartial(failure, this.before(text))
    this.unjoined = { error: whole, output: text }
    return whole
  }

  /** The output up to the first result that is still pending. */
  before(text: string): string {
    return this.sink === null ? this.unwritten(text) : this.sink.text + this.unwritten(text)
  }

  /** The output before a text, without what is in the sink. */
  unwritten(text: string): string {
    return this.#segments?.beforePending(text) ?? text
  }

  /** Replaces pending results, from the index of a segment on, by their texts, as far as those are known. */
  fill(start: number, textOf: (pending: Pending) => string | undefined): void {
    this.#segments?.fill(start, (pending) => {
      const text = textOf(pending)
      this.flushed += text?.length ?? 0
      return text
    })
  }
}
