const QUOTE = 0x22
const BACKSLASH = 0x5c
const LESS_THAN = 0x3c
const LIST_OPEN = 0x5b
const LIST_CLOSE = 0x5d
const OBJECT_OPEN = 0x7b
const OBJECT_CLOSE = 0x7d

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
  private inString = false
  private escaped = false

  /**
   * Scans on from an offset. Returns where it stopped: behind the closing brace (`done`), at a `<` outside of
   * strings, which no JSON has, or at the end of the text.
   */
  scan(text: string, from: number): number {
    let at = from
    while (at < text.length && !this.done) {
      if (this.inString) at = this.scanString(text, at)
      else {
        at = this.scanOutside(text, at)
        if (!this.inString) return at
      }
    }
    return at
  }

  private scanString(text: string, from: number): number {
    let at = this.escaped ? from + 1 : from
    for (;;) {
      // Far faster than character by character: files and texts are most of what calls carry.
      const quote = text.indexOf('"', at)
      this.escaped = endsEscaping(text, at, quote === -1 ? text.length : quote)
      if (quote === -1) return text.length
      at = quote + 1
      if (!this.escaped) {
        this.inString = false
        return at
      }
      this.escaped = false
    }
  }

  /** Stops behind the opening quote of a string, too. */
  private scanOutside(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) {
        this.inString = true
        return at + 1
      }
      if (code === LESS_THAN) return at
      if (code === OBJECT_OPEN || code === LIST_OPEN) this.enter()
      else if (code === OBJECT_CLOSE || code === LIST_CLOSE) {
        this.depth -= 1
        if (this.depth <= 0) {
          this.done = true
          return at + 1
        }
      }
    }
    return text.length
  }

  private enter(): void {
    this.depth += 1
    if (this.depth > this.deepest) this.deepest = this.depth
  }
}

/** Whether the character behind `to` is escaped: an odd number of backslashes stands in front of it. */
export function endsEscaping(text: string, from: number, to: number): boolean {
  let at = to
  while (at > from && text.charCodeAt(at - 1) === BACKSLASH) at -= 1
  return (to - at) % 2 === 1
}

/** An object found in other text. */
export interface FoundJson {
  readonly text: string
  /** It has its closing brace; otherwise the text goes to its end. */
  readonly complete: boolean
  readonly depth: number
}

/** The first object in a text, whatever stands around it; undefined without a `{`. Its insides are not checked. */
export function firstJson(text: string): FoundJson | undefined {
  const start = text.indexOf('{')
  if (start === -1) return undefined
  const scan = new JsonScan()
  let at = scan.scan(text, start)
  while (!scan.done && at < text.length) at = scan.scan(text, at + 1)
  return { text: text.slice(start, at), complete: scan.done, depth: scan.deepest }
}
