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
  await attack({ service, path, body: {} })
  const { status, body, longestBusyMs, longestLoopMs } = await attack({ service, path, body: {} })
  expect({ status, text: body.rendered_prompt }).toEqual({ status: 200, text: 'Hello' })
  expect(longestBusyMs).toBeLessThan(20)
  expect(longestLoopMs).toBeGreaterThanOrEqual(0)
})
