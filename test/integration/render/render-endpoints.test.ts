import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

let shell: TestApp
beforeAll(async () => {
  shell = await startTestApp({
    // The example of the design document, literally.
    'environs/vscode/programming_language.json': '"go"',
    'environs/vscode/frameworks.json': '["gin", "gorm", "gin-swagger"]',
    'environs/variables.json': '{"key1":"shadowed"}',
    'templates/t/context.json': { userPrompt: '{{toRawJson .}}' },
    'templates/t/both.json': {
      userPrompt: '{{.variables.key1}} {{.args.key1}} {{.vscode.programming_language}}',
    },
    'templates/t/messages.json': {
      messages: [
        { role: 'system', content: 'Be "brief".\n' },
        { role: 'user', name: 'ann', content: 'Q: {{.variables.q}}' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See {{.variables.q}}' },
            { type: 'image_url', image_url: { url: 'https://x/{{.variables.q}}.png', detail: 'high' } },
          ],
        },
      ],
    },
    'templates/t/typed.json': {
      userPrompt: '{{.variables.n}} {{.variables.mode}} {{.variables.nested.depth}}',
      parameters: {
        type: 'object',
        properties: {
          n: { type: 'integer', minimum: 1 },
          mode: { type: 'string', enum: ['fast', 'slow'], default: 'fast' },
          nested: { type: 'object', properties: { depth: { type: 'integer', default: 3 } } },
        },
        required: ['n', 'nested'],
      },
    },
    'templates/t/missing.json': {
      userPrompt: '{{.a.b}} {{.variables.x}} {{.a.b}} {{if .variables.y}}{{.c.d}}{{end}} {{.vscode.nope}}',
      parameters: [
        { name: 'x', type: 'string' },
        { name: 'z', type: 'string', required: true },
      ],
    },
    'templates/t/optional.json': {
      userPrompt:
        'a{{if .nope}}x{{end}}{{with .vscode.nope}}{{.}}{{end}}{{range .variables.list}}{{.}}{{end}}b',
      parameters: [{ name: 'list', type: 'array', default: [] }],
    },
    'templates/t/outer.json': { userPrompt: 'Dear {{template "t.inner" .variables}}!' },
    'templates/t/inner.json': { userPrompt: '{{.title}} {{.name}}' },
    'templates/t/fails.json': { userPrompt: 'x{{index .vscode.frameworks 9}}' },
    'templates/t/loops.json': { userPrompt: '{{template "t.loops" .}}' },
    'templates/t/slow.json': {
      userPrompt: '{{range $i := until 9000}}{{range $j := until 9000}}{{if eq $i $j}}{{end}}{{end}}{{end}}',
    },
    'templates/t/tool.json': { userPrompt: 'refs: [{{code_refs "CreateObject"}}] {{code_fallback}}' },
    'tools/code/refs.json': {
      name: 'refs',
      module: 'code',
      type: 'restful',
      url: '/refs',
      description: '',
      parameters: { type: 'object', properties: { symbol: { type: 'string' } } },
    },
    'tools/code/fallback.json': {
      name: 'fallback',
      module: 'code',
      type: 'restful',
      url: '/x',
      description: '',
      default: 'none',
      parameters: { type: 'object', properties: {} },
    },
  })
})
afterAll(() => shell.close())

const render = (id: string, variables: unknown = {}) => shell.post(`/api/render/prompts/${id}`, { variables })

describe('the context object', () => {
  it('is the design document’s example', async () => {
    const { body } = await render('t.context', { key1: 'value1', key2: 'value2' })
    const { args, ...context } = JSON.parse(body.rendered_prompt)
    expect(context).toEqual({
      vscode: { programming_language: 'go', frameworks: ['gin', 'gorm', 'gin-swagger'] },
      variables: { key1: 'value1', key2: 'value2' },
    })
    expect(args).toEqual(context.variables)
  })

  it('shows the request’s variables under both names, and never the environ of that name', async () => {
    const { body } = await render('t.both', { key1: 'v' })
    expect(body.rendered_prompt).toBe('v v go')
    const old = await shell.post('/api/prompts/t.both/render', { args: { key1: 'v' } })
    expect(old.body.rendered_prompt).toBe('v v go')
  })
})

describe('answers', () => {
  it('render messages and content parts, everything else as it was', async () => {
    const { status, body } = await render('t.messages', { q: 'a "b"\\\n\u2028中😀' })
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'success',
      kind: 'messages',
      rendered_prompt: [
        { role: 'system', content: 'Be "brief".\n' },
        { role: 'user', name: 'ann', content: 'Q: a "b"\\\n\u2028中😀' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See a "b"\\\n\u2028中😀' },
            { type: 'image_url', image_url: { url: 'https://x/a "b"\\\n\u2028中😀.png', detail: 'high' } },
          ],
        },
      ],
    })
  })

  it('need no body when the prompt needs no variables', async () => {
    const url = '/api/render/prompts/t.optional'
    const bare = await shell.app.server.inject({ method: 'POST', url })
    expect([bare.statusCode, bare.json().rendered_prompt]).toEqual([200, 'ab'])
    const typed = await shell.app.server.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
    })
    expect([typed.statusCode, typed.json().rendered_prompt]).toEqual([200, 'ab'])
  })

  it('carry revision, timing and length', async () => {
    const response = await shell.app.server.inject({
      method: 'POST',
      url: '/api/render/prompts/t.both',
      payload: { variables: { key1: '中' } },
    })
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(response.body)),
      'server-timing': expect.stringMatching(/^render;dur=\d+\.\d+$/),
      'x-prompt-revision': (await shell.get('/api/prompts/t.both')).body.revision,
      'x-request-id': expect.any(String),
    })
  })

  it('keep the digits of large integers from the request to the prompt', async () => {
    const { body } = await shell.post('/api/render/prompts/t.both', '{"variables":{"key1":9007199254740993}}')
    expect(body.rendered_prompt).toMatch(/^9007199254740993 /)
    const typed = await shell.post(
      '/api/render/prompts/t.typed',
      '{"variables":{"n":9007199254740993,"nested":{}}}',
    )
    expect(typed.body.rendered_prompt).toBe('9007199254740993 fast 3')
  })

  it('take values as text: nothing in them is a template', async () => {
    const { body } = await render('t.both', { key1: '{{.vscode}}' })
    expect(body.rendered_prompt).toBe('{{.vscode}} {{.vscode}} go')
  })

  it.each(['__proto__', 'constructor', 'toString'])('take a variable called %s as data', async (name) => {
    const { body } = await shell.post(
      '/api/render',
      `{"prompt":{"userPrompt":"{{index .variables \\"${name}\\"}}"},"variables":{"${name}":"plain"}}`,
    )
    expect(body.rendered_prompt).toBe('plain')
    const absent = await shell.post('/api/render', { prompt: { userPrompt: `{{.variables.${name}}}` } })
    expect([absent.status, absent.body.error.code]).toEqual([400, 'missing_variables'])
  })

  it('render partials and optional context', async () => {
    expect((await render('t.outer', { title: 'Dr.', name: 'No' })).body.rendered_prompt).toBe('Dear Dr. No!')
    expect((await render('t.optional')).body.rendered_prompt).toBe('ab')
  })

  it('list tools that failed, with what stands in their place', async () => {
    const { status, body } = await render('t.tool')
    expect([status, body.rendered_prompt]).toEqual([200, 'refs: [] none'])
    expect(body.warnings).toMatchObject([
      { tool: 'code.refs', message: expect.any(String), substituted: '' },
      { tool: 'code.fallback', message: expect.any(String), substituted: 'none' },
    ])
  })
})

describe('variables', () => {
  it('are checked against the schema, every violation listed', async () => {
    const { status, body } = await render('t.typed', { n: 'x', mode: 'medium', nested: { depth: 'deep' } })
    expect([status, body.error.code]).toEqual([400, 'invalid_variables'])
    expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'variables.n',
      'variables.mode',
      'variables.nested.depth',
    ])
  })

  it('are not coerced', async () => {
    expect((await render('t.typed', { n: '1', nested: {} })).status).toBe(400)
  })

  it('get the schema’s defaults, nested ones too', async () => {
    expect((await render('t.typed', { n: 1, nested: {} })).body.rendered_prompt).toBe('1 fast 3')
  })

  it('and context that are missing are reported in one answer', async () => {
    const { status, body } = await render('t.missing')
    expect([status, body.error.code]).toEqual([400, 'missing_variables'])
    expect(body.error.details).toEqual([
      { path: 'variables.x', message: 'is required' },
      { path: 'variables.z', message: 'is required' },
      { path: 'a.b', message: expect.any(String), line: 1, column: expect.any(Number) },
      { path: 'vscode.nope', message: expect.any(String), line: 1, column: expect.any(Number) },
    ])
  })
})

describe('failures', () => {
  it('say where a template failed, in Go’s words', async () => {
    const { status, body } = await render('t.fails')
    expect([status, body.error.code, body.error.type]).toEqual([500, 'template_error', 'template_error'])
    expect(body.error.message).toContain('index out of range: 9')
  })

  it('end endless recursion and endless work with 503', async () => {
    const loops = await render('t.loops')
    expect([loops.status, loops.body.error.code]).toEqual([503, 'render_limit'])
    const slow = await render('t.slow')
    expect(slow.status).toBe(503)
    expect(['render_timeout', 'render_limit']).toContain(slow.body.error.code)
  })

  it.each([
    [{ userPrompt: '{{if' }, 'template_syntax'],
    [{ userPrompt: '{{nofunction}}' }, 'template_syntax'],
    [{ userPrompt: 'a', messages: [{ role: 'user', content: 'b' }] }, 'invalid_prompt'],
    [{}, 'invalid_prompt'],
    [{ userPrompt: 1 }, 'invalid_prompt'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'invalid_prompt'],
  ])('answer 400 for the inline prompt %j', async (prompt, code) => {
    const { status, body } = await shell.post('/api/render', { prompt })
    expect([status, body.error.code]).toEqual([400, code])
  })
})

describe('strict mode', () => {
  it('makes every mentioned path necessary', async () => {
    const strict = await startTestApp(
      { 'templates/t/a.json': { userPrompt: '{{if .x}}{{.y}}{{end}}' } },
      { RENDER_STRICT: 'true' },
    )
    const { status, body } = await strict.post('/api/render/prompts/t.a', {})
    expect([status, body.error.details.map(({ path }: { path: string }) => path)]).toEqual([400, ['x', 'y']])
    await strict.close()
  })
})

describe('changes', () => {
  it('are served without a restart', async () => {
    expect((await render('t.inner', { title: 'a', name: 'b' })).body.error.code).toBe('missing_variables')
    shell.catalog.write('templates/t/inner.json', { userPrompt: 'new {{.variables.title}}' })
    await eventually(async () => (await render('t.inner', { title: 'a' })).body.rendered_prompt).toBe('new a')
  })

  it('reach prompts whose context was worked out once for many renders', async () => {
    shell.catalog.write('templates/t/often.json', {
      userPrompt: '{{range .often.rules}}- {{.}}\n{{end}}{{.variables.x}} {{now | unixEpoch}}',
    })
    shell.catalog.write('environs/often.json', { rules: ['one', 'two'] })
    const text = async (x: string) => (await render('t.often', { x })).body.rendered_prompt as string
    await eventually(() => text('ready')).toMatch(/^- one\n- two\nready \d+$/)
    const first = await text('0')
    for (let index = 1; index <= 50; index += 1) {
      expect(await text(String(index))).toMatch(new RegExp(`^- one\n- two\n${index} \\d+$`))
    }
    // The clock is never worked out once.
    await eventually(async () => (await text('0')) !== first).toBe(true)
    shell.catalog.write('environs/often.json', { rules: ['three'] })
    await eventually(() => text('x')).toMatch(/^- three\nx \d+$/)
    shell.catalog.remove('environs/often.json')
    await eventually(async () => (await render('t.often', { x: 'y' })).body.error?.code).toBe(
      'missing_variables',
    )
  })
})
