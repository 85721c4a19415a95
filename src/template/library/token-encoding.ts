import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { loadOnce } from '../../util/load-once.js'
import { lazyPackage } from '../../util/packages/lazy-package.js'
import { createSlicer } from '../../util/slices/pause.js'
import { runNow, runSliced } from '../../util/slices/sliced.js'
import { BytePairs } from './byte-pairs.js'
import { readTokenRanks, type TokenRanks } from './token-ranks.js'

const RANKS = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken')

const split = lazyPackage<{ readonly O200K_TOKEN_SPLIT_REGEX: RegExp }>(
  'gpt-tokenizer/cjs/encodingParams/constants',
)

/**
 * The o200k_base encoding of current OpenAI models: 200,000 tokens, some fiftieths of a second of work when it is first
 * needed. Who can wait has it read in pieces, so that others do not.
 */
export class TokenEncoding {
  #pairs: BytePairs | undefined
  /** Reads it, once, giving way to others. */
  readonly load = loadOnce(async () => {
    const file = await readFile(RANKS)
    this.#pairs ??= toPairs(await runSliced(readTokenRanks(file), createSlicer()))
  })

  get isLoaded(): boolean {
    return this.#pairs !== undefined
  }

  /** What encodes; read at once if nobody did before. */
  get pairs(): BytePairs {
    this.#pairs ??= toPairs(runNow(readTokenRanks(readFileSync(RANKS))))
    return this.#pairs
  }
}

function toPairs(ranks: TokenRanks): BytePairs {
  return new BytePairs(ranks, split().O200K_TOKEN_SPLIT_REGEX)
}
