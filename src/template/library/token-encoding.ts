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
const PIECE = 32_768
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

async function readInPieces(file: FileHandle): Promise<TokenRanks> {
  const lines = new Lines((await file.stat()).size)
  const slicer = createSlicer()
  for (;;) {
    const { bytesRead } = await file.read(lines.free)
    if (bytesRead === 0) return lines.ranks
    lines.take(bytesRead)
    await slicer.turn()
  }
}

function readAtOnce(): TokenRanks {
  const file = openSync(RANKS, 'r')
  try {
    const lines = new Lines(fstatSync(file).size)
    for (let read = readSync(file, lines.free); read > 0; read = readSync(file, lines.free)) lines.take(read)
    return lines.ranks
  } finally {
    closeSync(file)
  }
}

/** The whole lines of a file that is read piece by piece. */
class Lines {
  readonly ranks: TokenRanks
  readonly #piece = new Uint8Array(PIECE)
  /** What was read of a line whose end is still missing. */
  #kept = 0

  constructor(size: number) {
    this.ranks = new TokenRanks(size)
  }

  /** Where the next bytes go. */
  get free(): Uint8Array {
    return this.#piece.subarray(this.#kept)
  }

  take(read: number): void {
    const end = this.#kept + read
    const whole = this.#piece.lastIndexOf(LINE_BREAK, end - 1) + 1
    this.ranks.add(this.#piece.subarray(0, whole))
    this.#piece.copyWithin(0, whole, end)
    this.#kept = end - whole
  }
}

function toPairs(ranks: TokenRanks): BytePairs {
  return new BytePairs(ranks, split().O200K_TOKEN_SPLIT_REGEX)
}
