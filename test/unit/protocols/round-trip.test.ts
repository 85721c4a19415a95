import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toWireToolCall } from '../../../src/conversation/tool-calls.js'
import { parseToolCalls } from '../../../src/protocols/parse-calls.js'
import { toolProtocol } from '../../../src/protocols/tool-protocol.js'
import { readPieces } from '../../support/read-parts.js'
import { describeRoundTrips, messages } from '../../support/round-trip-suite.js'

// A thousand calls for each form: `npm run test:slow`.
describeRoundTrips({ whole: 20, byCharacters: 3, cut: 1 })

describe('native', () => {
  it('reads from fields what it writes there', () => {
    fc.assert(
      fc.property(messages, (calls) => {
        const wire = calls.map((call, index) =>
          toWireToolCall({ ...call, name: call.name.replaceAll('-', '_'), id: `id${index}` }),
        )
        const { calls: found, malformed } = parseToolCalls(wire)
        expect(malformed).toEqual([])
        expect(found).toEqual(
          calls.map(({ name, arguments: args }, index) => ({
            id: `id${index}`,
            name: name.replaceAll('-', '_'),
            arguments: args,
          })),
        )
      }),
      { numRuns: 200, seed: 4 },
    )
  })

  it('has no text of its own', () => {
    const native = toolProtocol('native')
    expect([native.instructions([], new Date(0)), native.encodeCall({ name: 'a', arguments: {} })]).toEqual([
      '',
      '',
    ])
    expect(readPieces(native.parser(), ['<tool_call>', ' <think>'])).toEqual([
      { kind: 'text', text: '<tool_call> <think>' },
    ])
    expect(native.encodeResults([{ call: { id: 'c', name: 'a' }, content: 'r' }])).toEqual([
      { role: 'tool', tool_call_id: 'c', content: 'r' },
    ])
  })
})
