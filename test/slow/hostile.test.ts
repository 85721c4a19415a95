import { describe, expect, it } from 'vitest'
import { toolProtocol } from '../../src/protocols/tool-protocol.js'
import { countWork } from '../support/counted-work.js'
import { TEXT_PROTOCOLS } from '../support/generated-calls.js'
import { HOSTILE } from '../support/hostile-texts.js'

/** As agents hand on what comes at once. */
const PIECE = 4_096
const SMALL = 4 * PIECE
const FACTOR = 4
/** Work in proportion grows by the factor, and by a little more where a text meets bounds; squared it would grow by 16. */
const MAX_GROWTH = FACTOR * 1.5
/** A tag that begins no call has its end looked for in a thousand characters, tag after tag, up to a thousand calls. */
const WORK_PER_CHARACTER = 250

interface Work {
  readonly pieces: readonly number[]
  readonly total: number
}

function workOf(id: (typeof TEXT_PROTOCOLS)[number], text: string, piece: number): Work {
  const parser = toolProtocol(id).parser()
  const pieces: number[] = []
  for (let at = 0; at < text.length; at += piece)
    pieces.push(countWork(() => parser.push(text.slice(at, at + piece))))
  const end = countWork(() => parser.end())
  return { pieces, total: pieces.reduce((sum, each) => sum + each, end) }
}

describe.each(TEXT_PROTOCOLS)('%s', (id) => {
  it.each(HOSTILE)('%j and %j again and again: work in proportion, in every piece', (begin, piece) => {
    const text = (length: number) => begin + piece.repeat(Math.ceil(length / piece.length))
    const small = workOf(id, text(SMALL), PIECE)
    const large = workOf(id, text(SMALL * FACTOR), PIECE)
    expect(large.total / small.total).toBeLessThan(MAX_GROWTH)
    expect(large.total).toBeLessThan(SMALL * FACTOR * WORK_PER_CHARACTER)
    // What was looked ahead at is read again with the next piece.
    expect(Math.max(...large.pieces)).toBeLessThan(2 * PIECE * WORK_PER_CHARACTER)
    // As one text, as answers come that are not streamed.
    const [short, long] = [text(SMALL), text(SMALL * FACTOR)].map((whole) => workOf(id, whole, whole.length))
    expect((long?.total ?? 0) / (short?.total ?? 0)).toBeLessThan(MAX_GROWTH)
    // By single characters, as models write; longer than what is looked ahead at.
    const one = workOf(id, text(PIECE / 2), 1)
    const more = workOf(id, text((PIECE / 2) * FACTOR), 1)
    expect(more.total / one.total).toBeLessThan(MAX_GROWTH)
  })
})
