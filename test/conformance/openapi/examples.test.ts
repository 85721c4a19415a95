import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { undocumented } from '../../support/documented-answers.js'
import { documentedRequests } from '../../support/documented-requests.js'
import { publishedApi } from '../../support/published-api.js'
import type { Json } from '../../support/test-app.js'

const document: Json = publishedApi()
const ROWS = documentedRequests()

/** What brings about the example of an answer. */
const ANSWERS: readonly (readonly [path: string, url: string, body: object])[] = [
  [
    '/v1/chat/completions',
    '/v1/chat/completions',
    { model: 'echo', messages: [{ role: 'user', content: 'Hello' }] },
  ],
  ['/v1/responses', '/v1/responses', { model: 'echo', input: 'Hello' }],
  ['/api/tools/{id}/call', '/api/tools/codebase.lookup_ref/call', { arguments: { symbol: 'CreateOrder' } }],
  ['/api/render/prompts/{id}', '/api/render/prompts/partials.house_style', {}],
  ['/api/prompts/{id}/render', '/api/prompts/partials.house_style/render', {}],
]
/** The good answer that the document has for a request. */
function documentedAnswer(method: string, url: string): Json {
  const [path = ''] = url.split('?')
  const match = Object.entries<Json>(document.paths).find(([pattern, operations]) => {
    const source = pattern.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')
    return (
      new RegExp(`^${source}$`).test(path) && operations[method === 'HEAD' ? 'get' : method.toLowerCase()]
    )
  })
  return match?.[1][method === 'HEAD' ? 'get' : method.toLowerCase()].responses['200']
}

/** Ids that are made up, times, and what differs by release, place and edit of the catalog. */
const VOLATILE = ['created', 'created_at', 'revision', 'duration_ms', 'version', 'location']
/** Lists of the catalog: their example is the first page of one entry. */
const CATALOG_LIST = /^\/api\/(extensions|prompts|environs|tools|agents)$/
/** Of these the example is made up, for its history takes a while to come about. */
const MADE_UP = /^\/api\/prompts\/[^/]+\/|^\/api\/search|\/dependents$|^\/compat\//

/** Answers to `GET` that the document shows. */
const SHOWN = ROWS.filter(({ method, url }) => method === 'GET' && !MADE_UP.test(url)).flatMap(({ url }) => {
  const example = documentedAnswer('GET', url)?.content?.['application/json']?.example
  return example === undefined ? [] : [{ url: CATALOG_LIST.test(url) ? `${url}?limit=1` : url, example }]
})

/** What a conversation of responses is asked, in order; `{id}` and `{item}` are those of the answers before. */
const CONVERSATION = [
  ['POST', '/v1/conversations', '/v1/conversations'],
  ['POST', '/v1/conversations/{conversation}/items', '/v1/conversations/{id}/items'],
  ['GET', '/v1/conversations/{conversation}', '/v1/conversations/{id}'],
  ['POST', '/v1/conversations/{conversation}', '/v1/conversations/{id}'],
  ['GET', '/v1/conversations/{conversation}/items', '/v1/conversations/{id}/items'],
  ['GET', '/v1/conversations/{conversation}/items/{item}', '/v1/conversations/{id}/items/{item}'],
  ['DELETE', '/v1/conversations/{conversation}/items/{item}', '/v1/conversations/{id}/items/{item}'],
  ['DELETE', '/v1/conversations/{conversation}', '/v1/conversations/{id}'],
] as const

let app: App
beforeAll(async () => {
  app = await buildTestApp()
})
afterAll(() => app.close())

describe('every example of openapi.yaml', () => {
  it.each(ROWS)('$method $url with $body works over the bundled catalog', async ({ method, url, body }) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await app.server.inject({
      method,
      url,
      ...(body === undefined ? {} : { headers, payload: JSON.stringify(body) }),
    })
    expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([200, expect.anything()])
    const { statusCode: status, body: text } = answer
    expect(undocumented({ method, url, status, headers: answer.headers, text })).toEqual([])
  })

  it.each(ANSWERS)('of an answer at %s is what the service says', async (path, url, payload) => {
    const { example } = document.paths[path].post.responses['200'].content['application/json']
    const answer = await app.server.inject({ method: 'POST', url, payload })
    expect(withoutVolatile(answer.json())).toMatchObject(withoutVolatile(example))
  })

  it.each(SHOWN)('of an answer at $url is what the service says', async ({ url, example }) => {
    const answer = withoutVolatile((await app.server.inject({ url })).json())
    const { data, ...rest } = withoutVolatile(example)
    // Of a long list a few are shown.
    expect(answer).toMatchObject({ ...rest, ...(data && { data: expect.arrayContaining(data) }) })
  })

  it('is the answer to all requests of a conversation, in their order', async () => {
    let [id, item] = ['', '']
    for (const [method, path, place] of CONVERSATION) {
      const { requestBody, responses } = document.paths[path][method.toLowerCase()]
      const url = place.replace('{id}', id).replace('{item}', item)
      const body = requestBody?.content['application/json'].example
      const answer = await app.server.inject({ method, url, ...(body && { payload: body }) })
      const { example } = responses['200'].content['application/json']
      expect([path, withoutVolatile(answer.json())]).toEqual([path, withoutVolatile(example)])
      const { statusCode: status, headers, body: text } = answer
      expect(undocumented({ method, url, status, headers, text })).toEqual([])
      id ||= answer.json().id
      item ||= answer.json().data?.[0].id ?? ''
    }
  })
})

/** Ids and times differ each time. */
function withoutVolatile(value: Json): Json {
  return JSON.parse(
    JSON.stringify(value, (name, each) =>
      VOLATILE.includes(name) || MADE_ID.test(String(each)) ? undefined : each,
    ),
  )
}

const MADE_ID = /^(chatcmpl-|resp_|conv_|msg_)/
