import { at } from '../../util/at.js'
import { isLongText, LongText } from '../fast/byte-sink.js'
import type { TextCode } from '../fast/due-text.js'
import { inOnePiece } from '../format/in-one-piece.js'
import type { HelperName } from '../run/operations.js'
import type { Value } from '../value.js'

/** What a constant is, as the first part of its name. */
export type ConstantWord =
  | 'constant'
  | 'text'
  | 'name'
  | 'site'
  | 'fieldSite'
  | 'callSite'
  | 'builtinSite'
  | 'formatSite'

/** Up to this length a joined text is made in one piece. */
const LONGEST_COPY = 256

/** Static text, in pieces that may be part of several texts. */
interface StaticText {
  readonly index: number
  readonly pieces: readonly string[]
  /** It goes straight to where the render writes its bytes, if it is long. */
  readonly isDirect: boolean
}

/** What generated code cannot say itself: text, names, values and places, each known to it by an index only. */
export class Constants {
  /** The table that the generated code reads by index; its texts are put in once they are known to be used. */
  readonly #values: unknown[] = []
  readonly #texts: StaticText[] = []
  readonly #names: string[] = []
  readonly #helpers: HelperName[] = []

  /** The name under which the generated code finds a value. */
  add(value: unknown, word: ConstantWord = 'constant'): string {
    const name = constantName(word, this.#values.length)
    this.#values.push(value)
    this.#names.push(name)
    return name
  }

  /** The index of the next constant. */
  get count(): number {
    return this.#values.length
  }

  /** Adds static text, in pieces that may be part of several texts, and returns its code. */
  addText(pieces: readonly string[], isDirect = false): TextCode {
    const index = this.#values.length
    this.#texts.push({ index, pieces, isDirect })
    this.add('', 'text')
    return textCodeOf(index)
  }

  /** Adds static text that goes straight to where the render writes its bytes, if it is long. */
  addDirectText(pieces: readonly string[]): TextCode {
    return this.addText(pieces, true)
  }

  /** The name of a helper, which is thereby at hand. */
  use(helper: HelperName): string {
    // They are few.
    if (!this.#helpers.includes(helper)) this.#helpers.push(helper)
    return helper
  }

  /** Helpers in use, in the order of their first use. */
  get helpers(): readonly HelperName[] {
    return this.#helpers
  }

  /** The value of each name, for people: texts in one piece, everything else as it is. */
  get shown(): readonly unknown[] {
    const shown = this.#values.slice()
    for (const { index, pieces } of this.#texts) shown[index] = pieces.join('')
    return shown
  }

  /** The name of each entry. */
  get names(): readonly string[] {
    return this.#names
  }

  /** The table itself. `output: 'json'` replaces static text by its escaped form. */
  values(escapeText: ((text: string) => string) | null): Value[] {
    const escaped = escapeText === null ? null : remembering(escapeText)
    const values: Value[] = this.#values.slice()
    for (const { index, pieces, isDirect } of this.#texts) {
      const text = joined(escaped === null ? pieces : pieces.map(escaped))
      values[index] = isDirect && isLongText(text) ? new LongText(text) : text
    }
    return values
  }
}

/** The name of the constant at an index. Those of most programs are made once (`bench:template`, parse and compile). */
export function constantName(word: ConstantWord, index: number): string {
  if (index >= KEPT_NAMES) return `${word}${index}`
  const names = NAMES[word]
  const name = names[index] ?? `${word}${index}`
  names[index] = name
  return name
}

/** The code of the static text at an index, which is made once as well. */
function textCodeOf(index: number): TextCode {
  const known = TEXT_CODES[index]
  if (known !== undefined) return known
  const name = constantName('text', index)
  const code: TextCode = { name, add: inOnePiece(`out+=${name};`), note: inOnePiece(`due=${name};`) }
  if (index < KEPT_NAMES) TEXT_CODES[index] = code
  return code
}

const TEXT_CODES: (TextCode | undefined)[] = []
const KEPT_NAMES = 100
const NAMES: Readonly<Record<ConstantWord, string[]>> = {
  constant: [],
  text: [],
  name: [],
  site: [],
  fieldSite: [],
  callSite: [],
  builtinSite: [],
  formatSite: [],
}

/** Long texts are chained, not copied: they may be part of many. */
function joined(pieces: readonly string[]): string {
  if (pieces.length === 1) return inOnePiece(at(pieces, 0))
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return length <= LONGEST_COPY ? pieces.join('') : pieces.reduce((text, piece) => text + piece, '')
}

function remembering(escapeText: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    if (text.length <= LONGEST_COPY) return escapeText(text)
    const escaped = known.get(text) ?? escapeText(text)
    known.set(text, escaped)
    return escaped
  }
}
