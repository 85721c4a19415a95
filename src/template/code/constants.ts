import { at } from '../../util/at.js'
import { isLongText, LongText } from '../fast/byte-sink.js'
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

/** Shorter slices of a text are copies in any case. */
const SHORTEST_SLICE = 13

/** One entry of the table that the generated code reads by index. */
type Entry =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'text' | 'direct-text'; readonly pieces: readonly string[] }

/** What generated code cannot say itself: text, names, values and places, each known to it by an index only. */
export class Constants {
  readonly #entries: Entry[] = []
  readonly #names: string[] = []
  readonly #helpers = new Set<HelperName>()

  /** The name under which the generated code finds a value. */
  add(value: unknown, word: ConstantWord = 'constant'): string {
    return this.#push({ kind: 'value', value }, word)
  }

  /** The same for static text, in pieces that may be part of several texts. */
  addText(pieces: readonly string[]): string {
    return this.#push({ kind: 'text', pieces }, 'text')
  }

  /** The same for static text that goes straight to where the render writes its bytes, if it is long. */
  addDirectText(pieces: readonly string[]): string {
    return this.#push({ kind: 'direct-text', pieces }, 'text')
  }

  /** The name of a helper, which is thereby at hand. */
  use(helper: HelperName): string {
    this.#helpers.add(helper)
    return helper
  }

  /** Helpers in use, in the order of their first use. */
  get helpers(): Iterable<HelperName> {
    return this.#helpers
  }

  /** The value of each name, for people: texts in one piece, everything else as it is. */
  get shown(): readonly unknown[] {
    return this.#entries.map((entry) => (entry.kind === 'value' ? entry.value : entry.pieces.join('')))
  }

  /** The name of each entry. */
  get names(): readonly string[] {
    return this.#names
  }

  /** The table itself. `output: 'json'` replaces static text by its escaped form. */
  values(escapeText: ((text: string) => string) | null): Value[] {
    const escaped = escapeText === null ? asItIs : remembering(escapeText)
    return this.#entries.map((entry) => {
      if (entry.kind === 'value') return entry.value
      const text = joined(entry.pieces.map(escaped))
      return entry.kind === 'direct-text' && isLongText(text) ? new LongText(text) : text
    })
  }

  #push(entry: Entry, word: ConstantWord): string {
    const name = `${word}${this.#entries.push(entry) - 1}`
    this.#names.push(name)
    return name
  }
}

/** Long texts are chained, not copied: they may be part of many. */
function joined(pieces: readonly string[]): string {
  if (pieces.length === 1) return ownText(at(pieces, 0))
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return length <= LONGEST_COPY ? pieces.join('') : pieces.reduce((text, piece) => text + piece, '')
}

/** The same text with characters of its own: one that points into the source takes longer to print. */
function ownText(text: string): string {
  if (text.length < SHORTEST_SLICE) return text
  return [text.slice(0, 1), text.slice(1)].join('')
}

function asItIs(text: string): string {
  return text
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
