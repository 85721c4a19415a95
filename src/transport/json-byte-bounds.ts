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

/** Goes through the bytes of JSON, or of events that carry it, before somebody else parses them. */
export class JsonByteBounds {
  readonly #bounds: ByteBounds
  readonly #isEvents: boolean
  #bytes = 0
  #values = 0
  #depth = 0
  #isInString = false
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
    for (const byte of chunk) {
      this.#take(byte)
      if (this.#bytes > maxBytes) return 'maxBytes'
      if (this.#values > maxValues) return 'maxValues'
      if (this.#depth > maxDepth) return 'maxDepth'
    }
    return undefined
  }

  #take(byte: number): void {
    this.#bytes += 1
    if (this.#isEvents) this.#takeLineEnd(byte)
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === QUOTE) this.#isInString = !this.#isInString
    else if (this.#isInString) this.#isEscaped = byte === BACKSLASH
    else if (byte === COMMA || byte === COLON) this.#values += 1
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
