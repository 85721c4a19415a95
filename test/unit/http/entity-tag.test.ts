import { describe, expect, it } from 'vitest'
import { entityTag, matchesTag } from '../../../src/http/answers/entity-tag.js'

describe('entityTag', () => {
  it('is a strong tag, equal for equal values only', () => {
    expect(entityTag('templates', 'a', 'r1')).toMatch(/^"[\w-]{22}"$/)
    expect(entityTag('templates', 'a', 'r1')).toBe(entityTag('templates', 'a', 'r1'))
    const others = [
      ['templates', 'a', 'r2'],
      ['templates', 'ar', '1'],
      ['templates', 'a', 'r1', [{}]],
    ]
    for (const values of others) expect(entityTag(...values)).not.toBe(entityTag('templates', 'a', 'r1'))
  })
})

describe('matchesTag', () => {
  it.each([
    { asked: '"abc"', known: true },
    { asked: 'W/"abc"', known: true },
    { asked: '*', known: true },
    { asked: ' * ', known: true },
    { asked: '"x", W/"y", "abc"', known: true },
    { asked: '"x","abc"', known: true },
    { asked: '"x,\u00e9", "abc"', known: true },
    { asked: '"x"', known: false },
    { asked: 'abc', known: false },
    { asked: '"abc', known: false },
    { asked: '"ABC"', known: false },
    { asked: '"*"', known: false },
    { asked: '*, "x"', known: false },
    { asked: '', known: false },
  ])('$asked: $known', ({ asked, known }) => {
    expect(matchesTag(asked, '"abc"')).toBe(known)
  })
})
