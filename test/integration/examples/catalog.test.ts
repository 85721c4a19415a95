import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.js'
import { buildTestApp } from '../../support/build-test-app.js'

const directory = join(import.meta.dirname, '../../../examples/catalog')

let app: App
beforeAll(async () => {
  app = await buildTestApp({ CATALOG_DIR: directory })
})
afterAll(() => app.close())

async function render(id: string, variables: object, query = '') {
  const response = await app.server.inject({
    method: 'POST',
    url: `/api/render/prompts/${id}${query}`,
    payload: { variables },
  })
  const body = response.json()
  expect([id, response.statusCode, body.error?.message]).toEqual([id, 200, undefined])
  return body
}

/** What every prompt of the catalog makes of typical variables. */
const ROWS: readonly {
  readonly id: string
  readonly variables: object
  readonly contains: readonly string[]
  readonly lacks?: readonly string[]
}[] = [
  {
    id: 'evaluator.evaluate_quality',
    variables: { repo: 'https://example.org/x' },
    contains: [
      'You are a code review assistant',
      'Repository: https://example.org/x\\n',
      '1. Correctness: errors are handled',
      'name: order-service',
    ],
  },
  {
    id: 'planner.plan',
    variables: { task_description: 'Forecast the load', available_tools: '- load_read' },
    contains: ['You are a professional task planner', 'Task: Forecast the load\\n', '- load_read', '{}'],
  },
  {
    id: 'planner.evaluate',
    variables: { task_description: 'Forecast', execution_plan: 'PLAN', execution_results: 'RESULTS' },
    contains: ['You are a strict evaluator', 'Goal: Forecast\\n\\nPlan:\\nPLAN\\n\\nResults:\\nRESULTS'],
  },
  {
    id: 'planner.reflect',
    variables: {
      task_description: 'Forecast',
      original_plan: 'PLAN',
      evaluation_result: '{"overall_score":50}',
    },
    contains: ['an expert of deep reflection', 'PLAN', 'overall_score', 'This was round 1 of at most 1.'],
  },
  {
    id: 'planner.step',
    variables: { task_description: 'Forecast', step: 'STEP', error: 'unreachable: no' },
    contains: ['A step of a task has failed', 'STEP', 'unreachable: no'],
  },
  {
    id: 'review.code_review',
    variables: { code: 'x := 1', focus: ['security', 'tests'] },
    contains: [
      'senior go engineer',
      'focus on security, tests.',
      'Team rules:',
      '```go\\nx := 1\\n```',
      'name files, functions and lines',
    ],
    lacks: ['Address the author'],
  },
  {
    id: 'review.commit_message',
    variables: { diff: '+a', ticket: 'AB-1', max_length: 50 },
    contains: ['(one of feat fix docs', 'at most 50 characters', 'Refs: AB-1'],
  },
  { id: 'review.commit_message', variables: { diff: '+a' }, contains: ['at most 72'], lacks: ['Refs:'] },
  {
    id: 'review.security_audit',
    variables: { function: 'Login', code: 'f()', exposure: 'internet' },
    contains: ['Audit the function Login.', 'treat every input as hostile'],
    lacks: ['It is referenced here'],
  },
  {
    id: 'chat.explain_code',
    variables: { code: 'x' },
    contains: ['junior developer', 'written in go with gin, gorm, gin-swagger.'],
  },
  {
    id: 'chat.project_assistant',
    variables: { question: 'Where are discounts?' },
    contains: [
      'project order-service',
      '- api      12 files',
      '- internal/pricing/discount.go',
      'You run on deepseek-v3.',
    ],
  },
  {
    id: 'completion.fill_in_middle',
    variables: { prefix: 'if err ', suffix: '}' },
    contains: ['if err <CURSOR>}', 'gin, gorm'],
  },
  {
    id: 'completion.unit_tests',
    variables: { code: 'f()' },
    contains: ['1. an empty input', '3. an input that must fail'],
  },
  {
    id: 'completion.unit_tests',
    variables: { code: 'f()', cases: [] },
    contains: ['table-driven tests'],
    lacks: ['Cover at least'],
  },
  {
    id: 'data.text_to_sql',
    variables: { question: 'How many orders?', tables: { orders: ['id', 'total'], customers: ['id'] } },
    contains: ['PostgreSQL', '- customers(id)\\n- orders(id, total)'],
  },
  {
    id: 'translator.translate_zh_en',
    variables: { code: '// 你好', language: 'go', keep: ['foo', 'bar'] },
    contains: ['Return only the code.', 'Do not translate: foo, bar.', '// 你好'],
  },
  {
    id: 'translator.translate_en_zh',
    variables: { text: 'prompt cache', glossary: { prompt: '提示词', cache: '缓存' } },
    contains: ['翻译成自然的简体中文', '- cache → 缓存\\n- prompt → 提示词'],
  },
  {
    id: 'writing.weekly_report',
    variables: {
      records: [
        { content: '接口联调', status: '完成', owner: '李雷' },
        { content: '压测', status: '阻塞' },
      ],
    },
    contains: ['你是研发工程师', '- [完成] 接口联调（负责人：李雷）', '- [阻塞] 压测'],
    lacks: ['下周计划'],
  },
  { id: 'writing.weekly_report', variables: { records: [] }, contains: ['（本周没有记录）'] },
  {
    id: 'writing.role_question',
    variables: { question: '什么是幂等?', context: '支付系统' },
    contains: ['你是资深软件工程师。', '参考背景:支付系统', '提问:什么是幂等?'],
  },
  {
    id: 'writing.role_question',
    variables: { question: '什么是幂等?' },
    contains: ['提问:什么是幂等?'],
    lacks: ['参考背景'],
  },
  {
    id: 'vision.describe_image',
    variables: { image: 'https://example.org/a.png' },
    contains: ['screenshot of the application', '"url":"https://example.org/a.png"'],
  },
  {
    id: 'review.change_impact',
    variables: { function: 'applyDiscount', intent: 'round half up' },
    contains: ['I am going to change applyDiscount of order-service.', 'The change: round half up'],
    lacks: ['Called by', 'Open issues'],
  },
  { id: 'partials.house_style', variables: {}, contains: ['Answer in the language'] },
]

describe('the bundled catalog', () => {
  it('has nothing wrong with it', async () => {
    expect(await app.findings.all()).toEqual([])
  })

  it.each(ROWS)('renders $id with $variables', async ({ id, variables, contains, lacks = [] }) => {
    const text = JSON.stringify((await render(id, variables)).rendered_prompt)
    for (const part of contains) expect(text).toContain(part)
    for (const part of lacks) expect(text).not.toContain(part)
    expect(text).not.toContain('<no value>')
  })

  it.each(ROWS)('rehearses $id with $variables', async ({ id, variables }) => {
    const body = await render(id, variables, '?dry_run=true')
    expect(body.status).toBe('success')
    expect(body.warnings).toBeUndefined()
  })

  it('renders every prompt in some row, but for those only others include', () => {
    const rendered = new Set(ROWS.map(({ id }) => id))
    const missing = app.registry.current.prompts.ids().filter((id) => !rendered.has(id))
    expect(missing).toEqual(['partials.code_block'])
  })

  it('names what the seeds promise', () => {
    const { extensions, environs, tools } = app.registry.current
    expect(extensions.ids()).toEqual(expect.arrayContaining(['evaluator', 'translator']))
    expect(environs.ids()).toEqual(
      expect.arrayContaining([
        'vscode.programming_language',
        'vscode.frameworks',
        'vscode.rules',
        'codebase.current_project',
      ]),
    )
    expect(tools.ids()).toEqual(
      expect.arrayContaining(['codebase.lookup_ref', 'codebase.caller', 'translator.translate_zh_en']),
    )
  })
})
