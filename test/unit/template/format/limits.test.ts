import { describe, expect, it } from 'vitest'
import { formatValue } from '../../../../src/template/format/format-value.js'
import { GO_PRINTING } from '../../../../src/template/format/printing.js'
import { sprintf } from '../../../../src/template/format/sprintf.js'
import { MAX_NESTING } from '../../../../src/template/limits.js'
import type { Value } from '../../../../src/template/value.js'

const NARROW = { ...GO_PRINTING, maxWidth: 1000 }

const refused = (reason: string) => expect.objectContaining({ name: 'LimitError', reason })

function nested(depth: number): Value {
  let value: Value = 1
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { k: value }
  return value
}

describe('limits of printing', () => {
  it.each(['%2000d', '%-2000d', '%.2000d', '%2000v', '%.2000f', '%02000d'])('refuses %s', (format) => {
    expect(() => sprintf(format, [1], NARROW)).toThrow(refused('width'))
  })

  it('refuses a width that is an argument', () => {
    expect(() => sprintf('%*d', [2000, 1], NARROW)).toThrow(refused('width'))
  })

  it('leaves a width to Go where Go refuses it', () => {
    expect(sprintf('%999999999d', [1], NARROW)).toBe('%!(NOVERB)%!(EXTRA int=1)')
    expect(sprintf('%*d', [1_000_001, 1], NARROW)).toBe('%!(BADWIDTH)1')
  })

  it('bounds the padding of many elements together', () => {
    const many = new Array(10_000).fill(1)
    expect(() => sprintf('%100000d', [many])).toThrow(refused('width'))
  })

  it('refuses data nested too deeply, and prints what is not', () => {
    expect(() => formatValue(nested(100_000))).toThrow(refused('depth'))
    expect(() => sprintf('%#v', [nested(100_000)])).toThrow(refused('depth'))
    expect(formatValue(nested(MAX_NESTING))).toContain('[')
    expect(sprintf('%#v', [nested(MAX_NESTING)])).toContain('[')
  })
})
