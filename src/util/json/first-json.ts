import { JsonCursor, LIST_CLOSE, LIST_OPEN, NO_MORE, OBJECT_CLOSE, OBJECT_OPEN, stopsAt } from './cursor.js'

const LESS_THAN = 0x3c
/** Brackets, and the beginning of a tag. */
const STOPS = stopsAt('[]{}<')

/**
 * Finds where an object that begins with `{` ends, and knows strings and escapes while it does. It may be fed in
 * pieces: the state stays between calls.
 */
export class JsonScan {
  /** The object is closed. */
  done = false
  /** How deep it was nested at most. */
  deepest = 0
  private depth = 0
  private readonly cursor = new JsonCursor(STOPS)

  /**
   * Scans on from an offset. Returns where it stopped: behind the closing brace (`done`), at a `<` outside of
   * strings, which no JSON has, or at the end of the text.
   */
  scan(text: string, from: number): number {
    const { cursor } = this
    cursor.at = from
    while (!this.done) {
      const code = cursor.next(text, text.length)
      if (code === NO_MORE) return text.length
      if (code === LESS_THAN) return cursor.at - 1
      if (code === OBJECT_OPEN || code === LIST_OPEN) this.enter()
      else if (code === OBJECT_CLOSE || code === LIST_CLOSE) this.leave()
    }
    return cursor.at
  }

  private enter(): void {
    this.depth += 1
    if (this.depth > this.deepest) this.deepest = this.depth
  }

  private leave(): void {
    this.depth -= 1
    this.done = this.depth <= 0
  }
}

/** An object found in other text. */
export interface FoundJson {
  readonly text: string
  /** It has its closing brace; otherwise the text goes to its end. */
  readonly complete: boolean
  readonly depth: number
}

/** The first object in a text, whatever is around it; undefined without a `{`. Its insides are not checked. */
export function firstJson(text: string): FoundJson | undefined {
  const start = text.indexOf('{')
  if (start === -1) return undefined
  const scan = new JsonScan()
  let at = scan.scan(text, start)
  while (!scan.done && at < text.length) at = scan.scan(text, at + 1)
  return { text: text.slice(start, at), complete: scan.done, depth: scan.deepest }
}
