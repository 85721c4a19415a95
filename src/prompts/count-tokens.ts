import { encodeSegment, loadEncoding, segmentsOf } from '../template/library/tokenizer.js'
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
