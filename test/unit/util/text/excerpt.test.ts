import { expect, it } from 'vitest'
import { excerpt } from '../../../../src/util/text/excerpt.js'

it.each([
  ['one line of many', ' a\r\n\tb  c ', 'a b c'],
  ['no more than three hundred characters', 'x'.repeat(900_000), 'x'.repeat(300)],
  ['nothing of white space alone', ' \n'.repeat(400_000), ''],
])('makes %s', (_, text, expected) => expect(excerpt(text)).toBe(expected))
