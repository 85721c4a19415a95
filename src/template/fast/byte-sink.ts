// Gain: `bench:template`, "system prompt of 8 KB" to bytes 0.95 → 0.22 µs. On in one line: `ProgramCode.direct`.

import { isAscii, writeBytes } from '../format/byte-string.js'
import { fromBytes } from '../format/from-bytes.js'

/** Static text from this length on is kept as bytes too: copying them is faster than adding the text to the output. */
const LONG_TEXT = 512
/** Up to this length a loop over the characters is faster than a call of the encoder. */
const SHORT_TEXT = 40
const ENCODER = new TextEncoder()

/** A long static text with its bytes. */
export class LongText {
  readonly text: string
  readonly bytes: Uint8Array
  /** Of the bytes, at hand: to ask an array for its length takes as long as writing some characters. */
  readonly size: number

  constructor(text: string) {
    this.text = text
    this.bytes = ENCODER.encode(text)
    this.size = this.bytes.length
  }
}

/** Whether a text of the source is worth its bytes; only ASCII never joins characters with its neighbours. */
export function isLongText(text: string): boolean {
  return text.length >= LONG_TEXT && isAscii(text)
}

/** Where a render writes its bytes as it goes. */
export class ByteSink {
  readonly #target: Uint8Array
  readonly #size: number
  #length = 0

  constructor(target: Uint8Array) {
    this.#target = target
    this.#size = target.length
  }

  /** What was written, as text. */
  get text(): string {
    return fromBytes(this.#target, 0, this.#length)
  }

  /** Writes an output and the long text after it. @returns false, with nothing written, if they do not fit */
  write(output: string, { bytes, size }: LongText): boolean {
    const end = this.#encode(output)
    if (end < 0 || end + size > this.#size) return false
    this.#target.set(bytes, end)
    this.#length = end + size
    return true
  }

  /** Writes the rest of an output. @returns how many bytes there are in all, or −1 if they do not fit */
  finish(output: string): number {
    return this.#encode(output)
  }

  /** Puts a text after what was written. @returns where it ends, or −1 if it does not fit */
  #encode(text: string): number {
    if (text.length > SHORT_TEXT || text.length > this.#size - this.#length) return this.#encodeLong(text)
    let end = this.#length
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) return this.#encodeLong(text)
      this.#target[end++] = code
    }
    return end
  }

  #encodeLong(text: string): number {
    const room = this.#target.subarray(this.#length)
    const length = writeBytes(text, room)
    return length < 0 ? -1 : this.#length + length
  }
}
