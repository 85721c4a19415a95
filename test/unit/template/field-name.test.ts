import { describe, expect, it } from 'vitest'
import { fieldName } from '../../../src/template/dialects/go/field-name.js'

const nameOf = (text: string) => fieldName({ kind: 'field', position: 0, text })

describe('names of fields', () => {
  it.each(['a', 'constructor', '__proto__', '0', '01', 'größe', 'x'.repeat(200)])(
    'are their tokens without the dot: %s',
    (name) => {
      expect(nameOf(`.${name}`)).toBe(name)
      expect(nameOf(`.${name}`)).toBe(name)
    },
  )

  it('stay what they are when there are more than are kept', () => {
    const names = Array.from({ length: 2_500 }, (_, index) => `name${index}`)
    for (const name of [...names, ...names.slice(0, 10)]) expect(nameOf(`.${name}`)).toBe(name)
  })
})
