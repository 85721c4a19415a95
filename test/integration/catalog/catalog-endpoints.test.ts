import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUNDLED_IDS } from '../../support/bundled-ids.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const extension = {
  name: 'evaluator',
  description: 'Evaluates',
  version: '1.0.0',
  contributes: {
    prompts: [
      {
        name: 'quality',
        messages: [{ role: 'user', content: 'from the extension' }],
        supports: ['codereview'],
      },
      { name: 'style', userPrompt: 'style', supports: ['chat'] },
    ],
  },
}

let shell: TestApp
beforeAll(async () => {
  shell = await startTestApp({
    'extensions/evaluator.json': extension,
    'templates/evaluator/quality.json': { userPrompt: 'direct', supports: ['chat'], description: 'Überall' },
    'templates/writing/mail.yaml':
      'userPrompt: Hello {{.variables.name}}\nparameters: [{name: name, type: string}]\nexamples: {ada: {name: Ada}, broken: 7}\n',
    'templates/broken/syntax.json': { userPrompt: '{{if' },
    'templates/broken/json.json': '{"userPrompt":',
    'environs/vscode/rules.json': { naming: ['short', { deep: true }] },
    'environs/vscode/big.json': '12345678901234567890',
    'environs/flat.json': '"text"',
    'environs/__proto__.json': '{"x":1}',
    'tools/codebase/lookup_ref.json': {
      name: 'lookup_ref',
      module: 'codebase',
      type: 'restful',
      url: '/refs',
      description: 'Finds references',
      supports: ['chat'],
      parameters: { type: 'object', properties: { symbol: { type: 'string' } } },
    },
  })
})
afterAll(() => shell.close())

const idsOf = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id)

describe('lists', () => {
  it('lists prompts of both origins, sorted; direct beats extension; broken ones are left out', async () => {
    const { body } = await shell.get('/api/prompts')
    expect(idsOf(body)).toEqual(['evaluator.quality', 'evaluator.style', ...BUNDLED_IDS, 'writing.mail'])
    expect(body.total).toBe(3 + BUNDLED_IDS.length)
    expect(body.items.map(({ origin }: { origin: string }) => origin)).toEqual([
      'direct',
      'extension',
      ...BUNDLED_IDS.map(() => 'bundled'),
      'direct',
    ])
    expect(body.items[0]).toMatchObject({ kind: 'prompt', supports: ['chat'], revision: expect.any(String) })
  })

  it('shows of each item what `fields` names, and examples where there are some', async () => {
    const { body } = await shell.get('/api/prompts?q=writing&fields=name,examples,nothing')
    expect(body.items).toEqual([{ id: 'writing.mail', name: 'mail', examples: ['ada'] }])
    const { body: others } = await shell.get('/api/prompts?q=evaluator&fields=examples')
    expect(others.items).toEqual([{ id: 'evaluator.quality' }, { id: 'evaluator.style' }])
  })

  it.each([
    ['/api/prompts?supports=chat', ['evaluator.quality', 'evaluator.style']],
    ['/api/prompts?supports=codereview', []],
    ['/api/prompts?q=MAIL', ['writing.mail']],
    ['/api/prompts?q=überall', ['evaluator.quality']],
    ['/api/prompts?q=nothing', []],
    ['/api/prompts?q=mail%20writing', ['writing.mail']],
    ['/api/prompts?q=mail%20nothing', []],
    ['/api/extensions?supports=codereview', ['evaluator']],
    ['/api/extensions?supports=completion', []],
    ['/api/tools?supports=chat&q=references', ['codebase.lookup_ref']],
    ['/api/environs?q=vscode', ['vscode.big', 'vscode.rules']],
  ])('%s', async (url, expected) => {
    const { status, body } = await shell.get(url)
    expect([status, idsOf(body)]).toEqual([200, expected])
  })

  it('lists the one with an id', async () => {
    const { body } = await shell.get('/api/prompts?id=writing.mail&fields=name')
    expect(body).toMatchObject({ items: [{ id: 'writing.mail', name: 'mail' }], total: 1 })
    for (const url of ['/api/prompts?id=writing', '/api/prompts?id=writing.mail&q=other'])
      expect(idsOf((await shell.get(url)).body)).toEqual([])
    expect(idsOf((await shell.get('/api/prompts?status=broken&id=broken.json')).body)).toEqual([
      'broken.json',
    ])
    const { body: tools } = await shell.get('/api/tools?id=codebase.lookup_ref&fields=readOnly')
    expect(tools.items).toEqual([{ id: 'codebase.lookup_ref', readOnly: false }])
  })

  it('pages by cursor', async () => {
    const first = await shell.get('/api/prompts?limit=5')
    expect([idsOf(first.body), first.body.total]).toEqual([
      ['evaluator.quality', 'evaluator.style', ...BUNDLED_IDS.slice(0, 3)],
      7,
    ])
    const second = await shell.get(`/api/prompts?limit=5&cursor=${first.body.next_cursor}`)
    expect([idsOf(second.body), second.body.next_cursor]).toEqual([
      ['planner.step', 'writing.mail'],
      undefined,
    ])
  })
})

describe('details', () => {
  it('shows a prompt as it was written, with origin and the schema of its variables', async () => {
    const { body } = await shell.get('/api/prompts/writing.mail')
    expect(body).toMatchObject({
      id: 'writing.mail',
      origin: 'direct',
      kind: 'prompt',
      userPrompt: 'Hello {{.variables.name}}',
      schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      examples: { ada: { name: 'Ada' } },
    })
  })

  it('brings the extension’s prompt back when the direct one goes', async () => {
    shell.catalog.remove('templates/evaluator/quality.json')
    await expect
      .poll(async () => (await shell.get('/api/prompts/evaluator.quality')).body)
      .toMatchObject({ origin: 'extension', extension: 'evaluator', kind: 'messages' })
  })

  it('shows extensions and tools, tools by either name', async () => {
    expect((await shell.get('/api/extensions/evaluator')).body).toMatchObject({
      id: 'evaluator',
      ...extension,
    })
    for (const id of ['codebase.lookup_ref', 'codebase_lookup_ref']) {
      const { body } = await shell.get(`/api/tools/${id}`)
      expect(body).toMatchObject({ id: 'codebase.lookup_ref', function: 'codebase_lookup_ref', url: '/refs' })
    }
  })

  it.each([
    ['vscode.rules', { naming: ['short', { deep: true }] }],
    ['vscode.rules.naming', ['short', { deep: true }]],
    ['vscode.rules.naming.1.deep', true],
    ['flat', 'text'],
    ['__proto__', { x: 1 }],
    ['__proto__.x', 1],
  ])('shows the environ %s', async (id, value) => {
    const { status, body } = await shell.get(`/api/environs/${id}`)
    expect([status, body.value]).toEqual([200, value])
  })

  it('shows a subtree, and keeps the digits of large integers', async () => {
    const response = await shell.app.server.inject('/api/environs/vscode')
    expect(response.body).toContain('"big":12345678901234567890')
    expect(response.body).toContain('"rules":{"naming"')
  })

  it.each([
    ['/api/prompts/writing.mial', 'prompt_not_found', ['writing.mail']],
    ['/api/prompts/mail', 'prompt_not_found', ['writing.mail']],
    ['/api/extensions/evaluater', 'extension_not_found', ['evaluator']],
    ['/api/environs/vscode.rule', 'environ_not_found', ['vscode.rules']],
    ['/api/environs/vscode.rules.naming.9', 'environ_not_found', undefined],
    ['/api/environs/vscode.rules.naming.01', 'environ_not_found', undefined],
    ['/api/environs/flat.length', 'environ_not_found', undefined],
    ['/api/tools/codebase.lookup', 'tool_not_found', ['codebase.lookup_ref']],
  ])('answers 404 for %s, with near names', async (url, code, near) => {
    const { status, body } = await shell.get(url)
    expect([status, body.error.code]).toEqual([404, code])
    if (near !== undefined) expect(body.error.details.near).toEqual(near)
  })
})

describe('broken documents', () => {
  it('are listed in the status and in their own detail, and everything else serves', async () => {
    const { body } = await shell.get('/api/status')
    expect(body.status).toBe('ready')
    const found = body.diagnostics.map(({ id, code }: { id: string; code: string }) => [id, code])
    expect(found).toEqual(
      expect.arrayContaining([
        ['broken.syntax', 'template_syntax'],
        ['broken.json', 'invalid_json'],
      ]),
    )
    const detail = await shell.get('/api/prompts/broken.syntax')
    expect(detail).toMatchObject({
      status: 200,
      body: { id: 'broken.syntax', revision: null, diagnostics: [{ code: 'template_syntax', line: 1 }] },
    })
  })

  it('answer 400 when they are rendered', async () => {
    const syntax = await shell.post('/api/render/prompts/broken.syntax', {})
    expect([syntax.status, syntax.body.error.code]).toEqual([400, 'template_syntax'])
    // Its place in the catalog, not on the server's disk.
    expect(syntax.body.error.details.location).toMatch(/(^|:)templates[/:]broken[./]syntax/)
    const json = await shell.post('/api/render/prompts/broken.json', {})
    expect([json.status, json.body.error.code]).toEqual([400, 'invalid_prompt'])
  })

  it('keep their last good version', async () => {
    shell.catalog.write('templates/writing/mail.yaml', 'userPrompt: "Hello {{.variables.name"\n')
    await expect
      .poll(async () => (await shell.get('/api/prompts/writing.mail')).body.diagnostics)
      .toMatchObject([{ code: 'template_syntax', servingLastGood: true }])
    const { body } = await shell.post('/api/render/prompts/writing.mail', { variables: { name: 'Ann' } })
    expect(body.rendered_prompt).toBe('Hello Ann')
  })
})
