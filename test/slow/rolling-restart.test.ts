import { expect, it } from 'vitest'
import { rollingRestart } from '../support/rolling-restart.js'

it('no request fails and no stream breaks off while replicas are replaced one by one', async () => {
  const { answered, failed, ended, cut, codes } = await rollingRestart({ rate: 40, streams: 4 })
  expect([...failed]).toEqual([])
  expect(cut).toEqual([])
  expect(ended).toBe(8)
  expect(answered).toBeGreaterThan(40)
  expect(codes).toEqual([0, 0])
}, 60_000)
