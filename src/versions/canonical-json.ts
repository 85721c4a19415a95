import { isJsonObject, stringifyJson } from '../util/json/json.js'
import { runNow, type Sliced } from '../util/slices/sliced.js'
import { sortInPieces } from '../util/slices/sort-in-pieces.js'

/** Characters that are written before others may have their turn. */
const PIECE = 32_768

/** Takes the text as it is written, piece by piece. */
export type TextSink = (piece: string) => void

/**
 * JSON text by RFC 8785: no white space, properties in the order of their UTF-16 code units, numbers as ECMAScript
 * prints them. Two differences: an integer beyond 2^53 (bigint) keeps its digits, and a lone surrogate is written as
 * its escape rather than refused.
 */
export function jcsText(value: unknown): string {
  const pieces: string[] = []
  runNow(writeCanonicalJson(value, (piece) => pieces.push(piece)))
  return pieces.join('')
}

/** Writes the same text in pieces, and may stop after each of them. */
export function* writeCanonicalJson(value: unknown, sink: TextSink): Sliced<void> {
  const writer = new CanonicalWriter(sink)
  yield* writer.write(value)
  writer.flush()
}

class CanonicalWriter {
  readonly #sink: TextSink
  #text = ''

  constructor(sink: TextSink) {
    this.#sink = sink
  }

  flush(): void {
    this.#sink(this.#text)
    this.#text = ''
  }

  *write(value: unknown): Sliced<void> {
    if (Array.isArray(value)) yield* this.#writeItems(value)
    else if (isJsonObject(value)) yield* this.#writeMembers(value)
    else this.#text += stringifyJson(value ?? null)
    if (this.#text.length >= PIECE) yield this.flush()
  }

  *#writeItems(items: readonly unknown[]): Sliced<void> {
    this.#text += '['
    for (const [index, item] of items.entries()) {
      if (index > 0) this.#text += ','
      yield* this.write(item)
    }
    this.#text += ']'
  }

  *#writeMembers(object: Readonly<Record<string, unknown>>): Sliced<void> {
    const names = Object.keys(object).filter((name) => object[name] !== undefined)
    this.#text += '{'
    let separator = ''
    for (const name of yield* sortInPieces(names)) {
      this.#text += `${separator}${JSON.stringify(name)}:`
      separator = ','
      yield* this.write(object[name])
    }
    this.#text += '}'
  }
}
