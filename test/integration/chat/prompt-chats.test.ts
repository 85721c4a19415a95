import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { completion, type ScriptedUpstream, startScriptedUpstream } from '../../../src/testing.js'
import { type CatalogDirectory, createCatalogDirectory } from '../../support/catalog-directory.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import { eventually } from '../../support/eventually.js'

const TOOL = { module: 'code', type: 'restful', restful: { url: 'http://127.0.0.1:1/search', method: 'GET' } }
const DOCUMENTS = {
  'templates/plain.json': { userPrompt: 'Hello' },
  'templates/own.json': { userPrompt: 'Hello', options: { system: 'Be brief.' } },
  'templates/none.json': { userPrompt: 'Hello', options: { system: null } },
  'templates/kept.json': {
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Greet {{.variables.name}} now' },
    ],
    options: { cache: 'auto' },
  },
  'templates/kept_text.json': {
    userPrompt: 'Be kind.{{with .variables.name}} Greet {{.}}{{end}}',
    options: { cache: 'auto', system: null },
  },
  'templates/upstream_cache.json': {
    userPrompt: 'Hello',
    options: { cache: { no_cache: true }, system: null },
  },
  'templates/messages.json': { messages: [{ role: 'user', content: 'Hello' }] },
  'templates/review.json': { userPrompt: 'Review', supports: ['codereview'] },
  'templates/offers.json': { userPrompt: 'Search', supports: ['chat', 'completion'], tools: ['code.search'] },
  'templates/calls.json': { userPrompt: '{{code_search}}' },
  'templates/twice.json': { userPrompt: '{{code_search 1}}{{code_search 2}}' },
  'tools/code/search.json': { ...TOOL, name: 'search', supports: ['chat'] },
}
const SYSTEM = 'You are a helpful assistant.'

let catalog: CatalogDirectory
let upstream: ScriptedUpstream
let service: ChatService
beforeAll(async () => {
  catalog = createCatalogDirectory(DOCUMENTS)
  upstream = await startScriptedUpstream()
  service = await startChatService({
    environment: {
      CATALOG_DIR: catalog.path,
      LLM_BASE_URL: upstream.url,
      LLM_MODEL: 'm',
      LLM_SYSTEM_PROMPT: SYSTEM,
    },
  })
})
afterAll(async () => {
  await service.close()
  await upstream.close()
  catalog.dispose()
})
beforeEach(() => upstream.script(completion('ok')))

const sent = () => upstream.requests.at(-1)?.body
const hello = { role: 'user', content: 'Hello' }
const system = (content: string) => ({ role: 'system', content })

describe('options.cache', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  it.each([
    [
      'auto marks the end of the fixed text that a message begins with',
      'kept',
      [
        system('Be kind.'),
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Greet ', ...mark },
            { type: 'text', text: 'Ada now' },
          ],
        },
      ],
      undefined,
    ],
    [
      'auto marks it in a userPrompt, too',
      'kept_text',
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Be kind.', ...mark },
            { type: 'text', text: ' Greet Ada' },
          ],
        },
      ],
      undefined,
    ],
    ['any other value is the model’s', 'upstream_cache', [hello], { no_cache: true }],
  ])('%s', async (_name, id, messages, cache) => {
    await service.post(`/api/chat/prompts/${id}`, { variables: { name: 'Ada' } })
    expect(sent()).toEqual({ model: 'm', messages, ...(cache && { cache }) })
  })
})

describe('the system text of a userPrompt', () => {
  it.each([
    ['the service’s own by default', 'plain', [system(SYSTEM), hello]],
    ['the prompt’s before the service’s', 'own', [system('Be brief.'), hello]],
    ['none where the prompt says null', 'none', [hello]],
    ['none before messages, which have their own', 'messages', [hello]],
  ])('is %s', async (_name, id, messages) => {
    await service.post(`/api/chat/prompts/${id}`, {})
    // The option is ours: no model gets it.
    expect(sent()).toEqual({ model: 'm', messages })
  })

  it.each([
    ['/api/chat', { prompt: { userPrompt: 'Hello' } }],
    ['/v1/chat/completions', { model: 'prompt:plain' }],
    ['/v1/responses', { model: 'm', prompt: { id: 'plain' } }],
    ['/api/prompts/plain/chat', {}],
  ])('is sent by %s too', async (path, body) => {
    await service.post(path, body)
    expect(sent()?.['messages']).toEqual([system(SYSTEM), hello])
  })

  it('is not a parameter of requests, whose `system` goes to the model', async () => {
    await service.post('/api/chat/prompts/none', { system: 'mine' })
    expect(sent()).toEqual({ model: 'm', messages: [hello], system: 'mine' })
  })
})

describe('a scenario', () => {
  const REFUSED = [
    ['/api/render/prompts/review', {}, 'The prompt "review"', ['codereview']],
    ['/api/chat/prompts/review', {}, 'The prompt "review"', ['codereview']],
    ['/api/prompts/review/render', {}, 'The prompt "review"', ['codereview']],
    ['/v1/chat/completions', { model: 'prompt:review' }, 'The prompt "review"', ['codereview']],
    ['/v1/responses', { prompt: { id: 'review' }, model: 'm' }, 'The prompt "review"', ['codereview']],
    ['/api/render', { prompt: { userPrompt: 'x', supports: ['chat'] } }, 'The prompt "inline"', ['chat']],
    ['/api/chat/prompts/offers', {}, 'The tool "code.search"', ['chat']],
    ['/api/render/prompts/calls', {}, 'The tool "code.search"', ['chat']],
  ] as const
  it.each(REFUSED)('is refused at %s for %j', async (path, body, who, supports) => {
    const answer = await service.post(path, { ...body, scenario: 'completion' })
    const { error } = (await answer.json()) as { readonly error: object }
    expect([answer.status, error]).toEqual([
      400,
      expect.objectContaining({
        code: 'invalid_request',
        param: 'scenario',
        message: `${who} does not support the scenario "completion", but ${supports.join(', ')}`,
        details: { supports },
      }),
    ])
  })

  it('is held by every prompt of a conversation', async () => {
    const compose = [{ prompt: 'plain' }, { prompt: 'review' }]
    const answer = await service.post('/api/render', { compose, scenario: 'completion' })
    const { error } = (await answer.json()) as { readonly error: object }
    expect(error).toMatchObject({ code: 'invalid_request', param: 'compose[1].scenario' })
  })

  it.each([
    ['/api/render/prompts/review', { scenario: 'codereview' }],
    ['/api/render/prompts/plain', { scenario: 'anything' }],
    ['/api/chat/prompts/offers', { scenario: 'chat' }],
    ['/v1/chat/completions', { model: 'prompt:review', scenario: 'codereview' }],
    ['/v1/responses', { model: 'm', prompt: { id: 'review' }, scenario: 'codereview' }],
  ])('is accepted at %s for %j, and goes to no model', async (path, body) => {
    expect((await service.post(path, body)).status).toBe(200)
    expect(sent() ?? {}).not.toHaveProperty('scenario')
  })
})

describe('tools that fail while the prompt of a chat renders', () => {
  it.each([
    ['/api/chat/prompts/twice', {}],
    ['/api/chat/prompts/twice', { stream: true }],
    ['/v1/chat/completions', { model: 'prompt:twice' }],
    ['/v1/responses', { model: 'm', prompt: { id: 'twice' } }],
  ])('are counted by a header, the log and a metric at %s for %j', async (path, body) => {
    const counted = async () => {
      const { body: text } = await service.app.server.inject('/metrics')
      return Number(/^chat_warnings_total\{code="\w+"\} (\d+)/m.exec(text)?.[1] ?? 0)
    }
    const before = await counted()
    const answer = await service.post(path, body)
    await answer.text()
    expect([answer.status, answer.headers.get('x-prompt-warnings')]).toEqual([200, '2'])
    expect(await counted()).toBe(before + 2)
    await eventually(() => {
      const line = service.log.findLast((each) => each['requestId'] === answer.headers.get('x-request-id'))
      expect(line?.['warnings']).toBe(2)
    })
  })

  it('are not counted where there are none', async () => {
    const answer = await service.post('/api/chat/prompts/plain', {})
    expect(answer.headers.get('x-prompt-warnings')).toBeNull()
  })
})

describe('the body of a chat sent to render', () => {
  it.each(['/api/render/prompts/plain', '/api/prompts/plain/render'])(
    'renders at %s, with a warning for what only a model reads',
    async (path) => {
      const body = { model: 'm', messages: [hello], temperature: 0.5, variables: {} }
      const answer = (await (await service.post(path, body)).json()) as { readonly warnings: object }
      expect(answer).toMatchObject({ status: 'success', rendered_prompt: 'Hello' })
      expect(answer.warnings).toEqual(
        ['model', 'messages', 'temperature'].map((name) => ({
          path: name,
          code: 'ignored_parameter',
          message: `\`${name}\` is for chats; a render does not use it`,
        })),
      )
    },
  )

  it('is still refused for what nobody knows', async () => {
    expect((await service.post('/api/render/prompts/plain', { temprature: 1 })).status).toBe(400)
  })
})
