import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.js'
import { createScriptedModel, type ScriptedModel } from '../../../src/testing/scripted-model.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { readBody, sendJson, startHttpServer, type TestServer } from '../tools/http-server.js'

const DOCUMENTS: Readonly<Record<string, object>> = {
  'environs/vscode/rules.json': ['no any', 'small files'],
  'environs/house.json': { style: 'calm' },
  'templates/hb/greet.json': {
    engine: 'handlebars',
    userPrompt: 'Hello {{ variables.name }}{{#if variables.mood}}, feeling {{variables.mood}}{{/if}}.',
    parameters: [
      { name: 'name', type: 'string' },
      { name: 'mood', type: 'string', default: '' },
    ],
  },
  'templates/hb/rules.json': {
    engine: 'handlebars',
    userPrompt: '{{#each vscode.rules}}{{> hb.row}}{{/each}}',
  },
  'templates/hb/row.json': { engine: 'handlebars', userPrompt: '- {{item}} ({{> hb.style}})\n' },
  'templates/hb/style.json': { engine: 'handlebars', userPrompt: '{{house.style}}' },
  'templates/hb/from_go.json': { engine: 'handlebars', userPrompt: '[{{> go.count}}]' },
  'templates/go/count.json': { userPrompt: '{{len .vscode.rules | printf "%02d"}}' },
  'templates/go/with_hb.json': { userPrompt: '<{{template "hb.style" .}}>{{template "hb.rules" .}}' },
  'templates/hb/missing.json': { engine: 'handlebars', userPrompt: '{{ no.such }} {{ variables.b }}' },
  'templates/hb/later.json': {
    engine: 'handlebars',
    userPrompt: '{{#if variables.on}}{{ variables.deep.x }}{{/if}}',
  },
  'templates/hb/loop.json': {
    engine: 'handlebars',
    userPrompt: '{{#each variables.list}}{{item}},{{/each}}',
  },
  'templates/hb/circle.json': { engine: 'handlebars', userPrompt: '({{> hb.circle}})' },
  'templates/hb/lost.json': { engine: 'handlebars', userPrompt: '{{> nobody.home}}' },
  'templates/hb/endless.json': {
    engine: 'handlebars',
    userPrompt:
      '{{#each variables.l}}{{#each variables.l}}{{#each variables.l}}{{#each variables.l}}{{/each}}{{/each}}{{/each}}{{/each}}',
  },
  'templates/hb/broken.json': { engine: 'handlebars', userPrompt: 'a\n {{#if x}}' },
  'templates/chat/adviser.json': {
    messages: [
      { role: 'system', content: 'Advise. {{.house.style}}' },
      { role: 'user', content: 'About {{.variables.topic}}?' },
    ],
    parameters: [{ name: 'topic', type: 'string' }],
    options: { temperature: 0.25 },
  },
  'templates/vision/hb.json': vision('handlebars', (name) => `{{ variables.${name} }}`),
  'templates/vision/go.json': vision('go', (name) => `{{.variables.${name}}}`),
  'templates/bad/orphan.json': {
    messages: [
      { role: 'user', content: 'a' },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
    ],
  },
  'extensions/review.json': {
    name: 'review',
    contributes: {
      prompts: [
        {
          name: 'twice',
          messages: [
            { role: 'user', content: 'a' },
            { role: 'user', content: [{ type: 'hologram' }] },
          ],
        },
      ],
    },
  },
  'templates/tool/slow.json': { userPrompt: '{{slow_call .variables.text}}' },
  'tools/slow/call.json': {
    url: '/slow',
    parameters: { type: 'object', properties: { text: { type: 'string' } } },
    result: 'text',
  },
}

/** A multimodal prompt with a template in every field that may hold one. */
function vision(engine: string, tag: (name: string) => string): object {
  return {
    engine,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: `What is ${tag('what')}?` },
          { type: 'image_url', image_url: { url: `https://example.org/${tag('url')}.png`, detail: 'low' } },
          { type: 'input_audio', input_audio: { data: tag('audio'), format: 'wav' } },
          { type: 'file', file: { file_id: tag('file') } },
        ],
      },
    ],
  }
}

const directory = mkdtempSync(join(tmpdir(), 'compose-catalog-'))
/** Told to a tool by as many prompts of one request. */
const TOGETHER = [...'abcdef']

let app: App
let model: ScriptedModel
let tools: TestServer

beforeAll(async () => {
  for (const [name, content] of Object.entries(DOCUMENTS)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), JSON.stringify(content))
  }
  // Answers when all that are to be under way together are.
  const waiting: (() => void)[] = []
  tools = await startHttpServer(async (request, response) => {
    const { text } = JSON.parse(await readBody(request))
    waiting.push(() => sendJson(response, { text: `<${text}>` }))
    if (waiting.length === TOGETHER.length) for (const answer of waiting.splice(0)) answer()
  })
  model = createScriptedModel(['an answer'])
  const environment = { CATALOG_DIR: directory, TOOL_BASE_URL: tools.url, RENDER_TIMEOUT_MS: '20000' }
  app = await buildTestApp(environment, { model })
})
afterAll(async () => {
  await app.close()
  await tools.close()
  rmSync(directory, { recursive: true })
})

async function post(url: string, payload: object): Promise<{ status: number; body: Answer }> {
  const response = await app.server.inject({ method: 'POST', url, payload })
  return { status: response.statusCode, body: response.json() }
}

interface Answer {
  readonly kind?: string
  readonly rendered_prompt?: unknown
  readonly warnings?: readonly { readonly tool: string }[]
  readonly error?: {
    readonly code: string
    readonly param: string | null
    readonly message: string
    readonly details?: unknown
  }
}

const render = (id: string, variables: object = {}) => post(`/api/render/prompts/${id}`, { variables })
const compose = (items: readonly object[], more: object = {}) =>
  post('/api/render', { compose: items, ...more })

describe('registered prompts of the Handlebars subset', () => {
  it.each([
    ['hb.greet', { name: 'Ada' }, 'Hello Ada.'],
    ['hb.greet', { name: 'Ada', mood: 'fine' }, 'Hello Ada, feeling fine.'],
    ['hb.rules', {}, '- no any (calm)\n- small files (calm)\n'],
    ['hb.from_go', {}, '[02]'],
    ['go.with_hb', {}, '<calm>- no any (calm)\n- small files (calm)\n'],
    ['hb.later', {}, ''],
    ['hb.loop', { list: [1, 'a', null, [2], { b: 1 }] }, '1,a,,[2],{"b":1},'],
    ['hb.loop', { list: ['"quoted"', '{{x}}', 'a\nb'] }, '"quoted",{{x}},a\nb,'],
  ])('%s with %j', async (id, variables, text) => {
    expect(await render(id, variables)).toEqual({
      status: 200,
      body: { status: 'success', kind: 'prompt', rendered_prompt: text },
    })
  })

  it.each([
    ['hb.greet', {}, 400, 'missing_variables', 'variables.name'],
    ['hb.missing', {}, 400, 'missing_variables', 'no'],
    ['hb.later', { on: true, deep: {} }, 400, 'missing_variables', 'variables.deep.x'],
    ['hb.loop', { list: 'abc' }, 500, 'not_an_array', '"variables.list" is not an array'],
    ['hb.loop', { list: null }, 500, 'not_an_array', '"variables.list" is not an array'],
    ['hb.circle', {}, 500, 'max_depth_reached', 'deeper than 16'],
    ['hb.lost', {}, 500, 'partial_not_found', '"nobody.home" is not registered'],
    ['hb.broken', {}, 400, 'template_syntax', 'unclosed block {{#if x}}'],
  ])('%s with %j fails with %i %s', async (id, variables, status, code, message) => {
    const { status: seen, body } = await render(id, variables)
    expect(seen, JSON.stringify(body)).toBe(status)
    expect(body.error?.code).toContain(code)
    expect(`${body.error?.message} ${JSON.stringify(body.error?.details)}`).toContain(message)
  })

  it('are stopped at the limit', async () => {
    const { status, body } = await render('hb.endless', { l: Array.from({ length: 200 }, () => 1) })
    expect(status).toBe(503)
    expect(body.error?.code).toMatch(/^render_(timeout|limit)$/)
  })

  it('names every missing path in one answer', async () => {
    const { body } = await render('hb.missing')
    expect(body.error?.details).toMatchObject([{ path: 'no.such' }, { path: 'variables.b' }])
  })

  it('renders inline', async () => {
    const prompt = {
      engine: 'handlebars',
      userPrompt: '{{#if variables.a}}{{> hb.style}}{{/if}}{{{variables.a}}}',
    }
    const { body } = await post('/api/render', { prompt, variables: { a: 1 } })
    expect(body.rendered_prompt).toBe('calm{1}')
  })
})

describe('multimodal prompts', () => {
  it.each(['vision.hb', 'vision.go'])('%s has templates in texts, urls, audio and files', async (id) => {
    const variables = { what: 'a "sign"', url: 'a/b?c=1&d=%20', audio: 'QUJD', file: 'file-1' }
    const { status, body } = await render(id, variables)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.kind).toBe('messages')
    expect(body.rendered_prompt).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is a "sign"?' },
          { type: 'image_url', image_url: { url: 'https://example.org/a/b?c=1&d=%20.png', detail: 'low' } },
          { type: 'input_audio', input_audio: { data: 'QUJD', format: 'wav' } },
          { type: 'file', file: { file_id: 'file-1' } },
        ],
      },
    ])
  })

  it('reports a variable that is missing in a url', async () => {
    const { status, body } = await render('vision.hb', { what: 'x', audio: 'x', file: 'x' })
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'missing_variables', details: [{ path: 'variables.url' }] })
  })
})

describe('compose', () => {
  const items = [
    { role: 'system', text: 'Literal {{x}}' },
    { prompt: 'chat.adviser' },
    { role: 'assistant', text: 'Yes.', name: 'bot' },
    {
      role: 'user',
      parts: [
        { prompt: 'hb.greet', variables: { name: 'Bob' } },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      ],
    },
    { messages: [{ role: 'assistant', content: 'Seen.' }] },
    {
      prompt: { engine: 'handlebars', userPrompt: '{{variables.topic}}{{variables.n}}' },
      variables: { n: 2 },
    },
  ]
  const messages = [
    { role: 'system', content: 'Literal {{x}}' },
    { role: 'system', content: 'Advise. calm' },
    { role: 'user', content: 'About engines?' },
    { role: 'assistant', content: 'Yes.', name: 'bot' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hello Bob.' },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      ],
    },
    { role: 'assistant', content: 'Seen.' },
    { role: 'user', content: 'engines2' },
  ]

  it('renders a conversation', async () => {
    expect(await compose(items, { variables: { topic: 'engines' } })).toEqual({
      status: 200,
      body: { status: 'success', kind: 'messages', rendered_prompt: messages },
    })
  })

  it('takes `args` for `variables`', async () => {
    const { body } = await compose(items, { args: { topic: 'engines' } })
    expect(body.rendered_prompt).toEqual(messages)
  })

  it('chats with a conversation', async () => {
    const before = model.requests.length
    const { status, body } = await post('/api/chat', {
      model: 'm',
      temperature: 0.5,
      compose: items.slice(0, 2),
      variables: { topic: 'engines' },
      messages: [
        { role: 'assistant', content: 'a' },
        { role: 'user', content: [{ type: 'text', text: 'b' }] },
      ],
    })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(JSON.stringify(body)).toContain('an answer')
    expect(model.requests[before]).toMatchObject({
      model: 'm',
      temperature: 0.5,
      messages: [
        ...messages.slice(0, 3),
        { role: 'assistant', content: 'a' },
        { role: 'user', content: 'b' },
      ],
    })
    expect(Object.keys(model.requests[before] as object)).not.toContain('compose')
    expect(Object.keys(model.requests[before] as object)).not.toContain('variables')
  })

  it('runs the tools of all prompts at the same time', async () => {
    const prompts = TOGETHER.map((text) => ({ role: 'system', prompt: 'tool.slow', variables: { text } }))
    const { status, body } = await compose([...prompts, { role: 'user', text: 'go' }])
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.rendered_prompt).toMatchObject(
      TOGETHER.map((text) => ({ content: `<${text}>` })).concat({ content: 'go' }),
    )
    expect(body.warnings).toBeUndefined()
  })

  it.each([
    [
      'both forms',
      { compose: [{ role: 'user', text: 'a' }], prompt: { userPrompt: 'x' } },
      400,
      'invalid_request',
      'compose',
    ],
    ['neither form', {}, 400, 'invalid_request', 'prompt'],
    ['no items', { compose: [] }, 400, 'invalid_request', 'compose'],
    ['an item of another shape', { compose: [{ rolle: 'user' }] }, 400, 'invalid_request', 'compose.0'],
    ['an item without content', { compose: [{ role: 'user' }] }, 400, 'invalid_request', 'compose[0]'],
    ['an unknown role', { compose: [{ role: 'boss', text: 'a' }] }, 400, 'invalid_request', 'compose.0.role'],
    ['an unknown prompt', { compose: [{ prompt: 'hb.gret' }] }, 404, 'prompt_not_found', 'compose[0].id'],
    [
      'a missing variable',
      { compose: [{ role: 'system', text: 's' }, { prompt: 'hb.greet' }] },
      400,
      'missing_variables',
      'compose[1].variables',
    ],
    [
      'a malformed template',
      { compose: [{ prompt: { userPrompt: '{{if}}' } }] },
      400,
      'template_syntax',
      'compose[0]',
    ],
    [
      'a malformed prompt',
      { compose: [{ prompt: { userPrompt: 'a', messages: [{ role: 'user', content: 'b' }] } }] },
      400,
      'invalid_',
      'compose',
    ],
    [
      'an unknown part',
      { compose: [{ role: 'user', parts: [{ type: 'smell' }] }] },
      400,
      'invalid_request',
      'compose[0].parts[0]',
    ],
    [
      'two users in a row',
      {
        compose: [
          { role: 'user', text: 'a' },
          { prompt: 'hb.greet', variables: { name: 'x' } },
        ],
      },
      400,
      'invalid_sequence',
      'compose',
    ],
    [
      'an open call',
      {
        compose: [
          { role: 'user', text: 'a' },
          { role: 'assistant', tool_calls: [{ id: 'c' }] },
        ],
      },
      400,
      'invalid_sequence',
      'compose',
    ],
    ['a hostile name', { compose: [{ prompt: '__proto__' }] }, 404, 'prompt_not_found', 'compose[0].id'],
  ])('answers %s on both routes', async (_name, payload, status, code, param) => {
    for (const url of ['/api/render', '/api/chat']) {
      const { status: seen, body } = await post(url, payload)
      expect(seen, `${url} ${JSON.stringify(body)}`).toBe(status)
      expect(body.error?.code).toContain(code)
      expect(body.error?.param).toContain(param)
    }
  })

  it('continues a prompt that the path names', async () => {
    const payload = {
      variables: { topic: 'engines' },
      compose: [
        { role: 'assistant', text: 'Yes.' },
        { prompt: 'hb.greet', variables: { name: 'Ada' } },
      ],
    }
    const whole = [
      ...messages.slice(1, 3),
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'Hello Ada.' },
    ]
    const { status, body } = await post('/api/render/prompts/chat.adviser', payload)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ kind: 'messages', rendered_prompt: whole })
    const before = model.requests.length
    const chat = await post('/api/chat/prompts/chat.adviser', { ...payload, model: 'm' })
    expect(chat.status, JSON.stringify(chat.body)).toBe(200)
    expect(model.requests[before]).toMatchObject({ model: 'm', temperature: 0.25, messages: whole })
  })

  it('says where a prompt that the path names fails, and where an item does', async () => {
    const url = '/api/render/prompts/chat.adviser'
    const lead = await post(url, { compose: [{ role: 'assistant', text: 'a' }] })
    expect(lead.body.error).toMatchObject({ code: 'missing_variables', param: 'variables' })
    const item = await post(url, {
      variables: { topic: 'x' },
      compose: [{ role: 'assistant', prompt: 'hb.greet' }],
    })
    expect(item.body.error).toMatchObject({ code: 'missing_variables', param: 'compose[0].variables' })
    const chat = await post('/api/chat/prompts/chat.adviser', {
      variables: { topic: 'x' },
      compose: [{ role: 'user', text: 'a' }],
    })
    expect(chat.body.error).toMatchObject({ code: 'invalid_sequence' })
  })

  it('lists every violation of the sequence', async () => {
    const { body } = await compose([
      { role: 'tool', tool_call_id: 'c', text: 'r' },
      { role: 'user', text: 'a' },
      { role: 'user', text: 'b' },
    ])
    expect(body.error?.details).toMatchObject([
      { index: 0, rule: 'orphan_tool' },
      { index: 2, rule: 'repeated_role' },
    ])
  })

  it('does not take `structured` without a prompt that has `returns`', async () => {
    const { status, body } = await post('/api/chat', {
      compose: [{ role: 'user', text: 'a' }],
      structured: true,
    })
    expect(status).toBe(400)
    expect(body.error?.param).toBe('structured')
  })
})

describe('check', () => {
  it('finds registered prompts whose messages are no conversation', async () => {
    const place = (name: string) => expect.stringContaining(name)
    const position = { line: 1, column: expect.any(Number) as number }
    const found = await app.findings.all()
    expect(
      found
        .filter(({ code }) => code === 'invalid_sequence')
        .sort((one, other) => one.severity.localeCompare(other.severity) || other.id.localeCompare(one.id)),
    ).toEqual([
      {
        kind: 'templates',
        id: 'bad.orphan',
        location: place('bad/orphan.json'),
        code: 'invalid_sequence',
        message: 'messages[1]: a tool message must follow an assistant message with `tool_calls`',
        severity: 'error',
        servingLastGood: false,
        ...position,
      },
      {
        kind: 'extensions',
        id: 'review',
        prompt: 'review.twice',
        location: place('review.json'),
        code: 'invalid_sequence',
        message: 'messages[1]: two user messages in a row',
        severity: 'warning',
        servingLastGood: false,
        ...position,
      },
      expect.objectContaining({
        message: expect.stringContaining('messages[1].content[0]: unknown content part type "hologram"'),
        severity: 'warning',
      }),
    ])
  })
})

describe('a chat whose messages are no conversation', () => {
  it('is refused before the model is asked, with every violation', async () => {
    const before = model.requests.length
    const { status, body } = await post('/api/chat/prompts/hb.style', {
      messages: [
        { role: 'tool', tool_call_id: 'x', content: 'r' },
        { role: 'nobody', content: 'a' },
      ],
    })
    expect(status).toBe(400)
    expect(body.error).toMatchObject({
      code: 'invalid_sequence',
      details: [
        { index: 1, rule: 'orphan_tool' },
        { index: 2, rule: 'role' },
      ],
    })
    expect(model.requests).toHaveLength(before)
  })
})
