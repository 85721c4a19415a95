import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CatalogEvent } from '../../../src/registry/registry.js'
import { BUNDLED_IDS } from '../../support/bundled-ids.js'
import { type RecordingLogger, recordingLogger } from '../../support/recording-logger.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

let shell: TestApp
let logger: RecordingLogger
const events: CatalogEvent[] = []

beforeAll(async () => {
  logger = recordingLogger()
  shell = await startTestApp(
    {
      'templates/a/hello.yaml':
        'userPrompt: Hello {{.variables.name}}\nparameters: [{name: name, type: string}]\n',
      'templates/a/chat.json': { messages: [{ role: 'user', content: 'Hi' }] },
      'templates/a/never.json': '{"userPrompt":',
      'environs/team.json': { name: 'blue' },
      'environs/torn.json': '{"a":',
      'extensions/zgsm/evaluator.json': '{"name": "evaluator", "contributes":',
      'extensions/half.json': {
        name: 'half',
        contributes: {
          prompts: [
            { name: 'good', userPrompt: 'x' },
            { name: 'bad', userPrompt: '{{end}}' },
          ],
        },
      },
    },
    {},
    { logger: logger.logger },
  )
  shell.app.registry.subscribe((changes, _snapshot, conditions) => events.push(...changes, ...conditions))
})
afterAll(() => shell.close())

const condition = (change: 'broken' | 'mended', id: string) => () =>
  events.some((event) => event.change === change && event.id === id)

describe('a document that breaks while it is served', () => {
  it('is logged once at the start', () => {
    const lines = logger.lines().filter(({ msg }) => msg === 'a document is broken and not served')
    expect(lines.map(({ document }) => String(document).split('/').slice(-2).join('/')).sort()).toEqual([
      'a/never.json',
      'environs/torn.json',
      'extensions/half.json',
      'zgsm/evaluator.json',
    ])
  })

  it('is logged, told to readers of the events, and told by what it renders', async () => {
    const before = shell.app.registry.current.prompts.get('a.hello')?.revision
    shell.catalog.write(
      'templates/a/hello.yaml',
      'description: x\nuserPrompt: |\n  Hello\n  {{.variables.name\n',
    )
    await waitUntil(condition('broken', 'a.hello'), 'the event')
    expect(events.at(-1)).toMatchObject({
      kind: 'prompt',
      id: 'a.hello',
      change: 'broken',
      line: 4,
      servingLastGood: true,
    })
    expect(logger.lines().filter(({ msg }) => String(msg).includes('last good'))).toMatchObject([
      { level: 'warn', line: 4, error: expect.stringContaining('template: a.hello:3: unclosed action') },
    ])

    const rendered = await shell.app.server.inject({
      method: 'POST',
      url: '/api/render/prompts/a.hello',
      payload: { variables: { name: 'Ann' } },
    })
    expect(rendered.headers).toMatchObject({ 'x-prompt-stale': 'true', 'x-prompt-revision': before })
    expect(rendered.json()).toMatchObject({
      rendered_prompt: 'Hello Ann',
      warnings: [
        {
          code: 'stale_prompt',
          message: expect.stringMatching(/^an earlier version is served, the new one is broken at 4:\d+: /),
        },
      ],
    })
    const other = await shell.app.server.inject({ method: 'POST', url: '/api/render/prompts/a.chat' })
    expect(other.headers).not.toHaveProperty('x-prompt-stale')
  })

  it('is reported once more when it is valid again', async () => {
    shell.catalog.write('templates/a/hello.yaml', 'userPrompt: Hello again {{.variables.name}}\n')
    await waitUntil(condition('mended', 'a.hello'), 'the event')
    expect(logger.lines().filter(({ msg }) => msg === 'a document is valid again')).toMatchObject([
      { level: 'warn', document: expect.stringContaining('a/hello.yaml') },
    ])
    const { body } = await shell.post('/api/render/prompts/a.hello', { variables: { name: 'Ann' } })
    expect(body).toEqual({ status: 'success', kind: 'prompt', rendered_prompt: 'Hello again Ann' })
  })

  it('keeps an object of the context when broken JSON takes its place', async () => {
    shell.catalog.write('environs/team.json', '{"name":')
    await waitUntil(condition('broken', 'team'), 'the event')
    const { body } = await shell.get('/api/environs/team')
    expect(body).toMatchObject({ value: { name: 'blue' }, diagnostics: [{ servingLastGood: true }] })
  })
})

describe('broken documents', () => {
  it('are counted in lists, and listed when asked for', async () => {
    const all = await shell.get('/api/prompts')
    expect(all.body).toMatchObject({ total: 3 + BUNDLED_IDS.length, broken: 2 })
    const { body } = await shell.get('/api/prompts?status=broken')
    expect(body).toMatchObject({
      items: [
        { id: 'a.never', revision: null, serving_last_good: false, diagnostics: [{ code: 'invalid_json' }] },
        { id: 'half.bad', revision: null, diagnostics: [{ code: 'template_syntax' }] },
      ],
      total: 2,
      broken: 2,
    })
    const first = await shell.get('/api/prompts?status=broken&limit=1')
    const second = await shell.get(`/api/prompts?status=broken&limit=1&cursor=${first.body.next_cursor}`)
    expect([first.body.items, second.body.items].map(([item]) => item.id)).toEqual(['a.never', 'half.bad'])
    const extensions = await shell.get('/api/extensions?status=broken')
    expect(extensions.body.items.map(({ id }: { id: string }) => id)).toEqual(['half', 'zgsm.evaluator'])
  })

  it('are named by their files below the catalog, wherever they are shown', async () => {
    shell.catalog.write('prompts/lost.yaml', 'userPrompt: x\n')
    const answers = await Promise.all(
      ['/api/prompts?status=broken', '/api/environs/torn', '/api/prompts/a.never', '/api/status'].map((url) =>
        shell.get(url),
      ),
    )
    const [list, environ, prompt, status] = answers.map(({ body }) => body)
    expect(list.items[0].diagnostics[0]).toMatchObject({
      location: expect.stringMatching(/^templates\/a\/never\.\w+$/),
      serving_last_good: false,
    })
    expect(environ.diagnostics[0].location).toMatch(/^environs\/torn\.\w+$/)
    expect(prompt.diagnostics[0].location).toMatch(/^templates\/a\/never\.\w+$/)
    const places: readonly string[] = status.diagnostics.map(({ location }: { location: string }) => location)
    expect(places).toContain('prompts')
    expect(places.filter((place) => place.startsWith('/'))).toEqual([])
  })

  it('have a page of their own, environs too', async () => {
    const { status, body } = await shell.get('/api/environs/torn')
    expect([status, body]).toMatchObject([
      200,
      { id: 'torn', revision: null, diagnostics: [{ code: 'invalid_json' }] },
    ])
  })

  it('are shown as they are written', async () => {
    const { body } = await shell.get('/api/prompts/a.never')
    expect([body.source, body.diagnostics[0].code]).toEqual(['{"userPrompt":', 'invalid_json'])
    expect((await shell.get('/api/extensions/zgsm.evaluator')).body.source).toContain('"contributes":')
    expect((await shell.get('/api/prompts/a.chat')).body.source).toBeUndefined()
  })

  it('are named on the page of a prompt that a good extension contributes', async () => {
    expect((await shell.get('/api/prompts/half.bad')).body).toMatchObject({
      ...{ id: 'half.bad', revision: null },
      diagnostics: [{ kind: 'extensions', id: 'half', prompt: 'half.bad', code: 'template_syntax' }],
    })
  })

  it.each([
    { what: 'rendered', ask: () => shell.post('/api/render/prompts/evaluator.quality', {}) },
    { what: 'shown', ask: () => shell.get('/api/prompts/evaluator.quality') },
  ])('are named where a prompt of a broken extension is to be $what', async ({ ask }) => {
    const { status, body } = await ask()
    expect(status).toBe(404)
    expect(body.error).toMatchObject({
      code: 'prompt_not_found',
      message: expect.stringContaining('the extension zgsm.evaluator is broken, '),
      details: { broken: { kind: 'extensions', id: 'zgsm.evaluator', code: 'invalid_json', line: 1 } },
    })
  })
})

describe('the status', () => {
  it('has the findings of check, errors first, and how many there are', async () => {
    const { body } = await shell.get('/api/status')
    expect(body.diagnostics_total.errors).toBe(5)
    const severities = body.diagnostics.map(({ severity }: { severity: string }) => severity)
    expect(severities).toEqual([...severities].sort())
    expect(body.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'template_syntax', prompt: 'half.bad' }),
    )
  })
})

describe('variables that a prompt does not know', () => {
  it('are told with near names, and the render succeeds', async () => {
    shell.catalog.write('templates/a/known.yaml', KNOWN)
    await waitUntil(() => shell.app.registry.current.prompts.has('a.known'), 'the prompt')
    const { status, body } = await shell.post('/api/render/prompts/a.known', {
      variables: { text: 'x', max_lenght: 5, extra: 1 },
    })
    expect([status, body]).toMatchObject([
      200,
      {
        warnings: [
          {
            code: 'unknown_variable',
            path: 'variables.max_lenght',
            message: 'The prompt has no variable "max_lenght". Did you mean "max_length"?',
          },
          { code: 'unknown_variable', path: 'variables.extra' },
        ],
      },
    ])
  })

  it.each<[string, object, string]>([
    ['known.yaml', { text: 'x', undeclared: 1 }, 'is read all the same'],
    ['hello.yaml', { name: 'x', more: 1 }, 'nothing is declared any more'],
  ])('are not told for %s with %j: %s', async (file, variables, _why) => {
    const { body } = await shell.post(`/api/render/prompts/a.${file.slice(0, -5)}`, { variables })
    expect(body).toMatchObject({ status: 'success' })
    expect(body).not.toHaveProperty('warnings')
  })

  it('are not told of in conversations, where the variables are for all prompts', async () => {
    const { body } = await shell.post('/api/render', {
      variables: { text: 'x', name: 'y' },
      compose: [{ role: 'system', prompt: 'a.known' }, { prompt: 'a.hello' }],
    })
    expect(body).toMatchObject({ status: 'success' })
    expect(body).not.toHaveProperty('warnings')
  })

  it('are told a few at a time', async () => {
    const variables = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`n${index}`, index]))
    const { body } = await shell.post('/api/render/prompts/a.known', {
      variables: { text: 'x', ...variables },
    })
    expect(body.warnings).toHaveLength(10)
  })
})

const KNOWN = [
  'userPrompt: "{{.variables.text}} {{if .variables.undeclared}}!{{end}}"',
  'parameters:',
  '  - { name: text, type: string }',
  '  - { name: max_length, type: integer, default: 5 }',
].join('\n')
