/** Places of tokens by their hash, a third more than there are; a power of two. */
const SLOTS = 1 << 18
/** The bits of a slot that hold a rank; the others hold bits of the hash, so that most tokens are never compared. */
const RANK = SLOTS - 1
const SPACE = 0x20
const LINE_BREAK = 0x0a
const ZERO = 0x30
const PADDING = 0x3d
/** Of one byte, such as `IQ== 0`, with its line break. */
const SHORTEST_LINE = 7
/** The value of each digit of base64, by its code. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, code) =>
  Math.max(
    0,
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(String.fromCharCode(code)),
  ),
)

/**
 * The tokens of an encoding, and their ranks: the lower a rank, the earlier two neighbours are joined to this token.
 * Three plain arrays, as 200,000 strings and a map of them take three times as long to make and eight times the memory:
 * most of the time is that of memory which is touched for the first time.
 * Bytes that are looked up are texts, one character for each byte.
 */
export class TokenRanks {
  /** The bytes of all tokens, one after the other, by rank. */
  readonly #bytes: Uint8Array
  /** Where each starts, and the last one ends. */
  readonly #starts: Uint32Array
  /** One more than a rank, with bits of the hash above, at its hash or the next free place; 0 for nothing. */
  readonly #slots = new Int32Array(SLOTS)
  #count = 0

  /** @param size bytes of the file whose lines are added */
  constructor(size: number) {
    // Of what is not used nothing is ever touched.
    this.#bytes = new Uint8Array(size)
    this.#starts = new Uint32Array(size / SHORTEST_LINE + 2)
  }

  /**
   * Adds the next lines of a file of OpenAI's form: in each the bytes of a token in base64, a space and its rank, which
   * counts from 0. One loop without calls, as much of it runs before V8 has compiled it; what is read beyond the end is 0.
   *
   * @throws RangeError for a line of another form, another rank than the next one, and more ranks than there are places
   */
  add(lines: Uint8Array): void {
    const [bytes, starts, slots, digits] = [this.#bytes, this.#starts, this.#slots, DIGITS]
    let count = this.#count
    let used = starts[count] ?? 0
    let width = `${count}`.length
    let power = 10 ** width
    let at = 0
    while (at < lines.length) {
      let hash = FIRST_HASH
      for (; lines[at] !== SPACE && at < lines.length; at += 4) {
        const three =
          ((digits[lines[at] ?? 0] ?? 0) << 18) |
          ((digits[lines[at + 1] ?? 0] ?? 0) << 12) |
          ((digits[lines[at + 2] ?? 0] ?? 0) << 6) |
          (digits[lines[at + 3] ?? 0] ?? 0)
        hash = Math.imul(hash ^ three, FACTOR)
        bytes[used] = three >> 16
        bytes[used + 1] = three >> 8
        bytes[used + 2] = three
        used += 3
      }
      if (lines[at - 1] === PADDING) used -= lines[at - 2] === PADDING ? 2 : 1
      if (count === power) {
        power *= 10
        width += 1
      }
      at += width + 2
      if (lines[at - 1] !== LINE_BREAK || lines[at - 2] !== ZERO + (count % 10) || count === RANK)
        throw new RangeError(`the token ${count} has another rank`)
      count += 1
      let slot = (hash ^ (hash >>> 15)) & RANK
      while (slots[slot] !== 0) slot = (slot + 1) & RANK
      slots[slot] = (hash & ~RANK) | count
      starts[count] = used
    }
    this.#count = count
  }

  /** The rank of a part of a text; undefined if it is not a token. */
  rankOf(text: string, start = 0, end = text.length): number | undefined {
    let hash = FIRST_HASH
    for (let index = start; index < end; index += 3)
      hash = Math.imul(hash ^ threeAt(text, index, end), FACTOR)
    for (let slot = slotOf(hash); ; slot = (slot + 1) & RANK) {
      const found = this.#slots[slot] ?? 0
      if (found === 0) return undefined
      const rank = (found & RANK) - 1
      if (((found ^ hash) & ~RANK) === 0 && this.#isToken(rank, text, start, end)) return rank
    }
  }

  /** Number of UTF-8 bytes of a token. */
  widthOf(rank: number): number {
    return (this.#starts[rank + 1] ?? 0) - (this.#starts[rank] ?? 0)
  }

  /** @throws RangeError for an unknown token */
  bytesOf(rank: number): Uint8Array {
    if (!(rank >= 0 && rank < this.#count)) throw new RangeError(`there is no token ${rank}`)
    return this.#bytes.subarray(this.#starts[rank], this.#starts[rank + 1])
  }

  #isToken(rank: number, text: string, start: number, end: number): boolean {
    const from = this.#starts[rank] ?? 0
    if (this.#starts[rank + 1] !== from + end - start) return false
    for (let index = start; index < end; index += 1)
      if (this.#bytes[from + index - start] !== text.charCodeAt(index)) return false
    return true
  }
}

const FIRST_HASH = 0x811c9dc5 | 0
const FACTOR = 0x9e3779b1

/** Up to three bytes of a text as one number; 0 for each that is not there. */
function threeAt(text: string, at: number, end: number): number {
  const second = at + 1 < end ? text.charCodeAt(at + 1) << 8 : 0
  return (text.charCodeAt(at) << 16) | second | (at + 2 < end ? text.charCodeAt(at + 2) : 0)
}

/** `add` says the same. */
function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & RANK
}
