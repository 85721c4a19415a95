import { expect, it } from 'vitest'
import { countText } from '../../../src/ui/texts/count-text.js'

it.each([0, 7, 999, 1_000, 20_002, 123_456, 1_000_000])('writes %s as both languages do', (count) => {
  expect([countText(count), countText(count)]).toEqual([
    count.toLocaleString('en'),
    count.toLocaleString('zh'),
  ])
})
