import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UNCHARGED, type UnchargedOptions } from '../../src/template/run/uncharged.js'
import { createHardStop, SLICE_LIMIT_MS } from '../../src/util/hard-stop.js'
import { type Json, startTestApp, type TestApp } from '../support/test-app.js'
import { STOPS, type StopRow } from './tables/stops.js'

/** Without charges: the stop alone holds. */
const renderOptions: UnchargedOptions = { [UNCHARGED]: true }
/** On a busy machine too whatever is stopped had the processor. */
let processorMs = 0
const guard = createHardStop({ processorMs: () => (processorMs += SLICE_LIMIT_MS) })

const registered = ({ action }: StopRow) => `{{$v := .variables.v}}${action}`

/** The ways in which a row comes to the service: the request for it. */
const WAYS: Readonly<Record<string, (row: StopRow, index: number) => readonly [url: string, body: Json]>> = {
  'in a text of the request': (row) => [
    '/api/render',
    { prompt: { userPrompt: registered(row) }, variables: { v: row.data ?? null } },
  ],
  'in a second message': (row) => [
    '/api/render',
    {
      prompt: {
        messages: [
          { role: 'system', content: 'hello' },
          { role: 'user', content: registered(row) },
        ],
      },
      variables: { v: row.data ?? null },
    },
  ],
  'behind a turn for others': (row) => [
    '/api/render',
    {
      prompt: { userPrompt: `{{range until 90000}}{{$_ := print . "a"}}{{end}}${registered(row)}` },
      variables: { v: row.data ?? null },
    },
  ],
  'in a prompt that is registered': (row, index) => [
    `/api/render/prompts/stops.row${index}`,
    { variables: { v: row.data ?? 'x'.repeat(5_000) } },
  ],
  'in a prompt that another one includes': (row, index) => [
    `/api/render/prompts/stops.around${index}`,
    { variables: { v: row.data ?? 'x'.repeat(5_000) } },
  ],
  'with shared data': (_row, index) => [`/api/render/prompts/stops.shared${index}`, { variables: {} }],
}

function documentsOf(rows: readonly StopRow[]): Record<string, unknown> {
  const documents: Record<string, unknown> = {
    'templates/stops/small.json': { userPrompt: 'Hello {{.variables.name}}' },
  }
  for (const [index, row] of rows.entries()) {
    documents[`templates/stops/row${index}.json`] = { userPrompt: registered(row) }
    documents[`templates/stops/around${index}.json`] = { userPrompt: `a{{template "stops.row${index}" .}}` }
    documents[`templates/stops/shared${index}.json`] = {
      userPrompt: `{{$v := .shared${index}.v}}${row.action}`,
    }
    documents[`environs/shared${index}.json`] = { v: row.data ?? 'x'.repeat(5_000) }
  }
  return documents
}

describe.each(Object.entries(WAYS))('without charges, by the stop alone, %s', (_way, requestOf) => {
  let service: TestApp
  beforeAll(async () => {
    const environment = { RENDER_TIMEOUT_MS: '60000' }
    service = await startTestApp(documentsOf(STOPS), environment, { guard, renderOptions })
  })
  afterAll(() => service.close())

  it.each(STOPS.map((row, index) => ({ row, name: row.name, index })))(
    'ends $name',
    async ({ row, index }) => {
      const [url, body] = requestOf(row, index)
      const answer = await service.post(url, body)
      expect([answer.status, answer.body.error?.code]).toEqual([503, 'render_limit'])
      const metrics = await service.app.server.inject('/metrics')
      expect(metrics.body).toContain('slices_stopped_total{work="render",cause="long"}')
    },
  )
})

it('what was stopped a moment ago is refused without being begun', async () => {
  const service = await startTestApp({}, { RENDER_TIMEOUT_MS: '60000' }, { guard, renderOptions })
  const [row] = STOPS
  const messages: string[] = []
  for (let request = 0; request < 5; request += 1) {
    const { status, body } = await service.post('/api/render', { prompt: { userPrompt: row?.action } })
    expect([status, body.error.code]).toEqual([503, 'render_limit'])
    messages.push(body.error.message)
  }
  expect(messages[0]).toContain('held the service for')
  // A refusal lasts a second at first: on any machine some of these come within it.
  expect(messages.filter((message) => message.includes('not tried again yet')).length).toBeGreaterThan(0)
  await service.close()
})
