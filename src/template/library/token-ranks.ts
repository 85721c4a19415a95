import type { Sliced } from '../../util/slices/sliced.js'
/** The tokens of an encoding. Bytes are texts here, one character for each byte. */
export interface TokenRanks {
  /** The lower a rank, the earlier two neighbours are joined to this token. */
  readonly ranks: ReadonlyMap<string, number>
  /** By rank. */
  readonly tokens: readonly string[]
}

/** Lines that are read in one step. */
const LINES_PER_STEP = 512

/** Reads a text of OpenAI's form: in each line the bytes of a token in base64, a space and its rank. */
export function* readTokenRanks(text: string): Sliced<TokenRanks> {
  const ranks = new Map<string, number>()
  const tokens: string[] = []
  let count = 0
  for (let start = 0; start < text.length; ) {
    const space = text.indexOf(' ', start)
    const end = text.indexOf('\n', space)
    const rank = Number(text.slice(space + 1, end))
    const token = atob(text.slice(start, space))
    ranks.set(token, rank)
    tokens[rank] = token
    start = end + 1
    count += 1
    if (count % LINES_PER_STEP === 0) yield
  }
  return { ranks, tokens }
}
