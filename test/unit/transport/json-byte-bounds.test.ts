import { describe, expect, it } from 'vitest'
import { JsonByteBounds } from '../../../src/transport/json-byte-bounds.js'

const BOUNDS = { maxBytes: 100, maxValues: 5, maxDepth: 3 }
const bytes = (text: string) => Buffer.from(text)

describe('JsonByteBounds', () => {
  it.each([
    ['values within the bound', '[1,2,3,4,5,6]', undefined],
    ['one value too many', '[1,2,3,4,5,6,7]', 'maxValues'],
    ['names and values', '{"a":1,"b":2,"c":3}', undefined],
    ['depth within the bound', '[[[1]]]', undefined],
    ['one level too many', '[[{"a":[]}]]', 'maxDepth'],
    ['brackets and commas in texts', '["[[[[,,,,,,,\\"[[[["]', undefined],
    ['too many bytes', ' '.repeat(101), 'maxBytes'],
  ])('%s', (_name, text, broken) => {
    expect(new JsonByteBounds(BOUNDS, false).push(bytes(text))).toBe(broken)
    const byByte = new JsonByteBounds(BOUNDS, false)
    const found = [...bytes(text)].map((byte) => byByte.push(Uint8Array.of(byte))).find(Boolean)
    expect(found).toBe(broken)
  })

  it.each(['\n\n', '\r\n\r\n'])('counts anew for each event of a stream', (end) => {
    const bounds = new JsonByteBounds(BOUNDS, true)
    for (let count = 0; count < 5; count += 1)
      expect(bounds.push(bytes(`data: [1,2,3,4,5]${end}`))).toBeUndefined()
    expect(bounds.push(bytes('data: [1,2,3,4,5,6,7]'))).toBe('maxValues')
  })
})
