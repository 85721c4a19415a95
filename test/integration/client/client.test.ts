import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientError, createClient } from '../../../src/client.js'
import { freePort } from '../../support/free-port.js'
import { release, version } from '../../support/lives.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const one = version('a.lived', 1, { userPrompt: 'one' })

const DOCUMENTS = {
  'templates/a/lived.json': { userPrompt: 'draft' },
  'templates/a/lived@1.json': one.document,
  'releases/a/lived/production.json': release(one),
  'templates/a/greeting.json': {
    userPrompt: 'Hello {{.variables.name}}',
    parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
  'templates/a/talk.json': {
    messages: [
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: 'Hi' },
    ],
  },
}

let app: TestApp
let url: string
beforeAll(async () => {
  app = await startTestApp(DOCUMENTS, { API_KEYS: 'a-secret-key' })
  url = await app.app.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

const ours = () => createClient({ url, key: 'a-secret-key' })

describe('the client', () => {
  it('renders texts and messages', async () => {
    expect(await ours().render('a.greeting', { name: 'Ada' })).toEqual({
      text: 'Hello Ada',
      messages: [{ role: 'user', content: 'Hello Ada' }],
      warnings: [],
      revision: expect.any(String),
      version: undefined,
      source: 'service',
    })
    const talk = await ours().render('a.talk')
    expect([talk.text, talk.messages.map(({ role }) => role)]).toEqual([undefined, ['system', 'user']])
    const inline = await ours().renderInline({
      prompt: { userPrompt: 'To {{.variables.x}}' },
      variables: { x: 'y' },
    })
    expect(inline.text).toBe('To y')
  })

  it('chats and lists', async () => {
    const answer = await ours().chat('a.greeting', { variables: { name: 'Ada' } })
    expect(answer.choices[0]).toMatchObject({ message: { content: 'Hello Ada' } })
    expect(await ours().prompts({ q: 'talk' })).toMatchObject({ total: 1, items: [{ id: 'a.talk' }] })
  })

  it('chooses versions and labels, and shows them', async () => {
    const render = (choice: object) => ours().render('a.lived', {}, choice)
    expect(await render({ version: 1 })).toMatchObject({ text: 'one', version: 1 })
    expect(await render({ label: 'production' })).toMatchObject({ text: 'one', version: 1 })
    expect(await render({})).toMatchObject({ text: 'draft', version: undefined })
    await expect(render({ label: 'prodction' })).rejects.toMatchObject({ code: 'label_not_found' })
    const chat = await ours().chat('a.lived', {}, { version: 1 })
    expect(chat.choices[0]).toMatchObject({ message: { content: 'one' } })
    expect((await ours().versions('a.lived')).versions).toMatchObject([
      { version: 1, labels: ['production'] },
    ])
    expect((await ours().labels('a.lived')).labels).toMatchObject([{ label: 'production' }])
    expect(await ours().history('a.lived')).toMatchObject({ id: 'a.lived', available: false })
    expect(await ours().agents()).toMatchObject({ items: [], total: 0 })
    const judged = ours().feedback({ prompt: 'a.lived', version: 1, name: 'helpful', score: 1 })
    expect(await judged).toMatchObject({ prompt: 'a.lived', version: 1, name: 'helpful', score: 1 })
  })

  it('sends nothing of the index where methods are called for each of a list', async () => {
    const { versions, labels, sessions, tasks } = ours()
    const ids = ['a.greeting', 'a.lived']
    expect((await Promise.all(ids.map(versions))).map(({ id }) => id)).toEqual(ids)
    expect((await Promise.all(ids.map(labels))).map(({ id }) => id)).toEqual(ids)
    for (const method of [sessions.get, tasks.cancel, tasks.resume, tasks.delete]) {
      const answers = await Promise.allSettled(ids.map<Promise<unknown>>(method))
      const codes = answers.map((answer) => answer.status === 'rejected' && answer.reason.code)
      expect(codes).toEqual(Array(2).fill(method === sessions.get ? 'session_not_found' : 'task_not_found'))
    }
  })

  it('asks for the events of one kind, behind the last that was read', async () => {
    const asked: unknown[] = []
    const client = createClient({
      url: 'http://service',
      fetch: async (input, init) => {
        asked.push([String(input), new Headers(init?.headers).get('last-event-id')])
        return new Response('id: 8\nevent: change\ndata: {"type": "change"}\n\n')
      },
    })
    for await (const each of client.events({ kind: 'prompt', after: '7' })) {
      expect(each).toEqual({ id: '8', event: 'change', data: { type: 'change' } })
      if (asked.length === 2) break
    }
    const path = 'http://service/api/events?kind=prompt'
    expect(asked).toEqual([
      [path, '7'],
      [path, '8'],
    ])
  })

  it('reads a chat as a stream', async () => {
    let text = ''
    for await (const { choices } of ours().streamChat('a.greeting', { variables: { name: 'Ada' } })) {
      text += choices[0]?.delta?.content ?? ''
    }
    expect(text).toBe('Hello Ada')
    const wrong = ours().streamChat('a.greeting').next()
    await expect(wrong).rejects.toMatchObject({ code: 'missing_variables' })
  })

  it('tells an answer that breaks off from one that ended', async () => {
    const half = 'data: {"choices":[{"delta":{"content":"Hel"}}]}\n\n'
    const ends: Readonly<Record<string, string>> = {
      connection_lost: half,
      llm_unavailable: `${half}event: error\ndata: {"error":{"code":"llm_unavailable","message":"away"}}\n\n`,
    }
    for (const [code, body] of Object.entries(ends)) {
      const client = createClient({ url, fetch: async () => new Response(body) })
      const chunks = client.streamChat('a.greeting')
      expect((await chunks.next()).done).toBe(false)
      await expect(chunks.next()).rejects.toMatchObject({ code })
    }
  })

  it('follows the catalog', async () => {
    const gone = new AbortController()
    const news = ours().events({ kind: 'prompt', signal: gone.signal })
    expect((await news.next()).value).toMatchObject({
      event: 'hello',
      data: { sequence: expect.any(Number) },
    })
    app.catalog.write('templates/a/new.json', { userPrompt: 'new' })
    expect((await news.next()).value).toMatchObject({
      event: 'change',
      id: expect.any(String),
      data: { kind: 'prompt', id: 'a.new', change: 'added' },
    })
    gone.abort()
    await expect(news.next()).rejects.toMatchObject({ name: 'AbortError' })
  })

  it("tells of the caller's mistakes, whatever else it could answer", async () => {
    const wrong = ours().render('a.greeting', {}, { fallback: 'Hello' })
    await expect(wrong).rejects.toMatchObject({
      code: 'missing_variables',
      status: 400,
      requestId: expect.any(String),
      details: expect.any(Array),
    })
    await expect(wrong).rejects.toBeInstanceOf(ClientError)
  })

  it.each([
    ['an unknown prompt', () => ours().render('a.nobody', {}, { fallback: 'Hello' }), 'prompt_not_found'],
    [
      'a wrong key',
      () => createClient({ url, key: 'guessed' }).render('a.talk', {}, { fallback: 'Hello' }),
      'invalid_api_key',
    ],
    [
      'a service that is not there',
      async () =>
        createClient({ url: `http://127.0.0.1:${await freePort()}` }).render(
          'a.talk',
          {},
          { fallback: 'Hello' },
        ),
      'unreachable',
    ],
    [
      'a service that does not answer in time',
      () =>
        createClient({ url, timeoutMs: 20, fetch: (_url, { signal } = {}) => never(signal) }).render(
          'a.talk',
          {},
          {
            fallback: 'Hello',
          },
        ),
      'unreachable',
    ],
    [
      'an answer of a proxy',
      () =>
        createClient({ url, fetch: async () => new Response('<html>', { status: 502 }) }).render(
          'a.talk',
          {},
          {
            fallback: 'Hello',
          },
        ),
      'http_502',
    ],
  ])('gives the fallback for %s', async (_name, render, code) => {
    expect(await render()).toMatchObject({ text: 'Hello', source: 'fallback', error: { code } })
  })

  it('gives the last good answer to the same question before the fallback', async () => {
    let isAway = false
    const client = createClient({
      url,
      key: 'a-secret-key',
      remember: 1,
      fetch: (...args) => (isAway ? Promise.reject(new TypeError('fetch failed')) : fetch(...args)),
    })
    const render = (name: string) => client.render('a.greeting', { name }, { fallback: 'Hello' })
    await render('Ada')
    await render('Grace')
    isAway = true
    expect(await render('Grace')).toMatchObject({ text: 'Hello Grace', source: 'last-good' })
    expect(await render('Ada')).toMatchObject({ text: 'Hello', source: 'fallback' })
    await expect(client.render('a.greeting', { name: 'Ada' })).rejects.toMatchObject({ code: 'unreachable' })
  })
})

function never(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

it('says what is missing in front of a url', () => {
  expect(() => createClient({ url: 'localhost:8080' })).toThrow(
    'url must start with http:// or https://: write http://localhost:8080',
  )
})
