/** Characters of JSON text by their code. */
export const DOUBLE_QUOTE = 0x22
export const COMMA = 0x2c
export const MINUS = 0x2d
export const ZERO = 0x30
export const NINE = 0x39
export const COLON = 0x3a
export const LIST_OPEN = 0x5b
export const BACKSLASH = 0x5c
export const LIST_CLOSE = 0x5d
export const OBJECT_OPEN = 0x7b
export const OBJECT_CLOSE = 0x7d

/** What `JsonCursor.next` returns where there is nothing more to stop at. */
export const NO_MORE = -1

const BLANK = /[ \t\r\n]*/y
const SPACE = 0x20
/** All characters of JSON outside of its strings are below this. */
const ASCII = 0x80

/** Characters that a cursor stops at, by their codes. */
export type CursorStops = Uint8Array

/** The stops of a cursor: ASCII characters, among which quotes are understood. */
export function stopsAt(characters: string): CursorStops {
  const stops = new Uint8Array(ASCII)
  for (const character of characters) stops[character.charCodeAt(0)] = 1
  stops[DOUBLE_QUOTE] = 1
  return stops
}

/** Stops at brackets, commas and colons. */
export const STRUCTURE = stopsAt('[]{},:')

/**
 * The scanner of JSON text: goes from stop to stop outside of strings, in time linear in the text, and can be left and
 * continued anywhere, also in another text that begins where the last one ended. It does not ask whether the text is JSON:
 * that is for `JSON.parse`, `readJson` and `isJsonText` to say.
 */
export class JsonCursor {
  /** Behind what was gone over. */
  at: number
  /** Inside of a string. */
  private isInString = false
  /** Behind a backslash that escapes what comes next, at the end of a text. */
  private isEscaped = false
  private readonly stops: CursorStops

  constructor(stops: CursorStops, at = 0) {
    this.stops = stops
    this.at = at
  }

  /**
   * Goes behind the next stop and returns its code; `NO_MORE` where none begins before `end`. A string is passed up to the
   * next of its quotes, wherever that is.
   */
  next(text: string, end: number): number {
    const { stops } = this
    if (this.isInString && !this.leaveString(text, end)) return NO_MORE
    let { at } = this
    while (at < end) {
      const code = text.charCodeAt(at)
      at += 1
      if (code >= ASCII || stops[code] !== 1) continue
      if (code !== DOUBLE_QUOTE) {
        this.at = at
        return code
      }
      const quote = text.indexOf('"', at)
      // Most strings end at the next quote.
      if (quote !== -1 && text.charCodeAt(quote - 1) !== BACKSLASH) {
        at = quote + 1
        continue
      }
      this.at = at
      this.isInString = true
      if (!this.leaveString(text, end)) return NO_MORE
      at = this.at
    }
    this.at = at
    return NO_MORE
  }

  /** Goes behind the quote that ends the string; false where the text, or the part of it up to `end`, ends before. */
  private leaveString(text: string, end: number): boolean {
    let { at } = this
    if (this.isEscaped && at < end) {
      this.isEscaped = false
      at += 1
    }
    while (at < end) {
      // Far faster than character by character: files and texts are most of what JSON carries.
      const quote = text.indexOf('"', at)
      const isEscaped = endsEscaping(text, at, quote === -1 ? text.length : quote)
      if (quote === -1) {
        this.at = text.length
        this.isEscaped = isEscaped
        return false
      }
      at = quote + 1
      if (isEscaped) continue
      this.at = at
      this.isInString = false
      return true
    }
    this.at = at
    return false
  }
}

/** Behind the quote that ends a string, whose first quote is at `start`; undefined where the text ends before. */
export function endOfString(text: string, start: number): number | undefined {
  let quote = text.indexOf('"', start + 1)
  while (quote !== -1 && endsEscaping(text, start + 1, quote)) quote = text.indexOf('"', quote + 1)
  return quote === -1 ? undefined : quote + 1
}

/** Whether the character behind `to` is escaped: an odd number of backslashes precedes it. */
export function endsEscaping(text: string, from: number, to: number): boolean {
  let at = to
  while (at > from && text.charCodeAt(at - 1) === BACKSLASH) at -= 1
  return (to - at) % 2 === 1
}

/** Behind the blanks that begin at a place. */
export function skipBlank(text: string, from: number): number {
  // Most values follow at once; `NaN` at the end of the text.
  if (!(text.charCodeAt(from) <= SPACE)) return from
  BLANK.lastIndex = from
  BLANK.test(text)
  return BLANK.lastIndex
}
