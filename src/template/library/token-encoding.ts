import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { loadOnce } from '../../util/load-once.js'
import { lazyPackage } from '../../util/packages/lazy-package.js'
import { createSlicer } from '../../util/slices/pause.js'
import { BytePairs } from './byte-pairs.js'
import { TokenRanks } from './token-ranks.js'

const RANKS = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken')

const split = lazyPackage<{ readonly O200K_TOKEN_SPLIT_REGEX: RegExp }>(
  'gpt-tokenizer/cjs/encodingParams/constants',
)

/** Bytes of the file that are read at once, always into the same memory: new memory takes longer than reading. */
const PIECE = 65_536
/** Before them, for the beginning of a line whose end comes with the next piece. */
const LONGEST_LINE = 1_024
const LINE_BREAK = 0x0a

/**
 * The o200k_base encoding of current OpenAI models: 200,000 tokens, some fiftieths of a second of work when it is first
 * needed. Who can wait has it read in pieces, so that others do not.
 */
export class TokenEncoding {
  #pairs: BytePairs | undefined
  /** Reads it, once, giving way to others. */
  readonly load = loadOnce(async () => {
    const file = await open(RANKS)
    try {
      const ranks = await readInPieces(file)
      this.#pairs ??= toPairs(ranks)
    } finally {
      await file.close()
    }
  })

  get isLoaded(): boolean {
    return this.#pairs !== undefined
  }

  /** What encodes; read at once if nobody did before. */
  get pairs(): BytePairs {
    this.#pairs ??= toPairs(readAtOnce())
    return this.#pairs
  }
}

/** The next piece is read while one is worked on. */
async function readInPieces(file: FileHandle): Promise<TokenRanks> {
  const lines = new Lines((await file.stat()).size)
  const slicer = createSlicer()
  let reading = file.read(lines.free)
  for (;;) {
    const { bytesRead } = await reading
    if (bytesRead === 0) return lines.ranks
    const next = lines.take(bytesRead)
    reading = file.read(lines.free)
    next()
    await slicer.turn()
  }
}

function readAtOnce(): TokenRanks {
  const file = openSync(RANKS, 'r')
  try {
    const lines = new Lines(fstatSync(file).size)
    for (let read = readSync(file, lines.free); read > 0; read = readSync(file, lines.free))
      lines.take(read)()
    return lines.ranks
  } finally {
    closeSync(file)
  }
}

/** The whole lines of a file that is read piece by piece, in turns into two pieces of memory. */
class Lines {
  readonly ranks: TokenRanks
  #piece = new Uint8Array(LONGEST_LINE + PIECE)
  #other = new Uint8Array(LONGEST_LINE + PIECE)
  /** The beginning of an incomplete line: it precedes the next bytes. */
  #kept = 0

  constructor(size: number) {
    this.ranks = new TokenRanks(size)
  }

  /** Where the next bytes go. */
  get free(): Uint8Array {
    return this.#piece.subarray(LONGEST_LINE)
  }

  /**
   * Takes what was read. The next bytes may be read before the function it returns is called, which adds the lines.
   *
   * @throws RangeError for a line that is longer than any
   */
  take(read: number): () => void {
    const [piece, other] = [this.#piece, this.#other]
    const start = LONGEST_LINE - this.#kept
    const end = LONGEST_LINE + read
    const whole = piece.lastIndexOf(LINE_BREAK, end - 1) + 1
    this.#kept = end - whole
    if (whole <= start || this.#kept > LONGEST_LINE) throw new RangeError('a line of tokens has no end')
    other.set(piece.subarray(whole, end), LONGEST_LINE - this.#kept)
    this.#piece = other
    this.#other = piece
    return () => this.ranks.add(piece.subarray(start, whole))
  }
}

function toPairs(ranks: TokenRanks): BytePairs {
  return new BytePairs(ranks, split().O200K_TOKEN_SPLIT_REGEX)
}
