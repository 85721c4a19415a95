import { expect, it } from 'vitest'
import { createPromptPatterns } from '../../../src/access/prompt-patterns.js'

it.each([
  ['review.commit', 'review.commit', true],
  ['review.commit', 'review.commits', false],
  ['review.*', 'review.commit', true],
  ['review.*', 'review.a.b', true],
  ['review.*', 'review', false],
  ['review.*', 'preview.commit', false],
  ['*.public', 'a.b.public', true],
  ['*.public', 'a.publics', false],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['*', '', true],
  ['.+', 'abc', false],
  ['[ab]', 'a', false],
])('%s matches %s: %s', (pattern, id, expected) => {
  expect(createPromptPatterns([pattern]).matches(id)).toBe(expected)
  expect(createPromptPatterns(['nothing', pattern, 'other.*']).matches(id)).toBe(expected)
})
