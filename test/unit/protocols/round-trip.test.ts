import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toWireToolCall } from '../../../src/conversation/tool-calls.js'
import { parseToolCalls, readParts } from '../../../src/protocols/parse-calls.js'
import { toolProtocol } from '../../../src/protocols/protocol.js'
import { generatedCalls, TEXT_PROTOCOLS, toolsOf } from '../../support/generated-calls.js'
import { cutAt, readPieces, units } from '../../support/read-parts.js'

/** Different names, so that every call has the tool that fits it. */
const messages = generatedCalls.map((calls) =>
  calls.map((call, index) => ({ ...call, name: `${call.name}${index}` })),
)

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
      { numRuns: 500, seed: 1 },
    )
  })

  it('by characters', () => {
    fc.assert(
      fc.property(messages, (calls) => {
        expect(read(calls, units(protocol.encodeCalls(calls)))).toEqual({ malformed: [], found: calls })
      }),
      { numRuns: 60, seed: 2 },
    )
  })

  it('cut in two at every place', () => {
    fc.assert(
      fc.property(messages, (calls) => {
        const text = protocol.encodeCalls(calls)
        const whole = readPieces(protocol.parser(toolsOf(calls)), [text])
        for (let at = 1; at < text.length; at += 1) {
          expect(readPieces(protocol.parser(toolsOf(calls)), cutAt(text, at))).toEqual(whole)
        }
      }),
      { numRuns: 4, seed: 3 },
    )
  })
})

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
