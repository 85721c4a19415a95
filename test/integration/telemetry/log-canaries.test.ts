import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ScriptedUpstream, startScriptedUpstream } from '../../../src/testing/scripted-upstream.js'
import { createLogger } from '../../../src/util/telemetry/logger.js'
import { TABLE_FUNCTIONS } from '../../support/function-table.js'
import { collectSpans } from '../../support/spans.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { startHttpServer, type TestServer } from '../tools/http-server.js'

/** Stands in every variable, context value, answer of a tool and answer of a model, and nowhere in the log. */
const CANARY = 'canary-9b41'

const collected = collectSpans()
const log: string[] = []
const logger = createLogger(
  'trace',
  new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk))
      done()
    },
  }),
)
let tools: TestServer
let upstream: ScriptedUpstream
let service: TestApp
let toolAnswer: { readonly status: number; readonly type: string; readonly body: string }

const tool = (name: string, more: object = {}) => ({
  name,
  module: 'm',
  type: 'restful',
  description: 'A tool',
  parameters: { type: 'object', properties: { q: { type: 'string' } } },
  restful: { url: `${tools.url}/x`, method: 'POST', ...more },
})

beforeAll(async () => {
  tools = await startHttpServer((_request, response) => {
    response.writeHead(toolAnswer.status, { 'content-type': toolAnswer.type }).end(toolAnswer.body)
  })
  upstream = await startScriptedUpstream()
  service = await openService()
})

const openService = () =>
  startTestApp(
    {
      'templates/a/typed.json': {
        userPrompt: '{{.variables.n}}',
        parameters: { type: 'object', properties: { n: { type: 'integer' }, e: { enum: ['a', 'b'] } } },
      },
      'templates/a/tool.json': { userPrompt: '{{look .variables.s}}' },
      'templates/a/pick.json': { userPrompt: '{{pick .variables.s}}' },
      'templates/a/environ.json': { userPrompt: '{{fail .ctx.secret}}' },
      'templates/a/returns.json': {
        userPrompt: 'x',
        returns: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } },
      },
      'agents/helper.json': { name: 'helper', instructions: 'Help', tools: ['look'] },
      'tools/look.json': tool('look'),
      'tools/pick.json': tool('pick', { response: { extract: 'a.b' } }),
      'environs/ctx.json': { secret: CANARY, list: [CANARY] },
      'environs/broken.json': `{"secret": ${CANARY}, "x": "${CANARY}`,
      'environs/broken2.yaml': `secret: "${CANARY}\n  x: [${CANARY}`,
    },
    {
      TOOL_BASE_URL: tools.url,
      LLM_BASE_URL: upstream.url,
      LLM_MODEL: 'm',
      LLM_API_KEY: 'upstream-key',
      RENDER_TIMEOUT_MS: '5000',
    },
    { logger, tracer: collected.tracer },
  )

afterAll(async () => {
  await service.close()
  await upstream.close()
  await tools.close()
})

/** What left the service for operators since the last time, with the canary in it. */
async function leaks(): Promise<readonly string[]> {
  const metrics = await service.app.server.inject('/metrics')
  const said = [...log.splice(0), ...metrics.body.split('\n'), JSON.stringify(collected.spans())]
  collected.clear()
  return said.filter((line) => line.includes(CANARY))
}

async function post(url: string, body: unknown): Promise<number> {
  return (await service.post(url, body)).status
}

const VALUES = { s: CANARY, l: [CANARY, [CANARY]], d: { [CANARY]: CANARY, k: CANARY }, n: 3, z: null }
const inline = (userPrompt: string) => ({ prompt: { userPrompt }, variables: VALUES })

describe('contents stay out of the log, the metrics and the spans', () => {
  it('when any function fails on them, whichever way', async () => {
    const given = [
      '.variables.s',
      '.variables.l',
      '.variables.d',
      '.variables.n',
      '.ctx.secret',
      '.ctx',
      '.variables.z',
    ]
    let failed = 0
    for (const [row, { name, parameters }] of TABLE_FUNCTIONS.entries())
      for (const shift of [0, 2, 4]) {
        const argument = (position: number) => given[(row + shift + position * 3) % given.length]
        const list = parameters.map((_, position) => argument(position)).join(' ')
        if ((await post('/api/render', inline(`{{${name} ${list}}}`))) >= 400) failed += 1
      }
    expect(failed).toBeGreaterThan(100)
    expect(await leaks()).toEqual([])
  })

  it.each([
    '{{range .variables.s}}{{end}}',
    '{{fail .variables.s}}',
    '{{fail (print .ctx.secret "x")}}',
    '{{mustRegexFind "(" .variables.s}}',
    '{{mustRegexFind (print "(" .variables.s) "a"}}',
    '{{index .variables.l .variables.s}}',
    '{{index .variables.d .variables.s 3 4}}',
    '{{.variables.s.x.y}}',
    '{{.variables.d.nothing.y}}',
    '{{template .variables.s}}',
    `{{template "${CANARY}" .}}`,
    '{{call .variables.s}}',
    '{{.variables.s 1}}',
    '{{len .variables.n}}{{slice .variables.s 100}}',
    '{{eq .variables.l .variables.l}}',
    '{{lt .variables.s .variables.n}}',
    '{{mustFromJson .variables.s}}',
    '{{mustToDate "2006" .variables.s}}',
    '{{range $k, $v := .variables.d}}{{fail $k}}{{end}}',
    '{{add1 .variables.s}}{{atoi .variables.s}}{{int .variables.s | fail}}',
    `{{if ${CANARY}}}`,
    `{{${CANARY}`,
    `{{"${CANARY}`,
    '{{repeat 10000000 .variables.s}}',
  ])('when %s fails', async (template) => {
    toolAnswer = { status: 500, type: 'text/plain', body: CANARY }
    expect(await post('/api/render', inline(template))).toBeGreaterThanOrEqual(400)
    expect(await leaks()).toEqual([])
  })

  it.each([
    ['wrong variables', '/api/render/prompts/a.typed', { variables: { n: CANARY } }],
    ['a value of no list', '/api/render/prompts/a.typed', { variables: { n: 1, e: CANARY } }],
    ['variables of the wrong type', '/api/render', { prompt: { userPrompt: 'x' }, variables: CANARY }],
    ['a shared value', '/api/render/prompts/a.environ', {}],
    ['a broken body', '/api/render', `{"variables": {"s": "${CANARY}" ${CANARY}`],
    ['a conversation that is none', '/api/chat', { messages: [{ role: CANARY, content: CANARY }] }],
    ['a call of a tool', '/api/tools/look/call', { arguments: { q: [CANARY] } }],
  ])('when %s is refused', async (_name, url, body) => {
    toolAnswer = { status: 400, type: 'application/json', body: JSON.stringify(CANARY) }
    expect(await post(url, body)).toBeGreaterThanOrEqual(400)
    expect(await leaks()).toEqual([])
  })

  it.each([
    ['500 with words', { status: 500, type: 'text/plain', body: CANARY }],
    ['400 with JSON', { status: 400, type: 'application/json', body: JSON.stringify({ error: CANARY }) }],
    ['JSON that is none', { status: 200, type: 'application/json', body: `{"a": ${CANARY}` }],
    ['a redirect', { status: 302, type: 'text/plain', body: CANARY }],
    ['nothing to pick', { status: 200, type: 'application/json', body: JSON.stringify({ c: CANARY }) }],
  ])('when a tool answers %s', async (_name, answer) => {
    toolAnswer = answer
    for (const url of ['/api/render/prompts/a.tool', '/api/render/prompts/a.pick'])
      await post(url, { variables: { s: CANARY } })
    await post('/api/tools/look/call', { arguments: { q: CANARY } })
    expect(tools.requests.length).toBeGreaterThan(0)
    expect(await leaks()).toEqual([])
  })

  it.each([
    ['400', { status: 400, pieces: [JSON.stringify({ error: { message: CANARY, code: CANARY } })] }],
    ['401', { status: 401, pieces: [CANARY] }],
    ['500', { status: 500, pieces: [CANARY] }],
    [
      'no JSON',
      { status: 200, headers: { 'content-type': 'application/json' }, pieces: [`{"a": ${CANARY}`] },
    ],
    [
      'no completion',
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        pieces: [JSON.stringify({ x: CANARY })],
      },
    ],
    [
      'a broken stream',
      { headers: { 'content-type': 'text/event-stream' }, pieces: [`data: {"x": ${CANARY}\n\n`] },
    ],
    [
      'a stream that breaks off',
      {
        headers: { 'content-type': 'text/event-stream' },
        pieces: [`data: {"choices":[{"index":0,"delta":{"content":"${CANARY}"}}]}\n\n`],
        ends: 'reset' as const,
      },
    ],
  ])('when a model answers %s', async (_name, answer) => {
    // The circuit of the row before would be open.
    await service.close()
    service = await openService()
    upstream.script(answer)
    const messages = [{ role: 'user', content: CANARY }]
    await post('/v1/chat/completions', { model: 'm', messages })
    await post('/api/chat/prompts/a.returns', { variables: {}, structured: true })
    await service.app.server.inject({
      method: 'POST',
      url: '/v1/chat/completions',
      payload: { model: 'm', messages, stream: true },
    })
    await service.app.server.inject({
      method: 'POST',
      url: '/v1/responses',
      payload: { model: 'm', input: CANARY },
    })
    await service.app.server.inject({
      method: 'POST',
      url: '/v1/chat/completions',
      payload: { model: 'agent:helper', messages },
    })
    expect(upstream.requests.length).toBeGreaterThan(1)
    expect(await leaks()).toEqual([])
  })

  it('and clients are told all the same', async () => {
    const { body } = await service.post('/api/render', inline('{{range .variables.s}}{{end}}'))
    expect(body.error.message).toContain(CANARY)
    expect(JSON.parse(log.splice(0).at(-1) ?? '')).toMatchObject({
      code: 'template_error',
      at: 'inline:1:19',
    })
  })
})
