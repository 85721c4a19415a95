import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wordDiff } from '../../../src/ui/draft/word-diff.js'

const without = (kind: 'added' | 'removed', changes: ReturnType<typeof wordDiff>) =>
  changes
    .filter((change) => change.kind !== kind)
    .map(({ text }) => text)
    .join('')

describe('wordDiff', () => {
  it.each([
    ['', '', []],
    ['a b', 'a b', [['same', 'a b']]],
    [
      'the answer is no.',
      'the answer is yes.',
      [
        ['same', 'the answer is '],
        ['removed', 'no'],
        ['added', 'yes'],
        ['same', '.'],
      ],
    ],
    ['a', '', [['removed', 'a']]],
    ['', 'b', [['added', 'b']]],
    [
      'one three',
      'one two three',
      [
        ['same', 'one '],
        ['added', 'two '],
        ['same', 'three'],
      ],
    ],
    [
      '你好',
      '你好 吗',
      [
        ['same', '你好'],
        ['added', ' 吗'],
      ],
    ],
  ])('of %j and %j', (before, after, expected) =>
    expect(wordDiff(before, after).map(({ kind, text }) => [kind, text])).toEqual(expected),
  )

  it('holds both texts, whatever they are', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', ' ', 'word', '\n', '{{', '}}', '"'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = wordDiff(before, after)
        expect([without('added', changes), without('removed', changes)]).toEqual([before, after])
      }),
    )
  })

  it('gives up on what is wholly other, and still holds both', () => {
    const before = Array.from({ length: 2_000 }, (_, index) => `a${index}`).join(' ')
    const after = Array.from({ length: 2_000 }, (_, index) => `b${index}`).join('\n')
    const changes = wordDiff(before, after)
    expect([without('added', changes), without('removed', changes)]).toEqual([before, after])
  })
})
