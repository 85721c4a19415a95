import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AttackedService, attack, startAttackedService } from './support/attack.js'
import { describeRows } from './support/describe-rows.js'
import { DOCUMENTS } from './support/http-attack.js'
import { BODIES } from './tables/bodies.js'
import { names } from './tables/json-texts.js'
import { NUMBERS } from './tables/numbers.js'

describeRows('bodies', BODIES)
describeRows('numbers', NUMBERS)

describe('details of an answer', () => {
  let service: AttackedService
  beforeAll(async () => {
    service = await startAttackedService(DOCUMENTS)
  })
  afterAll(async () => {
    expect(await service.stop()).toBe(0)
  })

  it('are the first hundred, and how many more there are', async () => {
    const { body } = await attack({ service, path: '/api/render/prompts/demo.hello', body: names(250) })
    expect(body.error.details).toHaveLength(101)
    expect(body.error.details[100]).toEqual({ message: 'and 150 more' })
  })
})
