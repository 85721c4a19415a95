import { describe, expect, it } from 'vitest'
import { compile, TemplateError } from '../../../src/template/index.js'
import { Positions, positionAt } from '../../../src/template/position.js'

describe('Positions', () => {
  it('finds what positionAt finds, everywhere in a text', () => {
    const text = `${'日本😀é\nx'.repeat(700)}\n${'😀'.repeat(1500)}`
    const positions = new Positions(text)
    for (let offset = text.length; offset >= 0; offset -= 7) {
      const insidePair = /[\udc00-\udfff]/.test(text[offset] ?? '')
      if (!insidePair) expect(positions.at(offset), String(offset)).toEqual(positionAt(text, offset))
    }
  })

  it('finds the start of an empty text', () => {
    expect(new Positions('').at(0)).toEqual({ line: 1, column: 1 })
  })
})

describe('a path that is too long to be generated', () => {
  it('is read step by step', () => {
    const depth = 150
    let data: unknown = 'x'
    for (let i = 0; i < depth; i++) data = { a: data }
    expect(compile(`{{${'.a'.repeat(depth)}}}`).renderSync(data)).toBe('x')
    expect(() => compile(`{{${'.a'.repeat(300_000)}}}`).renderSync({ a: 1 })).toThrow(TemplateError)
  })
})
