import { COLON, COMMA, JsonCursor, LIST_OPEN, NO_MORE, OBJECT_OPEN, STRUCTURE } from '../util/json/cursor.js'

/** What JSON may hold that a library parses in one piece. */
export interface ByteBounds {
  /** Of a whole body, or of one event of an event stream. */
  readonly maxBytes: number
  /** List elements, and names and values of objects, nested ones included. */
  readonly maxValues: number
  readonly maxDepth: number
}

/** Goes through the bytes of JSON, or of events that carry it, before somebody else parses them. */
export class JsonByteBounds {
  readonly #bounds: ByteBounds
  readonly #isEvents: boolean
  #cursor = new JsonCursor(STRUCTURE)
  #bytes = 0
  #values = 0
  #depth = 0
  #isLineStart = false

  /** @param isEvents an empty line starts a new count */
  constructor(bounds: ByteBounds, isEvents: boolean) {
    this.#bounds = bounds
    this.#isEvents = isEvents
  }

  /** Takes the next bytes; which bound they break, if any. */
  push(chunk: Uint8Array): keyof ByteBounds | undefined {
    // A character for each byte: all that bounds a value is ASCII, and no part of another character looks like it.
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
    if (!this.#isEvents) return this.#take(text)
    for (let from = 0; from < text.length; ) {
      const lineFeed = text.indexOf('\n', from)
      const end = lineFeed === -1 ? text.length : lineFeed + 1
      const line = text.slice(from, end)
      const broken = this.#endsEvent(line) ? this.#reset() : this.#take(line)
      if (broken !== undefined) return broken
      from = end
    }
    return undefined
  }

  /** What is wrong is said of the piece as a whole: of more than one bound, the first in this order. */
  #take(text: string): keyof ByteBounds | undefined {
    const { maxBytes, maxValues, maxDepth } = this.#bounds
    const cursor = this.#cursor
    cursor.at = 0
    this.#bytes += text.length
    if (this.#bytes > maxBytes) return 'maxBytes'
    for (let code = cursor.next(text, text.length); code !== NO_MORE; code = cursor.next(text, text.length)) {
      if (code === COMMA || code === COLON) this.#values += 1
      else this.#depth += code === OBJECT_OPEN || code === LIST_OPEN ? 1 : -1
      if (this.#values > maxValues) return 'maxValues'
      if (this.#depth > maxDepth) return 'maxDepth'
    }
    return undefined
  }

  /** Whether this is the empty line that ends an event. A line may come in parts. */
  #endsEvent(line: string): boolean {
    const [isEmpty, isWhole] = [/^\r*\n?$/.test(line), line.endsWith('\n')]
    const isEnd = isEmpty && isWhole && this.#isLineStart
    if (isWhole || !isEmpty) this.#isLineStart = isWhole
    return isEnd
  }

  #reset(): undefined {
    this.#bytes = 0
    this.#values = 0
    this.#depth = 0
    this.#cursor = new JsonCursor(STRUCTURE)
  }
}
