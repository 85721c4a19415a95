import { describe, expect, it } from 'vitest'
import { toolProtocol } from '../../src/protocols/tool-protocol.js'
import { TEXT_PROTOCOLS } from '../support/generated-calls.js'
import { HOSTILE } from '../support/hostile-texts.js'
import { readPieces, units } from '../support/read-parts.js'

const SMALL = 4_000
const FACTOR = 8

function timeOf(run: () => unknown): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

describe.each(TEXT_PROTOCOLS)('%s', (id) => {
  it('takes time in proportion to the text, whole and in pieces', () => {
    const read = (characters: number, cut: (text: string) => string[]) => () => {
      for (const [begin, piece] of HOSTILE) {
        readPieces(toolProtocol(id).parser(), cut(begin + piece.repeat(Math.ceil(characters / piece.length))))
      }
    }
    for (const cut of [(text: string) => [text], units]) {
      timeOf(read(SMALL, cut))
      const small = timeOf(read(SMALL, cut))
      const large = timeOf(read(SMALL * FACTOR, cut))
      // Squared it would be 64 times as much.
      expect(large / (small + 3)).toBeLessThan(FACTOR * 4)
    }
  })
})
