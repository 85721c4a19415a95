import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.js'
import { buildTestApp } from '../../support/build-test-app.js'

interface Answer {
  readonly status: string
  readonly warnings?: unknown
  readonly explain?: { readonly tools: readonly Span[] }
}

interface Span {
  readonly start_ms: number
  readonly duration_ms: number
}

/** Whether all have started before the first one has ended. */
function areTogether(calls: readonly Span[]): boolean {
  const firstEnd = Math.min(...calls.map(({ start_ms: start, duration_ms: duration }) => start + duration))
  return calls.every(({ start_ms: start }) => start <= firstEnd + 1)
}

const root = resolve(import.meta.dirname, '../../..')
let server: ChildProcess
let app: App

beforeAll(async () => {
  server = spawn(process.execPath, ['examples/tool-server/server.mjs'], {
    cwd: root,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: server.stdout as NonNullable<typeof server.stdout> })
  const [line] = await once(lines, 'line')
  const url = /http:\/\/\S+/.exec(String(line))?.[0] ?? ''
  const environment = {
    CATALOG_DIR: resolve(root, 'examples/catalog'),
    TOOL_BASE_URL: url,
    RENDER_TIMEOUT_MS: '5000',
  }
  app = await buildTestApp(environment)
})
afterAll(async () => {
  await app.close()
  server.kill('SIGTERM')
  await once(server, 'exit')
})

async function post(url: string, payload: object) {
  const response = await app.server.inject({ method: 'POST', url, payload })
  return response.json()
}

/** The tools of the catalog are impatient: a busy machine gets several tries. */
async function settled(url: string, payload: object, isGood: (answer: Answer) => boolean) {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await post(url, payload)
    if (isGood(answer) || attempt === 20) return answer
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

describe("the demo tool server answers the bundled catalog's tools", () => {
  it.each([
    [
      'codebase.lookup_ref',
      { symbol: 'SaveOrder' },
      'internal/api/orders.go:63: err = storage.SaveOrder(ctx, order)',
    ],
    ['codebase.caller', { function: 'ApplyDiscount', limit: 1 }, ['api.CreateOrder']],
    ['translator.translate_zh_en', { code: '// 创建订单' }, { translated_code: '// create the order' }],
    [
      'docs.search',
      { query: 'How do discounts add up?', limit: 1 },
      [{ title: 'Discounts', text: 'Discounts never add up: the highest one counts.' }],
    ],
    ['issues.recent', { component: 'pricing' }, '#118 Coupon is applied twice when an order is retried'],
  ])('%s', async (id, given, value) => {
    const answer = await settled(
      `/api/tools/${id}/call`,
      { arguments: given },
      ({ status }) => status === 'success',
    )
    expect(answer).toMatchObject({ status: 'success', value })
    expect(answer.warnings).toBeUndefined()
  })

  it('covers every tool of the catalog', async () => {
    const { items } = (await app.server.inject('/api/tools')).json()
    expect(items.map(({ id }: { id: string }) => id)).toEqual([
      'codebase.caller',
      'codebase.lookup_ref',
      'docs.search',
      'issues.recent',
      'translator.translate_zh_en',
    ])
  })

  it('gives a prompt what it needs, over all three protocols at once', async () => {
    const variables = { function: 'ApplyDiscount', intent: 'Discounts of a coupon should add up' }
    const url = '/api/render/prompts/review.change_impact?explain=true'
    // A busy machine may be at the first answer before it has started the last call: once they were under way together.
    const answer = await settled(
      url,
      { variables },
      ({ warnings, explain }) => warnings === undefined && areTogether(explain?.tools ?? []),
    )
    expect(answer.warnings).toBeUndefined()
    expect(answer.explain.tools).toHaveLength(4)
    expect(areTogether(answer.explain.tools)).toBe(true)
    expect(answer.explain.variables).toContainEqual(
      expect.objectContaining({ path: 'variables.component', found: true, value: 'pricing' }),
    )
    expect(answer.rendered_prompt[1].content).toBe(
      [
        'I am going to change ApplyDiscount of order-service.',
        '',
        'Called by:',
        '- api.CreateOrder',
        '- api.PreviewOrder',
        '',
        'Referenced here:',
        'internal/api/orders.go:57: price = pricing.ApplyDiscount(price, order.Coupon)',
        '',
        'The documentation says:',
        '- Discounts: Discounts never add up: the highest one counts.',
        '',
        'Open issues:',
        '#118 Coupon is applied twice when an order is retried',
        '',
        'The change: Discounts of a coupon should add up',
      ].join('\n'),
    )
  })
})
