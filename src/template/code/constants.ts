import { isLongText, LongText } from '../run/byte-sink.js'
import type { Value } from '../value.js'

/** The declarations of a table's entries, to follow another declaration. */
export function constantNames(constants: Constants): string {
  let text = ''
  for (let i = 0; i < constants.size; i++) text += `,k${i}=c[${i}]`
  return text
}

/** Up to this length a joined text is made in one piece. */
const LONGEST_COPY = 256

/** One entry of the table that the generated code reads by index. */
type Entry =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'text' | 'direct-text'; readonly pieces: readonly string[] }

/** What generated code cannot say itself: text, names, values and places, each known to it by an index only. */
export class Constants {
  readonly #entries: Entry[] = []

  /** The name under which the generated code finds a value. */
  add(value: unknown): string {
    return this.#push({ kind: 'value', value })
  }

  /** The same for static text, in pieces that may be part of several texts. */
  addText(pieces: readonly string[]): string {
    return this.#push({ kind: 'text', pieces })
  }

  /** The same for static text that goes straight to where the render writes its bytes, if it is long. */
  addDirectText(pieces: readonly string[]): string {
    return this.#push({ kind: 'direct-text', pieces })
  }

  get size(): number {
    return this.#entries.length
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

  #push(entry: Entry): string {
    return `k${this.#entries.push(entry) - 1}`
  }
}

/** Long texts are chained, not copied: they may be part of many. */
function joined(pieces: readonly string[]): string {
  if (pieces.length === 1) return ownText(pieces[0] as string)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return length <= LONGEST_COPY ? pieces.join('') : pieces.reduce((text, piece) => text + piece, '')
}

/** The same text with characters of its own: one that points into the source takes longer to print. */
function ownText(text: string): string {
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
