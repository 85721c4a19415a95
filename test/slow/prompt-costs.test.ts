import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unguarded } from '../../src/util/slices/slice.js'
import { costCases, titleOf } from '../support/costs/cost-cases.js'
import { leastOf, longestOf, paceOf } from '../support/costs/longest-piece.js'
import { createShapes } from '../support/costs/shapes.js'
import { createRandom } from '../support/random.js'
import { startTestApp, type TestApp } from '../support/test-app.js'

/** This many of all cases, others with every seed. */
const SAMPLE = 250
/** What is promised, in processor time of one piece: on top of it comes that the client is in the same process. */
const LONGEST_MS = 30
const ATTEMPTS = 6
/** What requests have at most, with what is around the variables. */
const OF_REQUEST = { bytes: (4 << 20) - 100, values: 99_000 }
const OF_MESSAGE = { bytes: (256 << 10) - 500, values: 9_900 }

const random = createRandom(Number(process.env['COSTS_SEED'] ?? 20_261))
/** What requests cannot have, and what only programs have, is elsewhere. */
const all = [...costCases()].filter(
  ({ dialect, source, shape }) => dialect === 'go' && !source.includes('own ') && !shape.startsWith('deep'),
)
const ROWS = Array.from({ length: SAMPLE }, (_, index) => ({ ...random.pick(all), id: `costs.row${index}` }))

const valuesOf = createShapes()
const variablesOf = (shape: string, size: number) => ({
  large: valuesOf(shape, size),
  small: [1, 2, 3],
  few: { a: 1 },
})

const DOCUMENTS = Object.fromEntries(
  ROWS.map(({ source }, index) => [
    `templates/costs/row${index}.json`,
    { userPrompt: source.replaceAll(/[$]?[.](large|small|few)\b/g, '$.variables.$1') },
  ]),
)

let service: TestApp
beforeAll(async () => {
  // By charges and bounds alone.
  service = await startTestApp(DOCUMENTS, { RENDER_TIMEOUT_MS: '150' }, { guard: unguarded })
})
afterAll(() => service.close())

const ENDS = ['200', 'render_limit', 'render_timeout', 'template_error']

async function askHttp(id: string, variables: object): Promise<string> {
  const { status, body } = await service.post(
    `/api/render/prompts/${id}`,
    `{"variables":${JSON.stringify(variables)}}`,
  )
  return body.error?.code ?? String(status)
}

async function askMcp(id: string, variables: object): Promise<string> {
  const params = { name: 'render_prompt', arguments: { id, variables } }
  const { statusCode, body } = await service.app.server.inject({
    method: 'POST',
    url: '/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return /"result"/.test(body) ? '200' : `${statusCode} ${body.slice(0, 200)}`
}

describe.each([
  { name: 'a registered prompt', ask: askHttp, most: OF_REQUEST },
  { name: 'a tool of /mcp', ask: askMcp, most: OF_MESSAGE },
])('every function with large variables of $name', ({ ask, most }) => {
  it('holds nobody up', { timeout: 600_000 }, async () => {
    const wrong: string[] = []
    let asked = 0
    for (const { id, ...each } of ROWS) {
      const { shape, size } = each
      const variables = variablesOf(shape, size)
      const bytes = Buffer.byteLength(JSON.stringify(variables))
      if (bytes > most.bytes || valuesIn(variables) > most.values) continue
      asked += 1
      let end = ''
      const ms = await leastOf(ATTEMPTS, LONGEST_MS, () =>
        longestOf(async () => {
          end = await ask(id, variables)
        }),
      )
      if (!ENDS.includes(end)) wrong.push(`${end}: ${titleOf(each)}`)
      if (ms > LONGEST_MS * paceOf()) wrong.push(`${ms.toFixed(0)} ms: ${titleOf(each)}`)
    }
    expect(asked).toBeGreaterThan(SAMPLE / 20)
    expect(wrong).toEqual([])
  })
})

/** With the names of members. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  const names = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce((sum: number, each) => sum + valuesIn(each), names + 1)
}
