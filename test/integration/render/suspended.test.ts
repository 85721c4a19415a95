import { expect, it } from 'vitest'
import { MAX_ATTEMPTS } from '../../../src/prompts/limits.js'
import type { ToolCaller } from '../../../src/tools/tool.js'
import { type SliceGuard, SliceStopped } from '../../../src/util/slices/slice.js'
import { recordingLogger } from '../../support/recording-logger.js'
import { startTestApp } from '../../support/test-app.js'

const DOCUMENTS = {
  'templates/partials/house.json': { userPrompt: 'Be brief.' },
  'tools/docs/search.json': {
    ...{ name: 'search', module: 'docs', type: 'restful', url: 'http://docs.example/search', readOnly: true },
    parameters: [{ name: 'query', type: 'string' }],
  },
}
const PREVIEW = {
  prompt: {
    messages: [
      { role: 'system', content: '{{define "x"}}a{{end}}{{template "x"}} {{template "partials.house" .}}' },
      {
        role: 'user',
        content: '{{docs_search "one"}} {{docs_search (docs_search "two")}} {{docs_search "one"}}',
      },
    ],
  },
}
const RENDERED = ['a Be brief.', 'one: 2 two: 2: 2 one: 2']
const CALLED = ['one', 'one', 'two', 'two: 2']

/** Suspends the process in the slices with these numbers, once each was done in part or whole. */
function suspending(numbers: (slice: number) => boolean) {
  let slices = 0
  const patience: number[] = []
  const guard: SliceGuard = (slice, patient = 1) => {
    slices += 1
    patience.push(patient)
    if (!numbers(slices)) return slice()
    slice()
    throw new SliceStopped(80, 5)
  }
  return { guard, patience, count: () => slices }
}

/** Renders the preview. @returns its answer, and what the tool was called with */
async function preview(guard: SliceGuard) {
  const called: string[] = []
  const tools: ToolCaller = {
    async call(_tool, given) {
      const query = String(Object.values(given as object)[0])
      called.push(query)
      await new Promise((resolve) => setTimeout(resolve, 2))
      return { ok: true, value: `${query}: 2`, cached: false, warnings: [], durationMs: 1, arguments: given }
    },
    refuse: () => {
      throw new Error('no tool is refused')
    },
    status: { inFlight: 0, breakers: [] },
  }
  const service = await startTestApp(DOCUMENTS, { RENDER_TIMEOUT_MS: '60000' }, { guard, tools })
  const { status, body } = await service.post('/api/render?explain=spans', PREVIEW)
  await service.close()
  return { status, body, called: called.toSorted() }
}

function contentsOf(body: { readonly rendered_prompt: readonly { readonly content: string }[] }) {
  return body.rendered_prompt.map(({ content }) => content)
}

it('a render that is suspended in any slice is done again, and calls each tool once', async () => {
  const usual = suspending(() => false)
  await preview(usual.guard)
  expect(usual.count()).toBeGreaterThan(5)
  let again = 0
  for (let number = 1; number <= usual.count(); number += 1) {
    const { guard, patience } = suspending((slice) => slice === number)
    const { status, body, called } = await preview(guard)
    expect([number, status, body.error]).toEqual([number, 200, undefined])
    expect([number, contentsOf(body)]).toEqual([number, RENDERED])
    expect([number, called]).toEqual([number, CALLED])
    expect([number, body.explain.tools.length]).toEqual([number, CALLED.length])
    if (patience.includes(5)) again += 1
  }
  // What a slice at the very end leaves to do is nothing.
  expect(again).toBeGreaterThan(5)
})

it('a render that is suspended is done again in another turn of the loop', async () => {
  const order: string[] = []
  let slices = Number.NEGATIVE_INFINITY
  const guard: SliceGuard = (slice) => {
    slices += 1
    const result = slice()
    if (slices < 1) return result
    order.push(`slice ${slices}`)
    // Looking at the request is one slice, the text is the next one.
    if (slices !== 2) return result
    setImmediate(() => order.push('others'))
    throw new SliceStopped(80, 5)
  }
  const service = await startTestApp({}, { RENDER_TIMEOUT_MS: '60000' }, { guard })
  const render = () =>
    service.post('/api/render', {
      prompt: { userPrompt: 'Hello {{.variables.name}}' },
      variables: { name: 'Ann' },
    })
  await render()
  slices = 0
  expect((await render()).body.rendered_prompt).toBe('Hello Ann')
  expect(order.slice(0, 4)).toEqual(['slice 1', 'slice 2', 'others', 'slice 3'])
  await service.close()
})

it('a process that is suspended in every attempt is overloaded, and refuses nothing afterwards', async () => {
  const { guard, count } = suspending(() => true)
  const { status, body } = await preview(guard)
  expect([status, body.error.code]).toEqual([503, 'overloaded'])
  expect(count()).toBe(MAX_ATTEMPTS)
})

it('a stop is a line of the log with its place, and nothing that was compiled of it is used again', async () => {
  const { logger, lines } = recordingLogger()
  let left = Number.POSITIVE_INFINITY
  const guard: SliceGuard = (slice) => {
    left -= 1
    const result = slice()
    if (left === 0) throw new SliceStopped(61.4)
    return result
  }
  const documents = {
    'templates/a/stopped.json': { userPrompt: 'one\n{{.variables.secret | upper}}{{template "a.part" .}}' },
    'templates/a/part.json': { userPrompt: 'part' },
    'templates/a/other.json': { userPrompt: 'other' },
  }
  const service = await startTestApp(documents, {}, { guard, logger })
  const render = (id: string) =>
    service.post(`/api/render/prompts/a.${id}`, { variables: { secret: 'canary'.repeat(1_000) } })
  const misses = async () => {
    const { body } = await service.app.server.inject('/metrics')
    return Number(/template_cache_misses (\d+)/.exec(body)?.[1])
  }
  for (const id of ['stopped', 'part', 'other']) expect((await render(id)).status).toBe(200)
  // Looking at the request is one slice, the text is the next one.
  left = 2
  expect((await render('stopped')).body.error.code).toBe('render_limit')
  expect(lines().filter(({ work }) => work === 'render')).toEqual([
    {
      ...{ level: 'warn', msg: 'held the event loop and was stopped', work: 'render', name: 'a.stopped' },
      ...{ took_ms: 61, template: 'a.stopped', line: 2, column: expect.any(Number), function: 'upper' },
    },
  ])
  expect(JSON.stringify(lines())).not.toContain('canary')
  const before = await misses()
  await render('other')
  expect(await misses()).toBe(before)
  await render('part')
  expect(await misses()).toBe(before + 1)
  await service.close()
})
