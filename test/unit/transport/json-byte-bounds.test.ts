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
    ['a long text, and escapes in it', `["${'x,['.repeat(20)}\\"${'['.repeat(9)}",1]`, undefined],
    ['what stands behind a long text', `["${'x'.repeat(40)}\\\\",[[[1]]]]`, 'maxDepth'],
    ['a long text that is too long', `["${'x'.repeat(99)}`, 'maxBytes'],
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

  it('a line that is not empty ends no event, wherever the text is cut', () => {
    const bounds = new JsonByteBounds(BOUNDS, true)
    expect(bounds.push(bytes(`data: [1,2,3,4,["${'x'.repeat(40)}\nabc\n`))).toBeUndefined()
    expect(bounds.push(bytes('",6,7]'))).toBe('maxValues')
  })

  it.each(['\n\n', '\r\n\r\n'])('an event ends in the middle of a long text, too', (end) => {
    const bounds = new JsonByteBounds(BOUNDS, true)
    expect(bounds.push(bytes(`data: ["${'x'.repeat(60)}${end}`))).toBeUndefined()
    expect(bounds.push(bytes('data: [1,2,3,4,5,6,7]'))).toBe('maxValues')
  })
})
