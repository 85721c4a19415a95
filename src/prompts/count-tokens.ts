import { encodeSegment, linesOf, loadEncoding, segmentsOf } from '../template/host.js'
import { createSlicer } from '../util/slices/pause.js'

/** How many tokens of the o200k_base encoding the texts have together. */
export async function countTokens(texts: readonly string[]): Promise<number> {
  await loadEncoding()
  const slicer = createSlicer()
  let count = 0
  for (const text of texts) {
    for (const segment of segmentsOf(text)) {
      count += encodeSegment(segment).length
      await slicer.turn()
    }
  }
  return count
}

/** Counts tokens of texts that have most of their lines in common: each line once. */
export class TokenCounter {
  readonly #known = new Map<string, number>()
  readonly #slicer = createSlicer()

  /** How many tokens of the o200k_base encoding a text has. */
  async count(text: string): Promise<number> {
    await loadEncoding()
    let count = 0
    for (const line of linesOf(text)) count += this.#known.get(line) ?? (await this.#countLine(line))
    return count
  }

  async #countLine(line: string): Promise<number> {
    let count = 0
    for (const segment of segmentsOf(line)) {
      count += encodeSegment(segment).length
      const turn = this.#slicer.turn()
      if (turn !== undefined) await turn
    }
    this.#known.set(line, count)
    return count
  }
}
