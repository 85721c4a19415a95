import { afterAll, beforeAll, expect, it } from 'vitest'
import { measureRow } from './run/measure-row.js'
import { type AttackedByTool, startAttackedByTool } from './support/tool-attack.js'
import type { ToolRow } from './tables/tools.js'

const REPETITIONS = 8
const GONE: ToolRow = { name: 'gone', tool: 'gone', body: () => '{}' }

let attacked: AttackedByTool
beforeAll(async () => {
  attacked = await startAttackedByTool()
})
afterAll(async () => {
  expect(await attacked.stop()).toBe(0)
})

const measured = (row: ToolRow, isAboutBreaker: boolean) =>
  measureRow(
    attacked.service,
    {
      name: row.name,
      isAboutBreaker,
      prepare: () => attacked.prepare(row),
      async attack() {
        const { body } = await attacked.call(row)
        return body.error?.code ?? body.status
      },
    },
    REPETITIONS,
  )

it('fails a row whose attacks a circuit breaker answers', async () => {
  const { cameBack, mistake } = await measured(GONE, false)
  expect(cameBack).toMatch(/circuit_open × \d+/)
  expect(mistake).toMatch(/a circuit breaker answered \d+ of \d+ attacks/)
})

it('lets one pass that is about the breaker', async () => {
  expect((await measured(GONE, true)).mistake).toBeUndefined()
})

it('fails one that is about the breaker and does not meet it', async () => {
  const { mistake } = await measured({ name: 'good', body: () => '{}' }, true)
  expect(mistake).toMatch(/a circuit breaker answered 0 of \d+ attacks/)
})
