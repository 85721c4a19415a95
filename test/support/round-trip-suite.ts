import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readParts } from '../../src/protocols/parse-calls.js'
import { toolProtocol } from '../../src/protocols/tool-protocol.js'
import { generatedCalls, TEXT_PROTOCOLS, toolsOf } from './generated-calls.js'
import { cutAt, readPieces, units } from './read-parts.js'

/** Different names, so that every call has the tool that fits it. */
export const messages = generatedCalls.map((calls) =>
  calls.map((call, index) => ({ ...call, name: `${call.name}${index}` })),
)

/** How many messages are tried, of one to three calls. */
export interface RoundTripRuns {
  readonly whole: number
  readonly byCharacters: number
  readonly cut: number
}

/** What every text protocol writes, its parser reads, however the text is cut. */
export function describeRoundTrips(runs: RoundTripRuns): void {
  describe.each(TEXT_PROTOCOLS)('%s: what is written is read', (id) => {
    const protocol = toolProtocol(id)
    const read = (calls: Parameters<typeof protocol.encodeCalls>[0], pieces: readonly string[]) => {
      const parts = readPieces(protocol.parser(toolsOf(calls)), pieces)
      const { calls: found, malformed } = readParts(parts)
      return { malformed, found: found.map(({ name, arguments: args }) => ({ name, arguments: args })) }
    }

    it('whole', () => {
      fc.assert(
        fc.property(messages, (calls) => {
          const text = `Let me look. ${protocol.encodeCalls(calls)}`
          expect(read(calls, [text])).toEqual({ malformed: [], found: calls })
        }),
        { numRuns: runs.whole, seed: 1 },
      )
    })

    it('by characters', () => {
      fc.assert(
        fc.property(messages, (calls) => {
          expect(read(calls, units(protocol.encodeCalls(calls)))).toEqual({ malformed: [], found: calls })
        }),
        { numRuns: runs.byCharacters, seed: 2 },
      )
    })

    it('cut in two at every place', () => {
      fc.assert(
        fc.property(messages, (calls) => {
          const text = protocol.encodeCalls(calls)
          const tools = toolsOf(calls)
          const whole = readPieces(protocol.parser(tools), [text])
          for (let at = 1; at < text.length; at += 1) {
            const cut = readPieces(protocol.parser(tools), cutAt(text, at))
            // Said with words only where it is wrong: there are hundreds of thousands of cuts.
            if (!isDeepStrictEqual(cut, whole)) expect(cut).toEqual(whole)
          }
        }),
        { numRuns: runs.cut, seed: 3 },
      )
    })
  })
}
