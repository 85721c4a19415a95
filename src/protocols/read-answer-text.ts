import { TextSlicer } from '../util/slices/text-slicer.js'
import { cutText } from '../util/text/cut-text.js'
import { PartList } from './part-list.js'
import type { Part, TextParser } from './protocol.js'

/** The parts of a whole answer. Others are let in while a long one is read. */
export async function readAnswerText(parser: TextParser, text: string): Promise<readonly Part[]> {
  const list = new PartList()
  const slicer = new TextSlicer()
  for (const piece of cutText(text)) {
    list.add(parser.push(piece))
    const turn = slicer.turn(piece.length)
    if (turn !== undefined) await turn
  }
  list.add(parser.end())
  return list.parts
}
