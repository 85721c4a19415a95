import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.js'
import { createLogger, type Logger, silentLogger } from '../../../src/util/telemetry/logger.js'
import { makeEntry, writeEntry } from '../../../src/versions/history-entry.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { createKeysFile, type TestKeysFile } from '../../support/keys-file.js'
import { createSigner, release, version } from '../../support/lives.js'
import { recordingLogger } from '../../support/recording-logger.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { startTestApp } from '../../support/test-app.js'

const one = version('a.b', 1, { userPrompt: 'one {{.variables.x}}' })
const two = version('a.b', 2, { userPrompt: 'two {{.variables.x}}' })
const HEAD = { userPrompt: 'head {{.variables.x}}', aliases: [{ id: 'pmpt_1', versions: { '3': 2 } }] }
const ann = createSigner('ann')
const HEAD_ALONE = { userPrompt: 'alone' }
const KEYS = { production: 'sk-production', other: 'sk-other', full: 'sk-full' }

let redisServer: RedisServer
let redis: Redis
const apps: App[] = []
const files: TestKeysFile[] = []

async function start(
  environment: Readonly<Record<string, string>> = {},
  file?: string,
  logger: Logger = silentLogger(),
): Promise<App> {
  const usual = { REDIS_URL: redisServer.url }
  const app = await buildTestApp(
    { ...usual, ...environment },
    { logger, ...(file !== undefined && { readFile: () => file }) },
  )
  apps.push(app)
  return app
}

const set = (key: string, value: unknown) => redis.set(`shenma:${key}`, JSON.stringify(value))

interface Asked {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  readonly method?: 'GET' | 'POST'
}

async function ask(app: App, url: string, { headers = {}, body, method = 'POST' }: Asked = {}) {
  const response = await app.server.inject({
    method,
    url,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { payload: JSON.stringify(body ?? { variables: { x: '!' } }) }),
  })
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(response.body) }
}

const render = (app: App, id: string, more?: Asked) => ask(app, `/api/render/prompts/${id}`, more)
const get = (app: App, url: string, headers = {}) => ask(app, url, { method: 'GET', headers })

beforeAll(async () => {
  redisServer = await startRedisServer()
  redis = new Redis(redisServer.url)
  await set('templates:a:b', HEAD)
  await set('templates:a:b@1', one.document)
  await set('templates:a:b@2', two.document)
  await set('templates:c', { userPrompt: 'draft' })
  await set('releases:a:b:production', release(two, { previous: { version: 1, digest: one.digest } }))
  await set(
    'releases:a:b:staging',
    release(
      [
        [one, 50],
        [two, 50],
      ],
      { sticky: 'variables.user' },
    ),
  )
  const entry = makeEntry('', {
    action: 'publish',
    at: '2026-11-23T10:00:00Z',
    targets: [one].map(({ number, digest }) => ({ version: number, digest })),
  })
  await redis.xadd('shenma:history:a:b', '*', 'entry', writeEntry(entry))
})

afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()))
  for (const file of files) file.dispose()
  redis.disconnect()
  await redisServer.stop()
})

describe('versions and labels over HTTP', () => {
  it('are chosen by the id, the query and OpenAI’s reference, and say what was served', async () => {
    const app = await start({ LLM_MODEL: 'echo' })
    const rows = [
      ['a.b', 'head !', undefined, undefined],
      ['a.b@1', 'one !', '1', undefined],
      ['a.b?version=2', 'two !', '2', undefined],
      ['a.b@production', 'two !', '2', 'production'],
      ['a.b?label=production', 'two !', '2', 'production'],
      ['pmpt_1', 'head !', undefined, undefined],
    ] as const
    for (const [id, text, number, label] of rows) {
      const { body, headers } = await render(app, id)
      expect([id, body.rendered_prompt]).toEqual([id, text])
      expect(headers['x-prompt-version']).toBe(number)
      expect(headers['x-prompt-label']).toBe(label)
      expect(headers['x-prompt-bucket']).toBeUndefined()
    }
    const chats = [
      [{ id: 'a.b', version: '1' }, 'one !'],
      [{ id: 'a.b', version: 'production' }, 'two !'],
      [{ id: 'pmpt_1', version: '3' }, 'two !'],
    ] as const
    for (const [prompt, text] of chats) {
      const { body, headers } = await ask(app, '/v1/chat/completions', {
        body: { model: 'echo', prompt: { ...prompt, variables: { x: '!' } } },
      })
      expect(body.choices[0].message.content).toBe(text)
      expect(headers['x-prompt-version']).toBe(text.startsWith('one') ? '1' : '2')
    }
    const model = await ask(app, '/v1/chat/completions', {
      body: { model: 'prompt:a.b@1', variables: { x: '!' } },
    })
    expect(model.body.error ?? model.body.choices[0].message.content).toBe('one !')
    const composed = await render(app, 'a.b@1', {
      body: { compose: [{ role: 'assistant', prompt: 'a.b@production' }], variables: { x: '!' } },
    })
    expect(composed.body.rendered_prompt.map(({ content }: { content: string }) => content)).toEqual([
      'one !',
      'two !',
    ])
  })

  it('are in the log line of each request, and explained as any text is', async () => {
    let log = ''
    const stream = new PassThrough().on('data', (chunk) => {
      log += String(chunk)
    })
    const app = await start({ LLM_MODEL: 'echo' }, undefined, createLogger('info', stream))
    const headers = { 'x-prompt-key': 'ann' }
    const { body } = await render(app, 'a.b@1?explain=true')
    expect(body.rendered_prompt).toBe('one !')
    const split = await render(app, 'a.b@staging', { headers })
    await ask(app, '/api/chat/prompts/a.b?label=production')
    await ask(app, '/v1/chat/completions', { body: { model: 'prompt:a.b@1', variables: { x: '!' } } })
    await ask(app, '/v1/responses', { body: { prompt: { id: 'a.b', version: '2', variables: { x: '!' } } } })
    const number = Number(split.headers['x-prompt-version'])
    const bucket = Number(split.headers['x-prompt-bucket'])
    const lines = () => log.split('\n').filter((line) => line.includes('"prompt":"a.b'))
    await expect.poll(() => lines().length).toBe(5)
    const said = lines().map((line) => JSON.parse(line))
    expect(said.map(({ version: served, label, bucket: place }) => [served, label, place])).toEqual([
      [1, undefined, undefined],
      [number, 'staging', bucket],
      [2, 'production', undefined],
      [1, undefined, undefined],
      [2, undefined, undefined],
    ])
  })

  it('refuse what is not there, and two choices at once', async () => {
    await set('templates:lost', HEAD_ALONE)
    await set('releases:lost:production', release({ number: 9, digest: '0'.repeat(64) }))
    const app = await start()
    const rows = [
      ['a.b@9', 404, 'version_not_found', { versions: [1, 2] }],
      ['a.b?label=qa', 404, 'label_not_found', { labels: ['production', 'staging'] }],
      ['a.b?label=production&version=1', 400, 'invalid_request', undefined],
      ['a.b@1?version=1', 400, 'invalid_request', undefined],
      ['a.b?version=production', 400, 'invalid_request', undefined],
      ['pmpt_2', 404, 'prompt_not_found', undefined],
      [
        'lost@production',
        ...([503, 'release_unusable'] as const),
        { label: 'production', reason: 'version 9 is not there' },
      ],
      ['lost?label=production', 503, 'release_unusable', undefined],
    ] as const
    for (const [id, status, code, details] of rows) {
      const answer = await render(app, id)
      expect([id, answer.status, answer.body.error.code]).toEqual([id, status, code])
      if (details !== undefined) expect(answer.body.error.details).toEqual(details)
    }
    const unknown = await ask(app, '/v1/chat/completions', {
      body: { prompt: { id: 'pmpt_1', version: '9' } },
    })
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'version_not_found'])
    await redis.del('shenma:templates:lost', 'shenma:releases:lost:production')
  })

  it('are split by a header or by a variable, alike in every process', async () => {
    const [app, other] = [await start(), await start()]
    const by = async (asked: App, more: Asked) => (await render(asked, 'a.b@staging', more)).headers
    for (const user of ['ann', 'ben', 'cem', 'dan']) {
      const first = await by(app, { headers: { 'x-prompt-key': user } })
      const second = await by(other, { body: { variables: { x: '', user } } })
      expect(first['x-prompt-bucket']).toMatch(/^\d+$/)
      expect(second['x-prompt-bucket']).toBe(first['x-prompt-bucket'])
      expect(second['x-prompt-version']).toBe(first['x-prompt-version'])
    }
  })

  it('are listed, compared and told, and are no entries of their own', async () => {
    const app = await start()
    const list = await get(app, '/api/prompts')
    expect(
      list.body.items.map(({ id }: { id: string }) => id).filter((id: string) => /^(a|c)\b/.test(id)),
    ).toEqual(['a.b', 'c'])
    const models = await get(app, '/v1/models')
    expect(JSON.stringify(models.body)).not.toContain('@')
    const detail = await get(app, '/api/prompts/a.b')
    expect(detail.body).toMatchObject({ labels: ['production', 'staging'], newest_version: 2 })
    const versions = await get(app, '/api/prompts/a.b/versions')
    expect(versions.body.versions).toMatchObject([
      { version: 2, digest: two.digest, labels: ['production', 'staging'] },
      { version: 1, digest: one.digest, labels: ['staging'] },
    ])
    const labels = await get(app, '/api/prompts/a.b/labels')
    expect(labels.body.labels).toMatchObject([
      { label: 'production', serves: [{ version: 2 }], previous: { version: 1, digest: one.digest } },
      {
        label: 'staging',
        serves: [
          { version: 1, share: 50 },
          { version: 2, share: 50 },
        ],
      },
    ])
    const history = await get(app, '/api/prompts/a.b/history')
    expect(history.body).toMatchObject({ available: true, entries: [{ action: 'publish' }] })
    expect(history.body.entries[0]).not.toHaveProperty('gap')
    const diff = await get(app, '/api/prompts/a.b/diff?from=1&to=production')
    expect(diff.body.changes).toEqual([
      { path: 'userPrompt', before: 'one {{.variables.x}}', after: 'two {{.variables.x}}' },
    ])
    const renders = await ask(app, '/api/prompts/a.b/diff?from=1')
    expect(renders.body).toMatchObject({ same: false, before: 'one !', after: 'head !' })
  })

  it('are counted by prompt, version and label, and shown as models', async () => {
    const app = await start()
    for (const id of ['a.b@1', 'a.b@production', 'a.b@production', 'a.b']) await render(app, id)
    const metrics = (await app.server.inject({ url: '/metrics' })).body
    expect(metrics).toContain('prompt_version_renders_total{prompt="a.b",version="1",label=""} 1')
    expect(metrics).toContain('prompt_version_renders_total{prompt="a.b",version="2",label="production"} 2')
    const rows = [
      ['prompt:a.b', 200],
      ['prompt:a.b@1', 200],
      ['prompt:a.b@production', 200],
      ['prompt:a.b@9', 404],
      ['prompt:a.b@qa', 404],
    ] as const
    for (const [model, status] of rows) {
      const answer = await get(app, `/v1/models/${model}`)
      expect([model, answer.status, answer.body.id ?? '']).toEqual([
        model,
        status,
        status === 200 ? model : '',
      ])
    }
  })

  it('tell who moved them: a line of the log, and an event of its own name', async () => {
    const { logger, lines } = recordingLogger()
    await start({}, undefined, logger)
    const moved = () => lines().filter(({ msg }) => msg === 'release_moved')
    await set('releases:a:b:qa', release(one, { by: 'ann', note: 'try it', at: '2026-11-23T10:00:00Z' }))
    await expect.poll(() => moved().length).toBe(1)
    await set('releases:a:b:qa', release(two, { sequence: 2, action: 'rollback' }))
    await expect.poll(() => moved().length).toBe(2)
    await redis.del('shenma:releases:a:b:qa')
    await expect.poll(() => moved().length).toBe(3)
    const about = { level: 'info', prompt: 'a.b', label: 'qa' }
    expect(moved()).toMatchObject([
      { ...about, from: 'nothing', to: '1', by: 'ann', note: 'try it', sequence: 1 },
      { ...about, from: '1', to: '2', action: 'rollback', sequence: 2 },
      { ...about, from: '2', to: 'nothing' },
    ])
  })

  it('are judged by name, by their request or by their version', async () => {
    const app = await start()
    const judge = (body: object) => ask(app, '/api/feedback', { body })
    const rows: readonly (readonly [object, object])[] = [
      [
        { prompt: 'a.b', version: 1, name: 'helpful', score: 1 },
        { prompt: 'a.b', version: 1, name: 'helpful', score: 1 },
      ],
      [
        { prompt: 'a.b@production', name: 'helpful', score: 0.5 },
        { prompt: 'a.b', version: 2, label: 'production', name: 'helpful', score: 0.5 },
      ],
      [
        { request_id: 'req-1', name: 'polite', score: 0 },
        { request_id: 'req-1', name: 'polite', score: 0 },
      ],
    ]
    for (const [body, answer] of rows) expect((await judge(body)).body).toEqual(answer)
    await judge({ prompt: 'a.b', version: 1, name: 'helpful', score: 0.25 })
    const refusals: readonly (readonly [object, number, string])[] = [
      [{ name: 'helpful', score: 1 }, 400, 'invalid_request'],
      [{ prompt: 'a.b', name: 'helpful', score: 2 }, 400, 'invalid_request'],
      [{ prompt: 'a.b', name: 'two words', score: 1 }, 400, 'invalid_request'],
      [{ prompt: 'a.x', name: 'helpful', score: 1 }, 404, 'prompt_not_found'],
      [{ prompt: 'a.b', version: 9, name: 'helpful', score: 1 }, 404, 'version_not_found'],
    ]
    for (const [body, status, code] of refusals) {
      const answer = await judge(body)
      expect([body, answer.status, answer.body.error.code]).toEqual([body, status, code])
    }
    const metrics = (await app.server.inject({ url: '/metrics' })).body
    for (const line of [
      'feedback_total{prompt="a.b",version="1",label="",name="helpful"} 2',
      'feedback_score_sum{prompt="a.b",version="1",label="",name="helpful"} 1.25',
      'feedback_total{prompt="a.b",version="2",label="production",name="helpful"} 1',
      'feedback_total{prompt="",version="",label="",name="polite"} 1',
    ])
      expect(metrics).toContain(line)
  })

  it('are had by clients of Langfuse, as long as they are text with plain variables', async () => {
    const rich = { userPrompt: '{{if .variables.x}}{{.variables.x}}{{end}}' }
    const chat = {
      messages: [
        { role: 'system', content: '{{template "l.tone" .}} ' },
        { role: 'user', content: 'Hi {{- /* here */ -}} {{.variables.name}}' },
      ],
      model: 'echo',
      options: { temperature: 0 },
    }
    const carried = version('l.chat', 3, chat, { 'l.tone': { userPrompt: 'Be kind to {{ .args.name }}.' } })
    await set('templates:l:tone', { userPrompt: 'Changed.' })
    await set('templates:l:chat', chat)
    await set('templates:l:chat@3', carried.document)
    await set('releases:l:chat:production', release(carried))
    await set('templates:l:rich', rich)
    await set('templates:l:bars', { engine: 'handlebars', userPrompt: 'Hi {{variables.name}}, {{ args.x }}' })
    await set('templates:l:loop', { engine: 'handlebars', userPrompt: '{{#each variables.x}}a{{/each}}' })
    const file = createKeysFile([{ name: 'r', key: KEYS.full, scopes: ['read', 'render', 'chat'] }])
    files.push(file)
    const app = await start({ KEYS_FILE: file.path, LLM_MODEL: 'echo' })
    const authorization = `Basic ${Buffer.from(`pk-lf-any:${KEYS.full}`).toString('base64')}`
    const prompt = (path: string) =>
      get(app, `/compat/langfuse/api/public/v2/prompts/${path}`, { authorization })
    expect((await prompt('l.chat')).body).toEqual({
      name: 'l.chat',
      version: 3,
      type: 'chat',
      prompt: [
        { type: 'chatmessage', role: 'system', content: 'Be kind to {{name}}. ' },
        { type: 'chatmessage', role: 'user', content: 'Hi{{name}}' },
      ],
      config: { model: 'echo', temperature: 0 },
      labels: ['production', 'latest'],
      tags: [],
      commitMessage: null,
      resolutionGraph: null,
    })
    const rows: readonly (readonly [string, object])[] = [
      ['a.b?label=production', { version: 2, type: 'text', prompt: 'two {{x}}' }],
      ['a.b?version=1', { version: 1, prompt: 'one {{x}}' }],
      ['a.b?label=latest', { version: 2, prompt: 'two {{x}}' }],
      ['l.bars', { version: 0, prompt: 'Hi {{name}}, {{x}}' }],
      ['c', { version: 0, prompt: 'draft', labels: [] }],
    ]
    for (const [path, body] of rows) {
      const answer = await prompt(path)
      expect([path, answer.body]).toMatchObject([path, body])
    }
    const refusals: readonly (readonly [string, number, string])[] = [
      ['l.rich', 409, 'prompt_not_portable'],
      ['l.loop', 409, 'prompt_not_portable'],
      ['l.none', 404, 'prompt_not_found'],
      ['a.b?label=qa', 404, 'label_not_found'],
      ['a.b?version=9', 404, 'version_not_found'],
      ['a.b?version=1&label=production', 400, 'invalid_request'],
    ]
    for (const [path, status, code] of refusals) {
      const answer = await prompt(path)
      expect([path, answer.status, answer.body.error.code]).toEqual([path, status, code])
      expect(answer.body.message).toBe(answer.body.error.message)
    }
    expect((await prompt('l.rich')).body.message).toContain('POST /api/render/prompts/')
    // Basic authentication is for these paths alone.
    expect((await get(app, '/api/prompts', { authorization })).status).toBe(401)
    expect(
      (await get(app, '/compat/langfuse/api/public/v2/prompts/a.b', { authorization: 'Basic eDp5' })).status,
    ).toBe(401)

    const portkey = { 'x-portkey-api-key': KEYS.full }
    const completed = await ask(app, '/v1/prompts/a.b@latest/completions', {
      headers: portkey,
      body: { variables: { x: '!' }, max_tokens: 9 },
    })
    expect(completed.body.choices[0].message.content).toBe('two !')
    expect(completed.headers['x-prompt-version']).toBe('2')
    const rendered = await ask(app, '/v1/prompts/l.chat@production/render', {
      headers: portkey,
      body: { variables: { name: 'Ann' }, max_tokens: 9 },
    })
    expect(rendered.body).toEqual({
      success: true,
      data: {
        model: 'echo',
        messages: [
          { role: 'system', content: 'Be kind to Ann. ' },
          { role: 'user', content: 'HiAnn' },
        ],
        temperature: 0,
        max_tokens: 9,
      },
    })
    const refused = await ask(app, '/v1/prompts/l.none/completions', { headers: portkey, body: {} })
    expect([refused.status, refused.body.error.code]).toEqual([404, 'prompt_not_found'])
    for (const key of ['tone', 'chat', 'chat@3', 'rich', 'bars', 'loop'])
      await redis.del(`shenma:templates:l:${key}`)
    await redis.del('shenma:releases:l:chat:production')
  })

  it('say which keys spell an id otherwise, and show the history of an id with dots', async () => {
    await set('templates:s:t.u', { userPrompt: 'spelled' })
    await set('templates:s:t.u@1', version('s.t.u', 1, { userPrompt: 'one' }).document)
    await set('templates:s.t:u@2', version('s.t.u', 2, { userPrompt: 'two' }).document)
    await set('releases:s.t:u:production', release(version('s.t.u', 1, { userPrompt: 'one' })))
    const entry = makeEntry('', { action: 'publish', at: '2026-11-23T10:00:00Z', targets: [] })
    await redis.xadd('shenma:history:s:t.u', '*', 'entry', writeEntry(entry))
    const app = await start()
    const { body } = await get(app, '/api/status')
    const found = body.diagnostics.filter(({ code }: { code: string }) => code === 'ambiguous_key')
    expect(found.map(({ id, location }: { id: string; location: string }) => [id, location])).toEqual([
      ['s.t.u@production', 'shenma:releases:s.t:u:production'],
      ['s.t.u@2', 'shenma:templates:s.t:u@2'],
    ])
    expect((await get(app, '/api/prompts/s.t.u/history')).body).toMatchObject({
      available: true,
      entries: [{ action: 'publish' }],
    })
    await redis.del('shenma:templates:s:t.u', 'shenma:templates:s:t.u@1', 'shenma:templates:s.t:u@2')
    await redis.del('shenma:releases:s.t:u:production')
  })

  it('have a history that says where its chain does not hold', async () => {
    const fact = (label: string) =>
      ({ action: 'promote', at: '2026-11-23T10:00:00Z', label, targets: [] }) as const
    const first = makeEntry('', fact('one'))
    const second = makeEntry(first.digest, fact('two'))
    const third = makeEntry(second.digest, fact('three'))
    const texts = [first, { ...second, note: 'other' }, 'no entry', third]
    for (const entry of texts)
      await redis.xadd(
        'shenma:history:c',
        '*',
        'entry',
        typeof entry === 'string' ? entry : writeEntry(entry),
      )
    const app = await start()
    const rows = [
      ['', ['promote three', 'unreadable unreadable', 'promote two changed', 'promote one']],
      ['?limit=2', ['promote three', 'unreadable unreadable']],
    ] as const
    for (const [query, expected] of rows) {
      const { body } = await get(app, `/api/prompts/c/history${query}`)
      const shown = body.entries.map((entry: Readonly<Record<string, string>>) =>
        ['action', 'label', 'gap'].flatMap((name) => entry[name] ?? []).join(' '),
      )
      expect(shown).toEqual(expected)
    }
    await redis.del('shenma:history:c')
  })

  it('are all that a key with labels gets, whatever way it comes', async () => {
    const keys = [
      {
        name: 'p',
        key: KEYS.production,
        scopes: ['read', 'render', 'inline', 'chat'],
        labels: ['production'],
      },
      { name: 'o', key: KEYS.other, scopes: ['read', 'render'], prompts: ['a.*'] },
    ]
    const file = createKeysFile(keys)
    files.push(file)
    const app = await start({ KEYS_FILE: file.path })
    const headers = { authorization: `Bearer ${KEYS.production}` }
    await set('templates:draft:secret', { userPrompt: 'draft' })
    await set('templates:draft:broken', { userPrompt: '{{ nobody_knows }' })
    await expect.poll(() => app.registry.current.prompts.has('draft.secret')).toBe(true)
    expect((await render(app, 'a.b', { headers })).body.rendered_prompt).toBe('two !')
    for (const id of ['a.b@1', 'a.b@staging', 'a.b?version=2', 'c', 'c@production', 'planner.plan'])
      expect([id, (await render(app, id, { headers })).status]).toEqual([id, 404])
    const inline = async (text: string) =>
      (
        await ask(app, '/api/render', {
          headers,
          body: { prompt: { userPrompt: text }, variables: { x: '!' } },
        })
      ).body
    expect((await inline('{{template "a.b" .}}')).rendered_prompt).toBe('two !')
    expect((await inline('{{template "a.b@production" .}}')).rendered_prompt).toBe('two !')
    for (const name of ['a.b@1', 'a.b@staging', 'c']) {
      const answer = await inline(`{{template "${name}" .}}`)
      expect([name, answer.status]).toEqual([name, 'error'])
    }
    const composed = await ask(app, '/api/render', { headers, body: { compose: [{ prompt: 'a.b@1' }] } })
    expect(composed.status).toBe(404)
    const list = await get(app, '/api/prompts', headers)
    expect(list.body.items.map(({ id }: { id: string }) => id)).toEqual(['a.b'])
    for (const id of ['draft.secre', 'draft.broken']) {
      const { status, body } = await render(app, id, { headers })
      expect([id, status, body.error.code]).toEqual([id, 404, 'prompt_not_found'])
      expect(JSON.stringify(body)).not.toMatch(/secret|nobody/)
    }
    await redis.del('shenma:templates:draft:secret', 'shenma:templates:draft:broken')
    expect((await get(app, '/api/prompts/a.b', headers)).body.userPrompt).toBe('two {{.variables.x}}')
    expect((await get(app, '/api/prompts/c', headers)).status).toBe(404)
    expect((await get(app, '/api/prompts/a.b/versions', headers)).body.versions).toMatchObject([
      { version: 2 },
    ])
    expect((await get(app, '/api/prompts/a.b/diff?from=1', headers)).status).toBe(404)
    const [label] = (await get(app, '/api/prompts/a.b/labels', headers)).body.labels
    expect(label).toMatchObject({ label: 'production', serves: [{ version: 2 }] })
    expect(label).not.toHaveProperty('previous')
    const other = { authorization: `Bearer ${KEYS.other}` }
    expect((await render(app, 'a.b@1', { headers: other })).body.rendered_prompt).toBe('one !')
    expect((await render(app, 'pmpt_1', { headers: other })).body.rendered_prompt).toBe('head !')
    expect((await render(app, 'c@1', { headers: other })).body.error.code).toBe('prompt_not_found')
  })

  it('serve what PROMPT_LABEL says, and drafts with a warning where nothing was ever released', async () => {
    const { logger, lines } = recordingLogger()
    const app = await start({ PROMPT_LABEL: 'production' }, undefined, logger)
    expect((await render(app, 'a.b')).body).toEqual({
      status: 'success',
      kind: 'prompt',
      rendered_prompt: 'two !',
    })
    const draft = await render(app, 'c', { body: {} })
    expect(draft.body).toMatchObject({ rendered_prompt: 'draft', warnings: [{ code: 'unreleased' }] })
    await render(app, 'c', { body: {} })
    const said = () => lines().filter(({ msg }) => msg === 'unreleased')
    expect(said()).toMatchObject([{ prompt: 'c', label: 'production' }])
    expect((await get(app, '/api/status')).body.unreleased).toEqual({ count: 1, prompts: ['c'] })
    await set('templates:c', { userPrompt: 'other draft' })
    await expect
      .poll(async () => (await render(app, 'c', { body: {} })).body.rendered_prompt)
      .toBe('other draft')
    expect(said()).toHaveLength(2)
    await set('templates:c', { userPrompt: 'draft' })
  })

  it('leave a user of before there were labels with drafts, unless they are needed', async () => {
    await redis.call(
      'ACL',
      'SETUSER',
      'old',
      'on',
      '>secret',
      '~shenma:templates:*',
      '~shenma:environs:*',
      '&*',
      '+scan',
      '+mget',
      '+get',
      '+type',
      '+ping',
      '+info',
      '+client',
      '+select',
      '+hello',
      '+subscribe',
      '+config|get',
    )
    const url = redisServer.url.replace('redis://', 'redis://old:secret@')
    const app = await start({ REDIS_URL: url })
    expect((await get(app, '/readyz')).status).toBe(200)
    expect((await render(app, 'a.b')).body.rendered_prompt).toBe('head !')
    expect((await render(app, 'a.b@2')).body.rendered_prompt).toBe('two !')
    expect((await get(app, '/api/status')).body.store.detail).toMatch(/labels are not served/)
    const gate = { labels: { production: { required: 1, audience: 'x', signers: { ann: [ann.publicKey] } } } }
    for (const [label, file] of [['production'], [undefined, JSON.stringify(gate)]] as const) {
      const strict = await start(
        {
          REDIS_URL: url,
          ...(label === undefined ? { CONFIG_FILE: 'config.yaml' } : { PROMPT_LABEL: label }),
        },
        file,
      )
      expect([label, (await get(strict, '/readyz')).status]).toEqual([label, 503])
    }
  })
})

interface AnswerBefore {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly body?: object
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly answer: unknown
}

/**
 * What the last build without versions and labels answered. Left out is what other changes altered: which prompts are
 * models, wording and columns of errors, near names, the echo's name and usage (docs/guides/migration.md).
 */
const BEFORE: {
  readonly catalog: Readonly<Record<string, string>>
  readonly answers: readonly AnswerBefore[]
} = JSON.parse(readFileSync(join(import.meta.dirname, 'answers-before-labels.json'), 'utf8'))

/** A detail also says which versions and labels there are, a list which tools are `readOnly`. */
function withoutNews(answer: Record<string, unknown>): object {
  const { labels: _labels, newest_version: _newest, items, ...others } = answer
  if (!Array.isArray(items)) return others
  return { ...others, items: items.map(({ readOnly: _readOnly, ...item }: Record<string, unknown>) => item) }
}

describe('clients that know no labels', () => {
  it('are answered as before there were any, beside prompts that have them', async () => {
    const tone = version('a.tone', 1, { userPrompt: 'one' })
    const { app, close } = await startTestApp(
      {
        ...BEFORE.catalog,
        'templates/a/tone@1.json': tone.document,
        'templates/a/chat@2.json': version('a.chat', 2, { userPrompt: 'two' }).document,
        'releases/a/tone/production.json': release(tone),
        'agents/helper@1.json': version('helper', 1, { instructions: 'x' }, {}, 'agents').document,
      },
      { LLM_MODEL: 'echo' },
    )
    expect(BEFORE.answers.length).toBeGreaterThan(30)
    for (const { method, url, body, status, headers, answer } of BEFORE.answers) {
      const {
        statusCode,
        headers: got,
        payload,
      } = await app.server.inject({
        method,
        url,
        headers: { 'content-type': 'application/json', 'x-request-id': 'same' },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      })
      const steady = payload
        .replace(/"(created|created_at)":\d+/g, '"$1":0')
        .replace(/"id":"(chatcmpl|resp|msg)[^"]*"/g, '"id":"$1"')
      expect([url, statusCode, withoutNews(JSON.parse(steady))]).toEqual([url, status, answer])
      expect(got).toMatchObject(headers)
      expect(Object.keys(got).filter((name) => name.startsWith('x-prompt-'))).toEqual(
        Object.keys(headers).filter((name) => name.startsWith('x-prompt-')),
      )
    }
    await close()
  })
})
