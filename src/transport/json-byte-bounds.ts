/** What JSON may hold that a library parses in one piece. */
export interface ByteBounds {
  /** Of a whole body, or of one event of an event stream. */
  readonly maxBytes: number
  /** List elements, and names and values of objects, nested ones included. */
  readonly maxValues: number
  readonly maxDepth: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const LINE_FEED = 10
const CARRIAGE_RETURN = 13
/** `[` and `{` less `]` and `}`, by byte. */
const DEPTHS: ReadonlyMap<number, number> = new Map([
  [0x5b, 1],
  [0x7b, 1],
  [0x5d, -1],
  [0x7d, -1],
])

/** From this length on a string is gone through by a search for its end. */
const LONG_STRING = 32

/** Where a string may end, be escaped, or be broken off by the end of an event; each byte of a chunk is looked at once. */
class Marks {
  readonly #chunk: Uint8Array
  readonly #next: Map<number, number>

  constructor(chunk: Uint8Array, isEvents: boolean) {
    this.#chunk = chunk
    this.#next = new Map(
      [QUOTE, BACKSLASH, ...(isEvents ? [LINE_FEED, CARRIAGE_RETURN] : [])].map((byte) => [byte, -1]),
    )
  }

  /** The first mark after a place, or the end of the chunk. */
  after(place: number): number {
    let first = this.#chunk.length
    for (const [byte, known] of this.#next) {
      const next = known > place ? known : this.#find(byte, place + 1)
      if (next < first) first = next
    }
    return first
  }

  #find(byte: number, from: number): number {
    const found = this.#chunk.indexOf(byte, from)
    const next = found < 0 ? this.#chunk.length : found
    this.#next.set(byte, next)
    return next
  }
}

/** Goes through the bytes of JSON, or of events that carry it, before somebody else parses them. */
export class JsonByteBounds {
  readonly #bounds: ByteBounds
  readonly #isEvents: boolean
  #bytes = 0
  #values = 0
  #depth = 0
  #isInString = false
  /** Bytes of the present string so far. */
  #inString = 0
  #isEscaped = false
  #isLineStart = false

  /** @param isEvents an empty line starts a new count */
  constructor(bounds: ByteBounds, isEvents: boolean) {
    this.#bounds = bounds
    this.#isEvents = isEvents
  }

  /** Takes the next bytes; which bound they break, if any. */
  push(chunk: Uint8Array): keyof ByteBounds | undefined {
    const { maxBytes, maxValues, maxDepth } = this.#bounds
    const marks = new Marks(chunk, this.#isEvents)
    for (let at = 0; at < chunk.length; at += 1) {
      this.#take(chunk[at] ?? 0)
      if (this.#bytes > maxBytes) return 'maxBytes'
      if (this.#values > maxValues) return 'maxValues'
      if (this.#depth > maxDepth) return 'maxDepth'
      if (this.#isInString && !this.#isEscaped && this.#inString >= LONG_STRING) {
        const next = marks.after(at)
        if (next === at + 1) continue
        this.#bytes += next - at - 1
        this.#isLineStart = false
        at = next - 1
      }
    }
    return this.#bytes > maxBytes ? 'maxBytes' : undefined
  }

  #take(byte: number): void {
    this.#bytes += 1
    if (this.#isEvents) this.#takeLineEnd(byte)
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === QUOTE) {
      this.#isInString = !this.#isInString
      this.#inString = 0
    } else if (this.#isInString) {
      this.#inString += 1
      this.#isEscaped = byte === BACKSLASH
    } else if (byte === COMMA || byte === COLON) this.#values += 1
    else this.#depth += DEPTHS.get(byte) ?? 0
  }

  #takeLineEnd(byte: number): void {
    if (byte === LINE_FEED && this.#isLineStart) this.#reset()
    if (byte !== CARRIAGE_RETURN) this.#isLineStart = byte === LINE_FEED
  }

  #reset(): void {
    this.#bytes = 0
    this.#values = 0
    this.#depth = 0
    this.#isInString = false
    this.#isEscaped = false
  }
}
