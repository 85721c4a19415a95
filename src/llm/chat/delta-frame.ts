import { type JsonObject, own } from '../../util/json/json.js'

/** What a delta says, and where: in the text of the answer, or in a thought. */
export interface SaidPiece {
  readonly kind: 'text' | 'reasoning'
  readonly piece: string
}

interface Frame {
  readonly kind: SaidPiece['kind']
  readonly before: string
  readonly behind: string
}

/** Where a delta has text, and what directly precedes it. */
const PLACES = [
  { key: 'content', kind: 'text', start: /"content": ?"/ },
  { key: 'reasoning_content', kind: 'reasoning', start: /"reasoning_content": ?"/ },
  { key: 'reasoning', kind: 'reasoning', start: /"reasoning": ?"/ },
] as const
/** Characters that JSON strings escape. */
const ESCAPED = /["\\\0-\x1f]/
/** After this many frames that no other event had, no frame is looked for any more. */
const MAX_VAIN = 8

/**
 * The events of a stream mostly differ in the words of their deltas only. One that has the same text around its words as
 * the last that was parsed is read without parsing it: the rows "rescue" of `npm run bench:protocols`.
 */
export class DeltaFrame {
  #frame: Frame | undefined
  #vain = 0

  /** What an event says; undefined where it must be parsed. */
  read(event: Buffer): SaidPiece | undefined {
    const frame = this.#frame
    if (frame === undefined) return undefined
    const written = event.toString('utf8')
    if (!fits(written, frame)) return undefined
    const piece = written.slice(frame.before.length, written.length - frame.behind.length)
    const said = ESCAPED.test(piece) ? unescaped(piece) : piece
    if (said === undefined) return undefined
    this.#vain = 0
    return { kind: frame.kind, piece: said }
  }

  /**
   * Where an event ends that is as the last that was learned, but for its words, which have no escapes; -1 for any other.
   *
   * @param text in which it begins at `start`
   */
  endOf(text: string, start: number): number {
    const frame = this.#frame
    if (frame === undefined) return -1
    const { before, behind } = frame
    const from = start + before.length
    // With a quote begins what is behind the words.
    const to = text.indexOf('"', from)
    const end = to + behind.length
    if (to === -1 || text.slice(start, from) !== before || text.slice(to, end) !== behind) return -1
    if (ESCAPED.test(text.slice(from, to))) return -1
    this.#vain = 0
    return end
  }

  /** Takes the frame of an event that was parsed, if its delta has words in one place. */
  learn(event: Buffer | string, delta: JsonObject): void {
    if (this.#vain === MAX_VAIN) return
    const written = typeof event === 'string' ? event : event.toString('utf8')
    if (this.#frame !== undefined && fits(written, this.#frame)) return
    this.#vain += 1
    this.#frame = frameOf(written, delta)
  }
}

/** The contents of a JSON string; undefined if the string ends early or is invalid. */
function unescaped(piece: string): string | undefined {
  try {
    const text: unknown = JSON.parse(`"${piece}"`)
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}

/** Parts are compared whole: `startsWith` with a text that is not in the code takes three times as long, character by character. */
function fits(written: string, { before, behind }: Frame): boolean {
  const to = written.length - behind.length
  return to >= before.length && written.slice(0, before.length) === before && written.slice(to) === behind
}

function frameOf(written: string, delta: JsonObject): Frame | undefined {
  const said = PLACES.flatMap((place) => {
    const piece = own(delta, place.key)
    return typeof piece === 'string' && piece !== '' ? [{ ...place, piece }] : []
  })
  const [only] = said
  if (only === undefined || said.length > 1 || ESCAPED.test(only.piece)) return undefined
  const [, words, ...others] = written.split(only.start)
  // Elsewhere in the event the same name would be another's.
  if (words === undefined || others.length > 0 || !words.startsWith(`${only.piece}"`)) return undefined
  const before = written.slice(0, written.length - words.length)
  return { kind: only.kind, before: flat(before), behind: flat(words.slice(only.piece.length)) }
}

/** The same text in a place of its own: a part of another one would keep all of it. */
function flat(text: string): string {
  return Buffer.from(text).toString()
}
