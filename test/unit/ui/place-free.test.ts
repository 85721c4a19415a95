import { expect, it } from 'vitest'
import { placeFree } from '../../../src/ui/parts/place-free.js'

it.each([
  ['template: review.broken:3: unexpected EOF', 'unexpected EOF'],
  ['template: inline/messages[0].content:1:7: bad character', 'bad character'],
  ['{{if …}} of line 1 has no {{end}}', '{{if …}} has no {{end}}'],
  ['promt: did you mean prompt?', 'promt: did you mean prompt?'],
  ['no template: a:1: of line 2', 'no template: a:1: of line 2'],
])('%s', (message, expected) => {
  expect(placeFree(message)).toBe(expected)
})
