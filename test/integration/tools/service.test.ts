import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { eventually, readBody, sendJson, startHttpServer, type TestServer } from './http-server.js'
import { startMcpServer, type TestMcpServer } from './mcp-server.js'

let server: TestServer
let mcp: TestMcpServer
let app: App
/** Requests that are being answered, now and at the busiest moment. */
let running = 0
let most = 0
/** While set, answers wait until as many requests are there. */
let gate: { readonly size: number; readonly waiting: (() => void)[] } | undefined

function pass(): Promise<void> {
  return new Promise((resolve) => {
    if (gate === undefined) return resolve()
    gate.waiting.push(resolve)
    if (gate.waiting.length < gate.size) return
    const { waiting } = gate
    gate = undefined
    for (const open of waiting) open()
  })
}

const lookup = {
  parameters: { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] },
  readOnly: true,
}

beforeAll(async () => {
  server = await startHttpServer(async (request, response) => {
    if (request.url?.startsWith('/broken')) return sendJson(response, { error: 'out of order' }, 500)
    if (request.url?.startsWith('/hang')) return
    running += 1
    most = Math.max(most, running)
    const { symbol } = JSON.parse(await readBody(request))
    await pass()
    running -= 1
    sendJson(response, { text: `<${symbol}>`, lines: [1, 2] })
  })
  mcp = await startMcpServer('both')
  app = await start({
    'tools/code/lookup.json': { ...lookup, url: '/lookup', result: 'text' },
    'tools/code/whole.json': { ...lookup, url: '/whole', returns: { type: 'object' } },
    'tools/code/broken.json': { ...lookup, url: '/broken', returns: { type: 'object' } },
    'tools/code/default.json': { ...lookup, url: '/broken', default: 'nothing found' },
    'tools/code/hang.json': { ...lookup, url: '/hang', timeoutMs: 100 },
    'tools/code/far.json': { ...lookup, url: 'http://10.255.255.1:80/' },
    'templates/p/ok.json': { userPrompt: 'A {{code_lookup .variables.name}} B {{(code_whole "x").text}}' },
    'tools/code/acts.json': { ...lookup, readOnly: false, url: '/acts' },
    'templates/p/acts.json': {
      userPrompt: 'A {{code_lookup .variables.name}} B {{code_acts .variables.name}}',
    },
    'templates/p/range.json': {
      userPrompt: '{{range .variables.names}}{{code_lookup .}};{{end}}{{if code_lookup "x"}}yes{{end}}',
    },
    'templates/p/broken.json': {
      userPrompt:
        'A{{code_broken "x"}}B{{(code_broken "x").text}}C{{range (code_broken "x").items}}no{{end}}D{{code_default "x"}}E{{code_hang "x"}}F{{if code_broken "x"}}no{{else}}else{{end}}',
    },
    'templates/p/wrong.json': {
      userPrompt: 'A{{code_lookup 7}}B{{code_lookup "a" "b"}}C{{code_lookup}}D{{code_far "x"}}E',
    },
    'templates/p/unknown.json': { userPrompt: 'A {{code_lokup "x"}}' },
    'templates/p/many.json': {
      messages: [1, 2, 3].map(() => ({
        role: 'user',
        content: '{{range .variables.names}}{{code_lookup .}}{{end}}',
      })),
    },
    'templates/p/mounted.json': { userPrompt: '{{mcp_demo_echo "hi"}}' },
  })
})
afterAll(async () => {
  await app.close()
  await mcp.close()
  await server.close()
})

const directories: string[] = []
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true })
})

async function start(files: Readonly<Record<string, object>>, environment = {}): Promise<App> {
  const directory = mkdtempSync(join(tmpdir(), 'tools-catalog-'))
  directories.push(directory)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), JSON.stringify(content))
  }
  const file = join(directory, 'config.yaml')
  writeFileSync(file, JSON.stringify({ mcpServers: { demo: { url: mcp.endpoint } } }))
  const started = await buildTestApp({
    CATALOG_DIR: directory,
    CONFIG_FILE: file,
    TOOL_BASE_URL: server.url,
    RENDER_TIMEOUT_MS: '20000',
    ...environment,
  })
  await eventually(() => started.registry.current.functions.has('mcp_demo_echo'))
  return started
}

async function post(url: string, body: object = {}, on = app) {
  const response = await on.server.inject({ method: 'POST', url, payload: body })
  return { status: response.statusCode, body: response.json() }
}

const render = (id: string, variables = {}, query = '') =>
  post(`/api/render/prompts/${id}${query}`, { variables })

describe('tools in rendered prompts', () => {
  it('replaces calls by results', async () => {
    expect((await render('p.ok', { name: 'N' })).body).toEqual({
      status: 'success',
      kind: 'prompt',
      rendered_prompt: 'A <N> B <x>',
    })
    expect((await render('p.range', { names: ['a', 'b'] })).body.rendered_prompt).toBe('<a>;<b>;yes')
  })

  it('substitutes failed calls and names them, the rest of the prompt intact', async () => {
    const { status, body } = await render('p.broken')
    expect(status).toBe(200)
    expect(body.rendered_prompt).toBe('ABCDnothing foundEFelse')
    expect(body.warnings).toContainEqual({
      tool: 'code.broken',
      code: 'upstream_error',
      message: 'answered 500: {"error":"out of order"}',
      substituted: '',
    })
    expect(body.warnings).toContainEqual({
      tool: 'code.hang',
      code: 'timeout',
      message: 'no answer within 100 ms (timeoutMs of the tool)',
      substituted: '',
    })
    expect(body.warnings).toHaveLength(6)
  })

  it('does not call tools with wrong arguments, nor hosts that nobody named', async () => {
    const before = server.requests.length
    const { body } = await render('p.wrong')
    expect(body.rendered_prompt).toBe('ABCDE')
    expect(body.warnings.map(({ message }: { message: string }) => message)).toEqual([
      'arguments.symbol must be a string',
      'takes at most 1 (symbol), got 2',
      'arguments must have the property "symbol"',
      'tools may not call 10.255.255.1:80: it is neither a configured base url nor named in TOOL_ALLOWED_HOSTS',
    ])
    expect(server.requests.length).toBe(before)
  })

  it('substitutes a tool that has not answered a little before the deadline', async () => {
    const files = {
      'tools/code/stuck.json': { ...lookup, url: '/hang' },
      'templates/p/stuck.json': { userPrompt: 'A{{code_stuck "x"}}' },
    }
    const hasty = await start(files, { RENDER_TIMEOUT_MS: '500' })
    const { status, body } = await post('/api/render/prompts/p.stuck', {}, hasty)
    expect([status, body.rendered_prompt]).toEqual([200, 'A'])
    expect(body.warnings).toEqual([
      {
        tool: 'code.stuck',
        code: 'timeout',
        message: expect.stringMatching(
          /^no answer within \d+ ms: a render has \d+ ms \(RENDER_TIMEOUT_MS\)$/,
        ),
        substituted: '',
      },
    ])
    await eventually(() => hasty.toolsStatus().inFlight === 0)
    await hasty.close()
  })

  it('recovers from a tool that always hangs: its circuit opens, and its default takes its place', async () => {
    const stuck = { ...lookup, url: '/hang', timeoutMs: 200, default: 'D' }
    const prompt = { userPrompt: 'A {{code_stuck "x"}}' }
    const files = { 'tools/code/stuck.json': stuck, 'templates/p/stuck.json': prompt }
    const impatient = await start(files)
    const attempt = () => post('/api/render/prompts/p.stuck', {}, impatient)
    for (let i = 0; i < 5; i += 1)
      expect((await attempt()).body.warnings).toMatchObject([{ code: 'timeout' }])
    // The answer comes before the verdict on the call that it gave up.
    await eventually(() => impatient.toolsStatus().inFlight === 0)
    const { status, body } = await attempt()
    expect(status).toBe(200)
    expect(body).toMatchObject({ rendered_prompt: 'A D', warnings: [{ code: 'circuit_open' }] })
    await impatient.close()
  })

  it('runs at most 16 calls at once, over all messages', async () => {
    most = 0
    gate = { size: 16, waiting: [] }
    const { status } = await render('p.many', { names: Array.from({ length: 20 }, (_, i) => String(i)) })
    expect(status).toBe(200)
    expect([most, gate]).toEqual([16, undefined])
  })

  it('names near functions where one is unknown, while loading and while rendering', async () => {
    const { status, body } = await render('p.unknown')
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'template_syntax', details: { suggestions: ['code_lookup'] } })
    const { diagnostics } = (await app.server.inject('/api/status')).json()
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        id: 'p.unknown',
        code: 'unknown_function',
        message: 'the function "code_lokup" is not defined',
        hint: expect.stringContaining('code_lookup'),
      }),
    )
  })

  it('calls tools of mounted servers', async () => {
    expect((await render('p.mounted')).body.rendered_prompt).toBe('echo: hi')
    const response = await app.server.inject('/api/tools/mcp_demo_echo')
    expect(response.json()).toMatchObject({ id: 'mcp.demo.echo', type: 'mcp', module: 'demo' })
  })
})

describe('?explain=true', () => {
  it('tells variables, calls and times', async () => {
    const { body } = await render('p.ok', { name: 'N' }, '?explain=true')
    expect(body.rendered_prompt).toBe('A <N> B <x>')
    expect(body.explain).toMatchObject({
      dry_run: false,
      variables: [{ path: 'variables.name', found: true, conditional: false, value: 'N' }],
      tools: [
        { tool: 'code.lookup', arguments: { symbol: 'N' }, status: 'ok', cached: false },
        { tool: 'code.whole', arguments: { symbol: 'x' }, status: 'ok', cached: false },
      ],
    })
    expect(body.explain.tokens).toBeGreaterThan(4)
    expect(body.explain.timeline.map(({ name }: { name: string }) => name)).toEqual([
      'render',
      'code_lookup',
      'code_whole',
    ])
  })

  it('tells why calls failed', async () => {
    const { body } = await render('p.wrong', {}, '?explain=true')
    const told = body.explain.tools.find((call: { arguments: unknown[] }) => call.arguments[0] === 7)
    expect(told).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_arguments', message: 'arguments.symbol must be a string' },
      substituted: '',
    })
  })

  it('tells of every character where it comes from', async () => {
    const { body } = await render('p.ok', { name: 'N' }, '?explain=spans')
    expect(body.rendered_prompt).toBe('A <N> B <x>')
    expect(body.explain.tools).toHaveLength(2)
    const place = { template: 'p.ok', line: 1 }
    expect(body.explain.spans).toEqual([
      [
        { start: 0, end: 2, kind: 'text', ...place, column: 1 },
        { start: 2, end: 5, kind: 'tool', call: 'code_lookup', ...place, column: expect.any(Number) },
        { start: 5, end: 8, kind: 'text', ...place, column: expect.any(Number) },
        { start: 8, end: 11, kind: 'tool', call: 'code_whole', ...place, column: expect.any(Number) },
      ],
    ])
    expect((await render('p.ok', { name: 'N' }, '?explain=true')).body.explain.spans).toBeUndefined()
  })

  it('tells where tokens come from, and up to where a prefix cache can keep them', async () => {
    const { body } = await render('p.ok', { name: 'N' }, '?explain=tokens')
    const { tokens, tokens_by_origin: origins, prefix, spans } = body.explain
    const sum = origins.reduce((all: number, each: { tokens: number }) => all + each.tokens, 0)
    expect([sum, spans]).toEqual([tokens, undefined])
    expect(origins.map(({ tokens: _, ...origin }: { tokens: number }) => origin)).toEqual(
      expect.arrayContaining([
        { kind: 'text', template: 'p.ok' },
        { kind: 'tool', call: 'code_lookup' },
        { kind: 'tool', call: 'code_whole' },
      ]),
    )
    expect(prefix).toEqual({
      stable_tokens: 1,
      breaks_at: { message: 0, template: 'p.ok', line: 1, column: expect.any(Number), by: 'code_lookup' },
      could_be: expect.any(Number),
    })
    expect(prefix.could_be).toBeGreaterThan(1)
  })

  it('refuses anything else', async () => {
    expect((await render('p.ok', { name: 'N' }, '?explain=maybe')).status).toBe(400)
  })
})

describe('?dry_run=writes', () => {
  it('calls only what changes nothing', async () => {
    const { body } = await render('p.acts', { name: 'N' }, '?dry_run=writes&explain=true')
    expect(body.rendered_prompt).toBe('A <N> B [code_acts "N"]')
    const { dry_run, tools } = body.explain
    expect(dry_run).toBe(true)
    expect(tools.map(({ tool, status }: Record<string, unknown>) => `${tool} ${status}`).sort()).toEqual([
      'code.acts dry_run',
      'code.lookup ok',
    ])
  })
})

describe('?dry_run=true', () => {
  it('calls nothing', async () => {
    const before = server.requests.length
    const { body } = await render('p.ok', { name: 'N' }, '?dry_run=true&explain=true')
    expect(body.rendered_prompt).toBe('A [code_lookup "N"] B [code_whole "x"]')
    expect(body.explain).toMatchObject({
      dry_run: true,
      tools: [{ status: 'dry_run' }, { status: 'dry_run' }],
    })
    expect((await render('p.broken', {}, '?dry_run=true')).body.explain).toBeUndefined()
    expect(server.requests.length).toBe(before)
  })
})

describe('POST /api/tools/{id}/call', () => {
  it.each([{ arguments: { symbol: 's' } }, { arguments: ['s'] }])('takes %j', async (body) => {
    expect((await post('/api/tools/code.lookup/call', body)).body).toMatchObject({
      status: 'success',
      tool: 'code.lookup',
      function: 'code_lookup',
      arguments: { symbol: 's' },
      value: '<s>',
      cached: false,
    })
  })

  it('tells how a call failed', async () => {
    const { status, body } = await post('/api/tools/code_default/call', { arguments: ['s'] })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'failed',
      error: { code: 'upstream_error' },
      substituted: 'nothing found',
    })
  })

  it.each([
    ['code.lookup', { arguments: [7] }, 400, 'invalid_request'],
    ['code.lookup', {}, 400, 'invalid_request'],
    ['code.lookup', { argument: 1 }, 400, 'invalid_request'],
    ['code.lokup', { arguments: ['s'] }, 404, 'tool_not_found'],
  ])('refuses %s with %j', async (id, body, status, code) => {
    const answer = await post(`/api/tools/${id}/call`, body)
    expect(answer.status).toBe(status)
    expect(answer.body.error.code).toBe(code)
  })

  it('can be switched off', async () => {
    const closed = await start({}, { TOOL_CALL_ENABLED: 'false' })
    const { status, body } = await post('/api/tools/mcp.demo.echo/call', {}, closed)
    expect(status).toBe(403)
    expect(body.error.message).toContain('TOOL_CALL_ENABLED')
    await closed.close()
  })
})

describe('/api/status and /metrics', () => {
  it('show breakers, mounted servers and counts', async () => {
    for (let i = 0; i < 5; i += 1) await post('/api/tools/code.broken/call', { arguments: ['s'] })
    const { tools } = (await app.server.inject('/api/status')).json()
    expect(tools.mcp_servers).toMatchObject([{ server: 'demo', connected: true, tools: 8 }])
    expect(tools.breakers).toContainEqual(
      expect.objectContaining({ tool: 'code.broken', state: 'open', retry_at: expect.any(String) }),
    )
    const { body } = await app.server.inject('/metrics')
    expect(body).toMatch(/tool_calls_total\{[^}]*tool="code.lookup"[^}]*outcome="ok"[^}]*\} \d/)
  })
})
