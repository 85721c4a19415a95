import type { Sliced } from '../../util/slices/sliced.js'

/** Lines that are read in one step. */
const LINES_PER_STEP = 512
/** Much more than there are tokens, so that most are where their hash says; a power of two. */
const SLOTS = 1 << 19
const SPACE = 0x20
const LINE_BREAK = 0x0a
const ZERO = 0x30
/** The value of each digit of base64, by its code; 0 for `=`, whose bytes are left out. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, code) =>
  Math.max(
    0,
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(String.fromCharCode(code)),
  ),
)

/**
 * The tokens of an encoding, and their ranks: the lower a rank, the earlier two neighbours are joined to this token.
 * Three plain arrays, as 200,000 strings and a map of them take three times as long to make and eight times the memory.
 * Bytes that are looked up are texts, one character for each byte.
 */
export class TokenRanks {
  /** The bytes of all tokens, one after the other, by rank. */
  readonly #bytes: Uint8Array
  /** Where each begins, and the last one ends. */
  readonly #starts: Uint32Array
  /** One more than a rank, at its hash or the next free place; 0 for nothing. */
  readonly #slots: Int32Array

  constructor(bytes: Uint8Array, starts: Uint32Array, slots: Int32Array) {
    this.#bytes = bytes
    this.#starts = starts
    this.#slots = slots
  }

  /** The rank of a part of a text; undefined if it is no token. */
  rankOf(text: string, start = 0, end = text.length): number | undefined {
    let hash = FIRST_HASH
    for (let index = start; index < end; index += 1) hash = nextHash(hash, text.charCodeAt(index))
    for (let slot = slotOf(hash); ; slot = (slot + 1) & (SLOTS - 1)) {
      const rank = (this.#slots[slot] ?? 0) - 1
      if (rank < 0) return undefined
      if (this.#isToken(rank, text, start, end)) return rank
    }
  }

  /** How many bytes of UTF-8 a token stands for. */
  widthOf(rank: number): number {
    return (this.#starts[rank + 1] ?? 0) - (this.#starts[rank] ?? 0)
  }

  /** @throws RangeError for what is no token */
  bytesOf(rank: number): Uint8Array {
    const end = this.#starts[rank + 1]
    if (end === undefined) throw new RangeError(`there is no token ${rank}`)
    return this.#bytes.subarray(this.#starts[rank], end)
  }

  #isToken(rank: number, text: string, start: number, end: number): boolean {
    const from = this.#starts[rank] ?? 0
    if (this.#starts[rank + 1] !== from + end - start) return false
    for (let index = start; index < end; index += 1)
      if (this.#bytes[from + index - start] !== text.charCodeAt(index)) return false
    return true
  }
}

/** Reads a file of OpenAI's form: in each line the bytes of a token in base64, a space and its rank, which counts from 0. */
export function* readTokenRanks(file: Uint8Array): Sliced<TokenRanks> {
  const reader = new RanksReader(file)
  while (reader.read(LINES_PER_STEP)) yield
  return reader.ranks()
}

/** Goes through the file once, byte by byte: one loop with its own variables, which V8 compiles while it runs. */
class RanksReader {
  readonly #file: Uint8Array
  readonly #bytes: Uint8Array
  readonly #starts: Uint32Array
  readonly #slots = new Int32Array(SLOTS)
  #at = 0
  #used = 0
  #count = 0

  constructor(file: Uint8Array) {
    this.#file = file
    this.#bytes = new Uint8Array(file.length)
    this.#starts = new Uint32Array(file.length / SHORTEST_LINE + 2)
  }

  /** Reads some lines. @returns whether there are more @throws RangeError for another rank than the next one */
  read(lines: number): boolean {
    const file = this.#file
    const bytes = this.#bytes
    const slots = this.#slots
    const last = this.#count + lines
    let count = this.#count
    let at = this.#at
    let used = this.#used
    while (at < file.length && count < last) {
      let hash = FIRST_HASH
      let bits = 0
      let pending = 0
      for (let code = file[at]; code !== SPACE && code !== undefined; at += 1, code = file[at]) {
        if (code === PADDING) continue
        pending = ((pending << 6) | (DIGITS[code] ?? 0)) & 0xffff
        bits += 6
        if (bits < 8) continue
        bits -= 8
        const byte = (pending >> bits) & 0xff
        hash = nextHash(hash, byte)
        bytes[used] = byte
        used += 1
      }
      let rank = 0
      at += 1
      for (let code = file[at]; code !== LINE_BREAK && code !== undefined; at += 1, code = file[at])
        rank = rank * 10 + code - ZERO
      at += 1
      if (rank !== count) throw new RangeError(`the token ${count} has the rank ${rank}`)
      count += 1
      let slot = slotOf(hash)
      while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1)
      slots[slot] = count
      this.#starts[count] = used
    }
    this.#at = at
    this.#used = used
    this.#count = count
    return at < file.length
  }

  ranks(): TokenRanks {
    const starts = this.#starts.slice(0, this.#count + 1)
    return new TokenRanks(this.#bytes.slice(0, this.#used), starts, this.#slots)
  }
}

const PADDING = 0x3d
/** Of one byte, such as `IQ== 0`, with its line break. */
const SHORTEST_LINE = 7
const FIRST_HASH = 0x811c9dc5 | 0

/** FNV-1a. */
function nextHash(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193)
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOTS - 1)
}
