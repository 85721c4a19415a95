import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AttackedService, attack, startAttackedService } from './support/attack.js'

let service: AttackedService

beforeAll(async () => {
  service = await startAttackedService({ 'templates/demo/hello.json': { userPrompt: 'Hello' } })
})

afterAll(async () => {
  expect(await service.stop()).toBe(0)
})

it('sees that an ordinary request holds nobody up', async () => {
  const path = '/api/render/prompts/demo.hello'
  const tries = []
  for (let round = 0; round < 5; round += 1) tries.push(await attack({ service, path, body: {} }))
  const [first] = tries
  expect([first?.status, first?.body.rendered_prompt]).toEqual([200, 'Hello'])
  // Collecting garbage, and compiling what runs first, may fall into one of them, but not into all.
  expect(Math.min(...tries.map(({ longestBusyMs }) => longestBusyMs))).toBeLessThan(20)
  expect(Math.min(...tries.map(({ longestLoopMs }) => longestLoopMs))).toBeGreaterThanOrEqual(0)
})
