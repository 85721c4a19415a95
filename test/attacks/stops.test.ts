import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { UNCHARGED, type UnchargedOptions } from '../../src/template/run/uncharged.js'
import { SLICES } from '../../src/util/slices/budgets.js'
import { createHardStop } from '../../src/util/slices/hard-stop.js'
import { unguarded } from '../../src/util/slices/slice.js'
import type { TestServer } from '../integration/tools/http-server.js'
import { leastOf, longestOf } from '../support/costs/longest-piece.js'
import { type Json, startTestApp, type TestApp } from '../support/test-app.js'
import { waitUntil } from '../support/wait-until.js'
import { ANSWER_WAYS, answerDocuments, startAnswers } from './support/costly-answers.js'
import { dataOf, storedDocuments, textOf } from './support/costly-requests.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'
import { COSTLY_CALLS, type CostlyCall } from './tables/costly-calls.js'

/** On a busy machine too whatever is stopped had the processor. */
let processorMs = 0
const guard = createHardStop({ processorMs: () => (processorMs += SLICES.stop.ms) })
const uncharged: UnchargedOptions = { [UNCHARGED]: true }

const ATTEMPTS = 5
/** Longer than any refusal of what was stopped. */
const LATER_MS = 3_600_000
/** Without its charges it holds the event loop for long on any machine: each step compares 16 MB. */
const HOLDS_ON = `{{$t := repeat 80000 "aaaaaaaaaa"}}{{$l := print $t "b"}}{{range 20000}}{{if and${' (hasPrefix $t $l)'.repeat(20)}}}{{end}}{{end}}`
/** How far the service's clock is ahead. */
let aheadMs = 0
const { now } = Date

/** Some fit after all, and some are no right calls. */
const ENDS = [200, 'render_limit', 'render_timeout', 'template_error']

/** A request, by the number of its row. */
type Way = (row: CostlyCall, index: number) => readonly [url: string, body: Json]

const inline = (row: CostlyCall, before: string): readonly [string, Json] => [
  '/api/render',
  {
    prompt: { userPrompt: before + textOf(row, '.variables.v') },
    variables: { v: dataOf(row) },
  },
]

const WAYS: Readonly<Record<string, Way>> = {
  'in a text of the request': (row) => inline(row, ''),
  'in a second message': (row) => [
    '/api/render',
    {
      prompt: {
        messages: [
          { role: 'system', content: 'hello' },
          { role: 'user', content: textOf(row, '.variables.v') },
        ],
      },
      variables: { v: dataOf(row) },
    },
  ],
  'behind a turn for others': (row) => inline(row, '{{range until 90000}}{{$_ := print . "a"}}{{end}}'),
  'behind the call of a tool': (row) => inline(row, '{{$_ := m_read "small"}}'),
  'in a prompt that is registered': (row, index) => [
    `/api/render/prompts/costly.row${index}`,
    { variables: { v: dataOf(row) } },
  ],
  'in a prompt that another one includes': (row, index) => [
    `/api/render/prompts/costly.around${index}`,
    { variables: { v: dataOf(row) } },
  ],
  'with shared data': (_row, index) => [`/api/render/prompts/costly.shared${index}`, { variables: {} }],
  // Those that begin with 'in the answer of a tool'.
  ...Object.fromEntries(
    Object.entries(ANSWER_WAYS).map(([way, bodyOf]): [string, Way] => [
      way,
      (row, index) => ['/api/render', bodyOf(row, index)],
    ]),
  ),
}

function documentsOf(rows: readonly CostlyCall[], url: string): Record<string, unknown> {
  const documents: Record<string, unknown> = {
    ...answerDocuments([], url),
    ...storedDocuments(rows),
  }
  for (const [index, row] of rows.entries()) {
    documents[`templates/costly/around${index}.json`] = { userPrompt: `a{{template "costly.row${index}" .}}` }
    documents[`templates/costly/shared${index}.json`] = { userPrompt: textOf(row, `.shared${index}.v`) }
    documents[`environs/shared${index}.json`] = { v: dataOf(row) }
  }
  return documents
}

/** Every call in every way takes minutes; CI takes each call in one of the ways. */
const IN_ONE_WAY = process.env['TEST_WAYS'] === 'one'
const CALLS = COSTLY_CALLS.map((row, index) => ({ row, name: row.name, index }))
const ways = Object.entries(WAYS).map(([way, requestOf], place, all) => {
  const calls = IN_ONE_WAY ? CALLS.filter(({ index }) => index % all.length === place) : CALLS
  return { way, requestOf, calls }
})

/** What holds: both nets as in a service, and each of them alone. */
const NETS = [
  { net: 'by charges and the stop', longestMs: LOOP_BOUND_MS, overrides: { guard } },
  { net: 'by charges alone', longestMs: LOOP_BOUND_MS, overrides: { guard: unguarded } },
  // What V8 cannot end in the midst, and the watchdog's own delay, come on top of the limit.
  { net: 'by the stop alone', longestMs: 150, overrides: { guard, renderOptions: uncharged } },
]

let tool: TestServer
beforeAll(async () => {
  // In the same process: what it sends is made before.
  tool = await startAnswers(COSTLY_CALLS)
})
afterAll(() => tool.close())

describe.each(NETS)('what was charged wrongly once is ended $net', ({ longestMs, overrides }) => {
  let service: TestApp
  let stopped = 0
  beforeAll(async () => {
    vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs)
    const environment = { RENDER_TIMEOUT_MS: '1000', TOOL_ALLOWED_HOSTS: '127.0.0.1:*' }
    service = await startTestApp(documentsOf(COSTLY_CALLS, tool.url), environment, overrides)
    await waitUntil(async () => (await service.get('/readyz')).status === 200)
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    await service.close()
  })

  describe.each(ways)('$way', ({ requestOf, calls }) => {
    it.each(calls)('$name', async ({ row, index }) => {
      const [url, body] = requestOf(row, index)
      const payload = JSON.stringify(body)
      let ended = 'did not end'
      const ms = await leastOf(ATTEMPTS, longestMs, () => {
        // What was stopped before is not refused for that.
        aheadMs += LATER_MS
        return longestOf(async () => {
          const { status, body } = await service.post(url, payload)
          ended = body.error?.code ?? status
          if (isStop(body)) stopped += 1
        })
      })
      expect(ENDS).toContain(ended)
      expect(ms).toBeLessThan(longestMs)
    })
  })

  it('by what holds', async () => {
    aheadMs += LATER_MS
    const { status, body } = await service.post('/api/render', { prompt: { userPrompt: HOLDS_ON } })
    expect(status).toBe(503)
    expect(isStop(body)).toBe('renderOptions' in overrides)
    if (overrides.guard === unguarded) expect(stopped).toBe(0)
  })
})

/** Whether a render was ended by the stop, whatever it was charged. */
function isStop(body: Json): boolean {
  return body.error?.message?.includes('held the service') === true
}

it('what was stopped a moment ago is refused without being begun', async () => {
  const overrides = { guard, renderOptions: uncharged }
  const service = await startTestApp({}, { RENDER_TIMEOUT_MS: '60000' }, overrides)
  const messages: string[] = []
  for (let request = 0; request < 5; request += 1) {
    const { status, body } = await service.post('/api/render', { prompt: { userPrompt: HOLDS_ON } })
    expect([status, body.error.code]).toEqual([503, 'render_limit'])
    messages.push(body.error.message)
  }
  expect(messages[0]).toContain('held the service for')
  // A refusal lasts a second at first: on any machine some of these come within it.
  expect(messages.filter((message) => message.includes('not tried again yet')).length).toBeGreaterThan(0)
  await service.close()
})
