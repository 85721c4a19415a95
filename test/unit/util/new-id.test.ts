import { expect, it } from 'vitest'
import { newId } from '../../../src/util/new-id.js'

it('is never made twice, over many pages of random bytes', () => {
  const ids = Array.from({ length: 5_000 }, newId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[0-9a-f]{32}$/.test(id))).toEqual([])
})
