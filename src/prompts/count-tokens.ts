import { encodeSegment, loadEncoding, segmentsOf } from '../template/library/tokenizer.js'
import { createSlicer } from '../util/pause.js'

/** How long tokens are counted at a stretch before others have a turn. */
const SLICE_MS = 5

/** How many tokens of the o200k_base encoding the texts have together. */
export async function countTokens(texts: readonly string[]): Promise<number> {
  await loadEncoding()
  const slicer = createSlicer(SLICE_MS, () => performance.now())
  let count = 0
  for (const text of texts) {
    for (const segment of segmentsOf(text)) {
      count += encodeSegment(segment).length
      await slicer.turn()
    }
  }
  return count
}
