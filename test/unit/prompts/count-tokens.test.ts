import { expect, it } from 'vitest'
import { countTokens, TokenCounter } from '../../../src/prompts/count-tokens.js'
import { createRandom } from '../../support/random.js'

const PIECES = [
  ...'aZé日👍 \n\n\n\t\r./,',
  ' the',
  'ing',
  "'ll",
  'Ünï',
  '  ',
  '\n\n',
  '//\n',
  '…\n',
  '- item',
]

it('a line that was counted before has as many tokens as it has in its text', async () => {
  const random = createRandom(11)
  const counter = new TokenCounter()
  for (let round = 0; round < 3_000; round += 1) {
    const text = Array.from({ length: random.below(30) }, () => random.pick(PIECES)).join('')
    expect(await counter.count(text), JSON.stringify(text)).toBe(await countTokens([text]))
  }
})
