import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KeyScope, SCOPES } from '../../../src/schema/keys-file.js'
import { createLogger } from '../../../src/util/telemetry/logger.js'
import { BUNDLED_IDS } from '../../support/bundled-ids.js'
import { createKeysFile, type TestKeysFile } from '../../support/keys-file.js'
import { type Json, startTestApp, type TestApp } from '../../support/test-app.js'

/** One key for each scope, a key with all, and keys that may use some prompts only. */
const KEYS = [
  ...SCOPES.map((scope) => ({ name: scope, key: `key-${scope}`, scopes: [scope] })),
  { name: 'all', key: 'key-all', scopes: SCOPES },
  {
    name: 'team',
    key: 'key-team',
    scopes: ['read', 'render', 'inline', 'chat'],
    prompts: ['team.*', 'other.open'],
  },
  { name: 'blind', key: 'key-blind', scopes: ['render', 'inline', 'chat', 'agents'] },
  { name: 'old', key: 'key-old', scopes: SCOPES, expires: '2020-01-01' },
  { name: 'slow', key: 'key-slow', scopes: ['read'], rate: '2/h' },
]

const prompt = (text: string, more = {}) => ({ name: text.slice(0, 5), userPrompt: text, ...more })
const DOCUMENTS = {
  'templates/team/hello.json': prompt('hello {{.variables.who}}'),
  'templates/team/outer.json': prompt('outer {{template "other.secret" .}} {{look}}'),
  'templates/other/open.json': prompt('open'),
  'templates/other/secret.json': prompt('the secret'),
  'templates/other/broken.json': '{ this is broken and secret',
  'extensions/pack.json': {
    name: 'pack',
    displayName: 'Pack',
    contributes: { prompts: [{ name: 'one', userPrompt: 'packed' }] },
  },
  'environs/shared.json': { city: 'Ulm' },
  'tools/look.json': {
    name: 'look',
    module: 'm',
    type: 'restful',
    description: 'looks',
    parameters: { type: 'object', properties: {} },
    restful: { url: 'http://127.0.0.1:9/none', method: 'GET' },
    default: 'nothing seen',
  },
  'agents/helper.json': { name: 'helper', instructions: 'help', model: 'echo' },
}

let service: TestApp
let file: TestKeysFile
let log = ''
beforeAll(async () => {
  file = createKeysFile(KEYS)
  const stream = new PassThrough().on('data', (chunk) => {
    log += chunk
  })
  service = await startTestApp(
    DOCUMENTS,
    { KEYS_FILE: file.path, API_KEYS: 'plain-key-1', LLM_MODEL: 'echo' },
    { logger: createLogger('info', stream) },
  )
})
afterAll(async () => {
  await service.close()
  file.dispose()
})

interface Answer {
  readonly status: number
  readonly body: Json
  readonly headers: Readonly<Record<string, unknown>>
}

async function ask(key: string, method: string, url: string, payload?: object): Promise<Answer> {
  const response = await service.app.server.inject({
    method: method as 'GET',
    url,
    headers: key === '' ? {} : { authorization: `Bearer ${key}` },
    ...(payload !== undefined && { payload }),
  })
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  return {
    status: response.statusCode,
    body: isJson && response.body !== '' ? JSON.parse(response.body) : response.body,
    headers: response.headers,
  }
}

describe('every route', () => {
  /** What each needs; what is not here needs nothing and answers without a key. */
  const rows: readonly (readonly [
    method: string,
    url: string,
    scopes: readonly KeyScope[],
    body?: object,
  ])[] = [
    ['GET', '/api/prompts', ['read']],
    ['GET', '/api/prompts/team.hello', ['read']],
    ['GET', '/api/extensions', ['read']],
    ['GET', '/api/environs/shared', ['read']],
    ['GET', '/api/tools/look', ['read']],
    ['GET', '/api/agents', ['read']],
    ['HEAD', '/api/events', ['read']],
    ['GET', '/api/status', ['read']],
    ['POST', '/api/render/prompts/team.hello', ['render'], { variables: { who: 'x' } }],
    ['POST', '/api/prompts/team.hello/render', ['render'], { variables: { who: 'x' } }],
    ['POST', '/api/render', ['inline'], { prompt: prompt('x') }],
    ['POST', '/api/chat/prompts/team.hello', ['chat'], { variables: { who: 'x' } }],
    ['POST', '/api/prompts/team.hello/chat', ['chat'], { variables: { who: 'x' } }],
    ['POST', '/v1/chat/completions', ['chat'], { messages: [{ role: 'user', content: 'x' }] }],
    ['POST', '/v1/responses', ['chat'], { input: 'x' }],
    ['GET', '/api/sessions', ['agents']],
    ['POST', '/api/sessions', ['agents'], { agent: 'helper' }],
    ['GET', '/api/approvals?session=none', ['agents']],
    ['GET', '/api/approvals?task=none', ['tasks']],
    ['GET', '/api/approvals?status=pending', ['agents', 'tasks']],
    ['POST', '/api/approvals/s-1-0-none', ['agents'], { decision: 'approve' }],
    ['GET', '/api/tasks', ['tasks']],
    ['POST', '/api/tools/look/call', ['tools'], {}],
  ]

  it.each(rows.map(([method, url, scopes, body]) => ({ method, url, scopes, body })))(
    '$method $url needs $scopes',
    async ({ method, url, scopes, body }) => {
      const allowed: string[] = []
      for (const scope of SCOPES) {
        const { status, body: answer } = await ask(`key-${scope}`, method, url, body)
        if (status !== 403) allowed.push(scope)
        else if (method !== 'HEAD')
          expect(answer.error).toMatchObject({ code: 'forbidden', type: 'permission_error' })
      }
      expect(allowed).toEqual(scopes)
      expect((await ask('', method, url, body)).status).toBe(401)
      expect((await ask('key-all', method, url, body)).status).not.toBe(403)
      expect((await ask('plain-key-1', method, url, body)).status).not.toBe(403)
    },
  )

  // Streams that do not end by themselves.
  const ENDLESS: ReadonlySet<string> = new Set(['/api/events', '/api/approvals/events'])

  // A route that does not say what it needs is for keys with every scope.
  it('says what it needs', async () => {
    const { paths = {} } = JSON.parse(JSON.stringify(await service.app.server.describeApi()))
    const routes = Object.entries<Json>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
    )
    expect(routes.length).toBeGreaterThan(40)
    const silent: string[] = []
    for (const { path, method } of routes.filter((route) => !ENDLESS.has(route.path))) {
      const url = path.replace(/\{\w+\}/g, 'none')
      const statuses = await Promise.all(
        SCOPES.map(async (scope) => (await ask(`key-${scope}`, method, url)).status),
      )
      if (statuses.every((status) => status === 403)) silent.push(`${method} ${path}`)
    }
    // These need two scopes.
    expect(silent.sort()).toEqual([
      'POST /api/chat',
      'POST /api/prompts/{id}/diff',
      'POST /api/prompts/{id}/tests',
    ])
  })

  it.each([
    ['an inline chat, inline', 'key-inline', '/api/chat', { prompt: prompt('x') }, 403],
    ['an inline chat, chat', 'key-chat', '/api/chat', { prompt: prompt('x') }, 403],
    ['an inline chat, both', 'key-team', '/api/chat', { prompt: prompt('x') }, 200],
    [
      'an agent as a model, chat',
      'key-chat',
      '/v1/chat/completions',
      { model: 'agent:helper', messages: [{ role: 'user', content: 'x' }] },
      403,
    ],
    [
      'an agent as a model, both',
      'key-blind',
      '/v1/chat/completions',
      { model: 'agent:helper', messages: [{ role: 'user', content: 'x' }] },
      200,
    ],
    ['a task with all tools', 'key-tasks', '/api/tasks', { description: 'x' }, 403],
    ['a task of an agent', 'key-tasks', '/api/tasks', { description: 'x', agent: 'helper' }, 202],
    [
      'an explanation, render',
      'key-render',
      '/api/render/prompts/team.hello?explain=true',
      { variables: { who: 'x' } },
      403,
    ],
    [
      'an explanation, both',
      'key-team',
      '/api/render/prompts/team.hello?explain=true',
      { variables: { who: 'x' } },
      200,
    ],
    [
      'a text in a conversation, render',
      'key-render',
      '/api/render/prompts/other.open',
      { compose: [{ prompt: prompt('x'), role: 'assistant' }] },
      403,
    ],
    [
      'a text in a conversation, both',
      'key-team',
      '/api/render/prompts/other.open',
      { compose: [{ prompt: prompt('x'), role: 'assistant' }] },
      200,
    ],
  ])('%s', async (_name, key, url, body, expected) => {
    expect((await ask(key, 'POST', url, body)).status).toBe(expected)
  })
})

describe('a key with patterns', () => {
  it('lists, counts and searches only what it may see', async () => {
    const { body } = await ask('key-team', 'GET', '/api/prompts')
    expect(body).toMatchObject({ total: 3, broken: 0 })
    expect(body.items.map(({ id }: Json) => id)).toEqual(['other.open', 'team.hello', 'team.outer'])
    expect((await ask('key-team', 'GET', '/api/prompts?q=secret')).body.items).toEqual([])
    expect((await ask('key-team', 'GET', '/api/prompts?status=broken')).body.items).toEqual([])
    expect((await ask('key-team', 'GET', '/api/extensions')).body).toMatchObject({ items: [], total: 0 })
    expect((await ask('key-all', 'GET', '/api/prompts')).body).toMatchObject({
      total: 5 + BUNDLED_IDS.length,
      broken: 1,
    })
  })

  it('sees the same models', async () => {
    const idsOf = async (key: string) =>
      (await ask(key, 'GET', '/v1/models')).body.data
        .map(({ id }: Json) => id)
        .filter((id: string) => /:/.test(id))
    expect(await idsOf('key-team')).toEqual([
      'prompt:other.open',
      'prompt:team.hello',
      'prompt:team.outer',
      'agent:helper',
    ])
    expect(await idsOf('key-chat')).toEqual([])
    expect((await ask('key-team', 'GET', '/v1/models/prompt:other.secret')).status).toBe(404)
  })

  it.each([
    ['GET', '/api/prompts/ID'],
    ['POST', '/api/render/prompts/ID'],
    ['POST', '/api/chat/prompts/ID'],
    ['POST', '/v1/chat/completions'],
    ['POST', '/v1/responses'],
    ['POST', '/api/render'],
  ])('%s %s says of what it may not see what it says of what is not there', async (method, url) => {
    const answerFor = async (id: string) => {
      const body =
        url === '/api/render'
          ? { compose: [{ prompt: id }] }
          : { model: 'echo', prompt: { id }, messages: [], input: 'x' }
      const payload = method === 'GET' ? undefined : url.includes('ID') ? {} : body
      const { status, body: answer } = await ask('key-team', method, url.replace('ID', id), payload)
      const { message, ...error } = answer.error
      return { status, message: message.replaceAll(id, 'ID'), error }
    }
    const missing = await answerFor('other.secre')
    expect(missing).toMatchObject({ status: 404, error: { code: 'prompt_not_found' } })
    expect(JSON.stringify(missing)).not.toContain('secret')
    for (const id of ['other.secret', 'other.broken', 'pack.one', 'other.open2'])
      expect(await answerFor(id)).toEqual(missing)
  })

  it('gets suggestions of what it may see', async () => {
    const { body } = await ask('key-team', 'GET', '/api/prompts/team.helo')
    expect(body.error.details).toEqual({ near: ['team.hello'] })
    const hidden = await ask('key-team', 'GET', '/api/extensions/pac')
    expect(hidden.status).toBe(404)
    expect(JSON.stringify(hidden.body)).not.toContain('pack')
  })

  it('renders what an author wrote, whatever that includes', async () => {
    const { body } = await ask('key-team', 'POST', '/api/render/prompts/team.outer', {})
    expect(body.rendered_prompt).toBe('outer the secret nothing seen')
    expect(body.warnings[0].code).not.toBe('forbidden')
  })

  it('has the findings of its own prompts only', async () => {
    const { body } = await ask('key-team', 'GET', '/api/status')
    expect(JSON.stringify(body.diagnostics)).not.toContain('broken')
    expect(body.snapshot).toMatchObject({ prompts: 3, extensions: 0 })
    const all = await ask('key-all', 'GET', '/api/status')
    expect(JSON.stringify(all.body.diagnostics)).toContain('other.broken')
  })
})

describe('a text that a key brings along', () => {
  const render = async (key: string, text: string, engine = 'go') =>
    ask(key, 'POST', '/api/render', { prompt: prompt(text, { engine }) })

  it('reaches everything with every scope', async () => {
    const { body } = await render('key-all', '{{.shared.city}} {{template "other.secret" .}} {{look}}')
    expect(body.rendered_prompt).toBe('Ulm the secret nothing seen')
    expect(body.warnings[0].code).toBe('host_not_allowed')
  })

  it.each([
    ['partials outside the patterns', 'key-team', 'go', '{{template "other.secret" .}}', 'template_error'],
    [
      'handlebars partials outside the patterns',
      'key-team',
      'handlebars',
      '{{> other.secret}}',
      'partial_not_found',
    ],
    ['shared context without read', 'key-inline', 'go', '{{.shared.city}}', 'missing_variables'],
  ])('does not reach %s', async (_name, key, engine, text, code) => {
    expect((await render('key-all', text, engine)).status).toBe(200)
    expect((await render(key, text, engine)).body.error.code).toBe(code)
    expect((await render('key-all', text, engine)).status).toBe(200)
  })

  it('is told of near prompts as far as it may know of them', async () => {
    const near = async (key: string, text: string) => (await render(key, text)).body.error.details.near
    expect(await near('key-all', '{{template "other.secrt" .}}')).toEqual(['other.secret'])
    expect(await near('key-team', '{{template "other.secrt" .}}')).toBeUndefined()
    expect(await near('key-team', '{{template "team.outr" .}}')).toEqual(['team.outer'])
    expect(await near('key-inline', '{{template "team.outr" .}}')).toBeUndefined()
  })

  it('is told of no shared context that it may not read', async () => {
    const { body } = await render('key-inline', '{{if .shared}}{{toJson .}}{{else}}nothing{{end}}')
    expect(body.rendered_prompt).toBe('nothing')
    expect(
      (await render('key-inline', '{{range $name, $v := .}}{{$name}} {{end}}')).body.rendered_prompt,
    ).toBe('args variables ')
  })

  it('includes what it may, which includes what its author wrote', async () => {
    const { body } = await render('key-team', 'mine: {{template "team.outer" .}}')
    expect(body.rendered_prompt).toBe('mine: outer the secret nothing seen')
  })

  it('sees its calls of tools fail as tools fail', async () => {
    const { body } = await render('key-team', '[{{look}}]')
    expect(body.rendered_prompt).toBe('[nothing seen]')
    expect(body.warnings).toEqual([
      {
        tool: 'look',
        code: 'forbidden',
        message: expect.stringContaining('"tools"'),
        substituted: 'nothing seen',
      },
    ])
  })

  it('gets no names of tools it may not read', async () => {
    const said = async (key: string) => JSON.stringify((await render(key, '{{lok}}')).body)
    expect(await said('key-all')).toContain('look')
    expect(await said('key-inline')).not.toContain('look')
  })

  it('names no tools for the model without the scope', async () => {
    const { status, body } = await ask('key-team', 'POST', '/api/chat', {
      prompt: prompt('x', { tools: ['look'] }),
    })
    expect([status, body.error.code]).toEqual([403, 'forbidden'])
  })
})

describe('a key that may not read', () => {
  it.each([
    ['a prompt', '/api/render/prompts/team.helo', {}],
    ['an agent', '/api/sessions', { agent: 'helpe' }],
    [
      'an agent as a model',
      '/v1/chat/completions',
      { model: 'agent:helpe', messages: [{ role: 'user', content: 'x' }] },
    ],
    ['a prompt as a model', '/v1/chat/completions', { model: 'prompt:team.helo', messages: [] }],
  ])('gets no suggestions for %s', async (_name, url, payload) => {
    const { status, body } = await ask('key-blind', 'POST', url, payload)
    expect(status).toBe(404)
    expect(JSON.stringify(body)).not.toMatch(/hello|helper|near/)
    const known = await ask('key-all', 'POST', url, payload)
    expect(JSON.stringify(known.body)).toMatch(/hello|helper/)
  })
})

describe('keys and people', () => {
  it.each([
    [
      'key-team',
      { name: 'team', scopes: ['read', 'render', 'inline', 'chat'], prompts: ['team.*', 'other.open'] },
    ],
    ['key-slow', { name: 'slow', scopes: ['read'], prompts: null, rate: '2/h' }],
    ['plain-key-1', { name: null, scopes: [...SCOPES], prompts: null, rate: null, expires_at: null }],
  ])('/api/me of %s', async (key, expected) => {
    expect((await ask(key, 'GET', '/api/me')).body).toMatchObject(expected)
  })

  it('says that a key has expired to whoever has it', async () => {
    const { status, body } = await ask('key-old', 'GET', '/api/prompts')
    expect([status, body.error]).toMatchObject([
      401,
      { code: 'invalid_api_key', message: 'The API key has expired' },
    ])
  })

  it('counts by the key’s own limit', async () => {
    const statuses = []
    for (let count = 0; count < 3; count += 1)
      statuses.push((await ask('key-slow', 'GET', '/api/tools')).status)
    expect(statuses).toContain(429)
    expect((await ask('key-read', 'GET', '/api/tools')).status).toBe(200)
  })

  it('owns its sessions by name', async () => {
    const { body } = await ask('key-agents', 'POST', '/api/sessions', { agent: 'helper' })
    expect((await ask('key-agents', 'GET', `/api/sessions/${body.id}`)).status).toBe(200)
    expect((await ask('key-blind', 'GET', `/api/sessions/${body.id}`)).status).toBe(404)
    expect((await ask('plain-key-1', 'GET', `/api/sessions/${body.id}`)).status).toBe(404)
  })

  it('has names and no keys in log and metrics', async () => {
    await ask('key-team', 'GET', '/api/prompts')
    await ask('key-read', 'POST', '/api/render', { prompt: prompt('x') })
    await ask('nobody-knows-me', 'GET', '/api/prompts')
    const { body: metrics } = await ask('', 'GET', '/metrics')
    expect(metrics).toMatch(/api_key_requests_total\{key="team"\} \d/)
    expect(metrics).toMatch(/api_key_refusals_total\{key="read",reason="scope"\} \d/)
    expect(metrics).toMatch(/api_key_refusals_total\{key="",reason="unknown"\} \d/)
    expect(log).toContain('"key":"team"')
    for (const text of [log, metrics]) {
      for (const { key } of KEYS) expect(text).not.toContain(key)
      expect(text).not.toContain('plain-key-1')
      expect(text).not.toContain('nobody-knows-me')
    }
  })
})
