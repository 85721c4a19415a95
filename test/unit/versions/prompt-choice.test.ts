import { expect, it } from 'vitest'
import { choiceText, splitChoice } from '../../../src/versions/prompt-choice.js'

it.each([
  ['a.b', { id: 'a.b' }],
  ['a.b@8', { id: 'a.b', choice: { version: 8 } }],
  ['a.b@production', { id: 'a.b', choice: { label: 'production' } }],
  ['a.b@try-ann.v1_2', { id: 'a.b', choice: { label: 'try-ann.v1_2' } }],
  ['a@1@2', { id: 'a@1', choice: { version: 2 } }],
  ['a.b@999999999', { id: 'a.b', choice: { version: 999_999_999 } }],
  ['a.b@1000000000', { id: 'a.b@1000000000' }],
  ['a.b@0', { id: 'a.b@0' }],
  ['a.b@08', { id: 'a.b@08' }],
  ['a.b@8x', { id: 'a.b@8x' }],
  ['a.b@Production', { id: 'a.b@Production' }],
  ['a.b@', { id: 'a.b@' }],
  ['@acme', { id: '@acme' }],
  ['a.b@x\n', { id: 'a.b@x\n' }],
  [`a.b@${'x'.repeat(64)}`, { id: 'a.b', choice: { label: 'x'.repeat(64) } }],
  [`a.b@${'x'.repeat(65)}`, { id: `a.b@${'x'.repeat(65)}` }],
])('reads %j', (text, expected) => {
  const chosen = splitChoice(text)
  expect(chosen).toEqual(expected)
  if (chosen.choice !== undefined) expect(`${chosen.id}@${choiceText(chosen.choice)}`).toBe(text)
})
