import { describe, expect, it } from 'vitest'
import { readParts } from '../../../src/protocols/parse-calls.js'
import { toolProtocol } from '../../../src/protocols/tool-protocol.js'
import type { Tool } from '../../../src/tools/toolbox.js'
import { cutAt, readPieces, units } from '../../support/read-parts.js'
import { RECORDED_OUTPUTS } from './recorded-outputs.js'

const tool = (name: string, types: Record<string, string>): Tool => ({
  name,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(types).map(([key, type]) => [key, { type }])),
  },
  call: () => Promise.reject(new Error('is not called')),
})

const TOOLS = [
  tool('calculate_area', { shape: 'string', dimensions: 'object', precision: 'integer' }),
  tool('test_types', {
    int_param: 'integer',
    float_param: 'float',
    bool_param: 'boolean',
    str_param: 'string',
    obj_param: 'object',
  }),
]

describe('outputs of real models', () => {
  it.each(RECORDED_OUTPUTS)('$name', ({ protocol, output, calls, text = '', malformed = 0, server }) => {
    const read = (pieces: readonly string[]) => readPieces(toolProtocol(protocol).parser(TOOLS), pieces)
    const parts = read([output])
    const found = readParts(parts)
    expect(found.calls.map((call) => [call.name, call.arguments])).toEqual(calls)
    expect(found.calls.every((call) => call.server === server)).toBe(true)
    expect(found.malformed).toHaveLength(malformed)
    const seen = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    expect(seen.join('').trim()).toBe(text)
    expect(read(units(output))).toEqual(parts)
    for (let at = 1; at < output.length; at += 1) expect(read(cutAt(output, at))).toEqual(parts)
  })
})
