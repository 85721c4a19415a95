import { LRUCache } from 'lru-cache'
import { ifStopped } from '../../util/slices/slice.js'
import type { TokenRanks } from './token-ranks.js'

const ASCII = /^[\0-\x7f]*$/
/** Joining is dear, and the words of a text come again. */
const MAX_REMEMBERED = 10_000
/** Rank of two neighbors that do not form a token. */
const NEVER = Number.POSITIVE_INFINITY

function createMemory() {
  return new LRUCache<string, readonly number[]>({ max: MAX_REMEMBERED })
}

/** Byte pair encoding: words are cut into bytes, and neighbours joined, lowest rank first, as long as they are a token. */
export class BytePairs {
  readonly #ranks: TokenRanks
  readonly #words: RegExp
  #remembered = createMemory()
  /** A slice that is ended may leave its list half linked, which even `clear` would go along. */
  readonly #forget = () => {
    this.#remembered = createMemory()
  }

  /** @param words finds the words that are encoded one by one; global */
  constructor(ranks: TokenRanks, words: RegExp) {
    this.#ranks = ranks
    this.#words = words
  }

  encode(text: string): number[] {
    const encoded: number[] = []
    for (const word of text.match(this.#words) ?? []) {
      const bytes = ASCII.test(word) ? word : Buffer.from(word).toString('latin1')
      const rank = this.#ranks.rankOf(bytes)
      if (rank === undefined) encoded.push(...this.#ranksOf(bytes))
      else encoded.push(rank)
    }
    return encoded
  }

  /** The bytes of tokens as text; an incomplete character at the end is U+FFFD. */
  decode(tokens: readonly number[]): string {
    return Buffer.concat(tokens.map((rank) => this.#ranks.bytesOf(rank))).toString('utf8')
  }

  /** Number of UTF-8 bytes of a token. */
  bytesOf(token: number): number {
    return this.#ranks.widthOf(token)
  }

  #ranksOf(bytes: string): readonly number[] {
    ifStopped(this.#forget)
    const known = this.#remembered.get(bytes)
    if (known !== undefined) return known
    const ranks = this.#joined(bytes)
    this.#remembered.set(bytes, ranks)
    return ranks
  }

  #joined(bytes: string): number[] {
    // Where parts begin, the end of the last one included; and the ranks of each part with the one behind it.
    const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index)
    const pairs = starts.map((_, index) => this.#pairAt(bytes, starts, index))
    for (let lowest = indexOfLowest(pairs); lowest !== -1; lowest = indexOfLowest(pairs)) {
      starts.splice(lowest + 1, 1)
      pairs.splice(lowest + 1, 1)
      pairs[lowest] = this.#pairAt(bytes, starts, lowest)
      if (lowest > 0) pairs[lowest - 1] = this.#pairAt(bytes, starts, lowest - 1)
    }
    return starts.slice(0, -1).map((start, index) => this.#rankOf(bytes, start, starts[index + 1]))
  }

  #pairAt(bytes: string, starts: readonly number[], index: number): number {
    const end = starts[index + 2]
    return end === undefined ? NEVER : (this.#ranks.rankOf(bytes, starts[index], end) ?? NEVER)
  }

  #rankOf(bytes: string, start: number, end: number | undefined): number {
    const rank = this.#ranks.rankOf(bytes, start, end)
    if (rank === undefined) throw new RangeError('the encoding lacks a byte')
    return rank
  }
}

/** -1 when no two neighbours are a token together. */
function indexOfLowest(ranks: readonly number[]): number {
  let lowest = NEVER
  let found = -1
  for (let index = 0; index < ranks.length; index += 1) {
    const rank = ranks[index] ?? NEVER
    if (rank >= lowest) continue
    lowest = rank
    found = index
  }
  return found
}
