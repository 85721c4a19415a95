import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashOfKey } from '../../../src/access/key-ring.js'
import { RECORDED } from '../../../src/prompts/recorded-variables.js'
import { createLogger } from '../../../src/util/telemetry/logger.js'
import { collectSpans } from '../../support/spans.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

/** One word for each kind of thing that is said or kept secret; hardly any may be found in what operators collect. */
const CANARIES = {
  'a prompt’s text': 'canary-of-a-prompt',
  'a value of the context': 'canary-of-the-context',
  'a variable': 'canary-of-a-variable',
  'a secret variable': 'canary-of-a-secret-variable',
  'a variable’s wrong value': 'canary-of-a-wrong-value',
  'a message': 'canary-of-a-message',
  'an inline prompt’s text': 'canary-of-an-inline-text',
  'a tool’s description': 'canary-of-a-description',
  'a tool’s argument': 'canary-of-an-argument',
  'a tool’s answer': 'canary-of-a-tool-answer',
  'a failing tool’s answer': 'canary-of-a-broken-tool',
  'a tool’s secret': 'canary-of-a-tool-secret',
  'a model’s answer': 'canary-of-a-model-answer',
  'a failing model’s answer': 'canary-of-a-broken-model',
  'a model’s key': 'canary-of-a-model-key',
  'a key of API_KEYS': 'canary-of-a-plain-key',
  'a key of KEYS_FILE': 'canary-of-a-named-key',
  'an unknown key': 'canary-of-an-unknown-key',
  'a session’s input': 'canary-of-an-input',
  'a schema of an answer': 'canary-of-a-schema',
} as const
type Kind = keyof typeof CANARIES

const collected = collectSpans()
const directory = mkdtempSync(join(tmpdir(), 'aps-canaries-'))
const sent: string[] = []
let servers: Server[]
let service: TestApp
let log = ''
let metrics = ''

beforeAll(async () => {
  const tools = createServer(async (request, response) => {
    sent.push(String(request.headers['x-secret']), await textOf(request))
    const isBroken = request.url === '/broken'
    response.writeHead(isBroken ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(CANARIES[isBroken ? 'a failing tool’s answer' : 'a tool’s answer']))
  })
  const models = createServer(async (request, response) => {
    const asked = await textOf(request)
    sent.push(String(request.headers.authorization), asked)
    const isBroken = asked.includes('fail')
    const said = CANARIES[isBroken ? 'a failing model’s answer' : 'a model’s answer']
    response.writeHead(isBroken ? 400 : 200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(
        isBroken
          ? { error: { message: said } }
          : { model: 'm', choices: [{ index: 0, message: { role: 'assistant', content: said } }] },
      ),
    )
  })
  servers = [tools, models]
  const [toolUrl, modelUrl] = await Promise.all(servers.map(listen))
  service = await startTestApp(documents(toolUrl ?? ''), environment(toolUrl ?? '', modelUrl ?? ''), {
    tracer: collected.tracer,
    logger: createLogger(
      'debug',
      new PassThrough().on('data', (chunk) => {
        log += chunk
      }),
    ),
  })
  await service.app.registry.whenReady()
  await walk()
  metrics = (await service.app.server.inject('/metrics')).body
}, 60_000)
afterAll(async () => {
  await service.close()
  for (const server of servers) server.close()
  rmSync(directory, { recursive: true })
})

async function textOf(request: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function documents(base: string): Record<string, unknown> {
  const tool = (name: string) => ({
    name,
    module: 'm',
    type: 'restful',
    description: CANARIES['a tool’s description'],
    parameters: { type: 'object', properties: { q: { type: 'string' } } },
    headers: { 'x-secret': '${secret:TOOL}' },
    restful: { url: `${base}/${name}`, method: 'POST' },
  })
  const text = `${CANARIES['a prompt’s text']} {{.city}} {{.variables.q}}`
  return {
    'environs/city.json': JSON.stringify(CANARIES['a value of the context']),
    'templates/a/plain.json': {
      name: 'plain',
      userPrompt: text,
      parameters: {
        type: 'object',
        properties: {
          q: { type: 'string' },
          n: { type: 'integer' },
          pin: { type: 'string', 'x-secret': true },
        },
      },
    },
    'templates/a/tools.json': { name: 'tools', userPrompt: `${text} {{look .variables.q}} {{broken}}` },
    'agents/helper.json': { name: 'helper', instructions: CANARIES['a prompt’s text'], model: 'm' },
    'tools/look.json': tool('look'),
    'tools/broken.json': tool('broken'),
  }
}

function environment(toolUrl: string, modelUrl: string): Record<string, string> {
  const keys = [{ name: 'web', hash: hashOfKey(CANARIES['a key of KEYS_FILE']), scopes: ['read', 'render'] }]
  writeFileSync(join(directory, 'keys.json'), JSON.stringify({ keys }))
  writeFileSync(
    join(directory, 'config.json'),
    JSON.stringify({ secrets: { TOOL: { env: 'THE_SECRET_OF_TOOLS' } } }),
  )
  return {
    API_KEYS: CANARIES['a key of API_KEYS'],
    KEYS_FILE: join(directory, 'keys.json'),
    CONFIG_FILE: join(directory, 'config.json'),
    THE_SECRET_OF_TOOLS: CANARIES['a tool’s secret'],
    TOOL_BASE_URL: toolUrl,
    LLM_BASE_URL: modelUrl,
    LLM_API_KEY: CANARIES['a model’s key'],
    LLM_MODEL: 'm',
    RENDER_TIMEOUT_MS: '60000',
    RECORD_VARIABLES: '10',
  }
}

async function post(url: string, payload: object, key: Kind = 'a key of API_KEYS'): Promise<number> {
  const headers = { authorization: `Bearer ${CANARIES[key]}` }
  return (await service.app.server.inject({ method: 'POST', url, headers, payload })).statusCode
}

/** Says every canary to every door that takes it, where it goes well and where it fails. */
async function walk(): Promise<void> {
  const variables = { q: CANARIES['a variable'] }
  const messages = [{ role: 'user', content: CANARIES['a message'] }]
  const failing = [{ role: 'user', content: `fail ${CANARIES['a message']}` }]
  const inline = { name: 'mine', userPrompt: CANARIES['an inline prompt’s text'] }
  const returns = { type: 'object', properties: { [CANARIES['a schema of an answer']]: {} } }
  const argument = { q: CANARIES['a tool’s argument'] }
  const statuses = [
    await post('/api/render/prompts/a.plain', {
      variables: { ...variables, pin: CANARIES['a secret variable'] },
    }),
    await post('/api/render/prompts/a.plain', { variables }, 'a key of KEYS_FILE'),
    await post('/api/render/prompts/a.plain', { variables }, 'an unknown key'),
    await post('/api/render/prompts/a.plain?explain=true', { variables }),
    await post('/api/render/prompts/a.plain', { variables: { n: CANARIES['a variable’s wrong value'] } }),
    await post('/api/render/prompts/a.tools', { variables }),
    await post('/api/render', { prompt: inline }),
    await post('/api/chat/prompts/a.plain', { variables, messages }),
    await post('/api/chat', { prompt: { ...inline, returns }, structured: true }),
    await post('/v1/chat/completions', { messages }),
    await post('/v1/chat/completions', { messages: failing }),
    await post('/api/tools/look/call', { arguments: argument }),
    await post('/api/tools/broken/call', { arguments: argument }),
    await post('/api/sessions', { agent: 'helper', id: 's' }),
    await post('/api/sessions/s/turns', { input: CANARIES['a session’s input'] }),
  ]
  expect(statuses.slice(0, 8)).toEqual([200, 200, 401, 200, 400, 200, 200, 200])
  expect(statuses.slice(8)).toEqual([502, 200, 400, 200, 200, 201, 200])
  const lines = () => log.split('"msg":"request"').length - 1
  await waitUntil(() => lines() === statuses.length, 'the lines of the log', 20_000)
  const requests = () => collected.spans().filter(({ name }) => name.startsWith('POST'))
  await waitUntil(() => requests().length === statuses.length, 'the spans', 20_000)
}

describe('what is said, and what is secret', () => {
  it('went everywhere it should', () => {
    const all = sent.join('\n')
    for (const kind of [
      'a tool’s secret',
      'a model’s key',
      'a tool’s argument',
      'a session’s input',
    ] as const)
      expect(all).toContain(CANARIES[kind])
    expect(collected.spans().length).toBeGreaterThan(25)
    expect(metrics).toContain('llm_requests_total')
    expect(log).toContain('"key":"web"')
  })

  it('is recorded for impact in state alone, without what the schema calls a secret', async () => {
    const headers = { authorization: `Bearer ${CANARIES['a key of API_KEYS']}` }
    const url = '/api/prompts/a.plain/variables'
    const recorded = (await service.app.server.inject({ url, headers })).body
    expect(recorded).toContain(CANARIES['a variable'])
    for (const kind of Object.keys(CANARIES) as Kind[])
      if (!kind.startsWith('a variable')) expect(recorded).not.toContain(CANARIES[kind])
    for await (const page of service.app.state.items(RECORDED).pages())
      expect(JSON.stringify(page)).not.toContain(CANARIES['a secret variable'])
  })

  it.each(Object.keys(CANARIES) as Kind[])('%s is in no span, no metric and no line of the log', (kind) => {
    const canary = CANARIES[kind]
    expect(JSON.stringify(collected.spans())).not.toContain(canary)
    expect(metrics).not.toContain(canary)
    expect(log).not.toContain(canary)
  })
})
