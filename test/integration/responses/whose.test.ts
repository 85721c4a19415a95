import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newResponseId } from '../../../src/responses/response-ids.js'
import { type Replicas, STATE_KINDS, startReplicas } from '../../support/replicas.js'
import { routesOf } from '../../support/routes-of.js'

const [OURS, THEIRS] = ['key-of-ada-0001', 'key-of-bob-0002']

/** Sends a request and reads all of its answer but the time it was written. */
async function send(url: string, key: string, method: string, path: string, body?: object) {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': 'same' },
    ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
  })
  const headers = [...answer.headers].filter(([name]) => name !== 'date' && name !== 'keep-alive')
  return { status: answer.status, headers, text: await answer.text() }
}

/** Ids of one key: a response, an item of its output, what it was asked, a conversation, an item of it. */
interface Ids {
  readonly response: string
  readonly output: string
  readonly input: string
  readonly conversation: string
  readonly item: string
}

/** One way to come near something that is kept. */
interface Row {
  /** As the router lists it; every route with an id in it has a row. */
  readonly route: string
  readonly path: string
  readonly body?: object
  /** Default 404. */
  readonly status?: number
}

const USER = { type: 'message', role: 'user', content: 'x' }
const CREATE = 'POST /v1/responses'
const RESPONSE = '/v1/responses/x'
const CONVERSATION = '/v1/conversations/x'

/** @param own a conversation of the key that asks */
function rowsOf({ response, output, input, conversation, item }: Ids, own: string): readonly Row[] {
  const ask = (more: object, status?: number): Row => ({
    ...{ route: CREATE, path: '/v1/responses', body: { model: 'echo', input: 'hi', ...more } },
    ...(status !== undefined && { status }),
  })
  const previous = { previous_response_id: response }
  const line = `/v1/conversations/${conversation}`
  const references = [output, input, item].map((id) => ({ type: 'item_reference', id }))
  const approval = { type: 'mcp_approval_response', approval_request_id: output, approve: true }
  return [
    ask(previous, 400),
    ask({ ...previous, stream: true }, 400),
    ask({ ...previous, store: true, background: true }, 400),
    ask({ conversation }),
    ask({ conversation: { id: conversation }, stream: true }),
    ...references.map((reference) => ask({ input: [reference] })),
    ...references.map((reference) => ask({ input: [reference], conversation: own })),
    ask({ input: [approval], store: true }),
    ask({ input: [approval], conversation: own }),
    ...['GET', 'HEAD'].flatMap((method) => [
      { route: `${method} ${RESPONSE}`, path: `/v1/responses/${response}` },
      { route: `${method} ${RESPONSE}`, path: `/v1/responses/${response}?stream=true` },
      {
        route: `${method} ${RESPONSE}`,
        path: `/v1/responses/${response}?stream=true&starting_after=1&include=x`,
      },
      { route: `${method} ${RESPONSE}/input_items`, path: `/v1/responses/${response}/input_items` },
      {
        route: `${method} ${RESPONSE}/input_items`,
        path: `/v1/responses/${response}/input_items?after=${input}`,
      },
      { route: `${method} ${CONVERSATION}`, path: line },
      { route: `${method} ${CONVERSATION}/items`, path: `${line}/items` },
      { route: `${method} ${CONVERSATION}/items`, path: `${line}/items?after=${item}` },
      { route: `${method} ${CONVERSATION}/items/x`, path: `${line}/items/${item}` },
      { route: `${method} ${CONVERSATION}/items/x`, path: `/v1/conversations/${own}/items/${item}` },
    ]),
    { route: `POST ${RESPONSE}/cancel`, path: `/v1/responses/${response}/cancel` },
    { route: `POST ${CONVERSATION}`, path: line, body: { metadata: {} } },
    { route: `POST ${CONVERSATION}/items`, path: `${line}/items`, body: { items: [USER] } },
    ...references.flatMap((reference) => [
      { route: 'POST /v1/conversations', path: '/v1/conversations', body: { items: [reference] } },
      {
        route: `POST ${CONVERSATION}/items`,
        path: `/v1/conversations/${own}/items`,
        body: { items: [reference] },
      },
    ]),
    { route: `DELETE ${CONVERSATION}/items/x`, path: `${line}/items/${item}` },
    { route: `DELETE ${CONVERSATION}/items/x`, path: `/v1/conversations/${own}/items/${item}` },
    { route: `DELETE ${CONVERSATION}`, path: line },
    { route: `DELETE ${RESPONSE}`, path: `/v1/responses/${response}` },
  ]
}

describe.each(STATE_KINDS)('responses and conversations of another key, kept in %s', (state) => {
  let replicas: Replicas
  let url: string
  beforeAll(async () => {
    replicas = await startReplicas({ state, count: 1, environment: { API_KEYS: `${OURS},${THEIRS}` } })
    url = replicas.first.url
  })
  afterAll(() => replicas.close())

  const made = async (key: string, path: string, body: object) =>
    JSON.parse((await send(url, key, 'POST', path, body)).text)

  async function idsOf(key: string): Promise<Ids> {
    const response = await made(key, '/v1/responses', { model: 'echo', input: 'hi', store: true })
    const conversation = await made(key, '/v1/conversations', { items: [USER] })
    const items = await send(url, key, 'GET', `/v1/conversations/${conversation.id}/items`)
    const input = `msg_${response.id.slice(5)}_in0`
    const item = JSON.parse(items.text).data[0].id
    return {
      response: response.id,
      output: response.output[0].id,
      input,
      conversation: conversation.id,
      item,
    }
  }

  /** The same ids with other digits. */
  function never(ids: Ids): Ids {
    const digits = new Map<string, string>()
    const other = (id: string) =>
      id.replace(/[0-9a-f]{48}/, (found) => {
        const known = digits.get(found) ?? newResponseId()
        digits.set(found, known)
        return known
      })
    return {
      response: other(ids.response),
      output: other(ids.output),
      input: other(ids.input),
      conversation: other(ids.conversation),
      item: other(ids.item),
    }
  }

  it('are as ids that never were, byte for byte, at every route', async () => {
    const ids = await idsOf(OURS)
    const { conversation: own } = await idsOf(THEIRS)
    const unknown = never(ids)
    const masked = (text: string) =>
      Object.entries(ids).reduce((so, [name, id]) => so.replaceAll(id, unknown[name as keyof Ids]), text)
    const none = rowsOf(unknown, own)
    const rows = rowsOf(ids, own)
    for (const [index, { route, path, body, status = 404 }] of rows.entries()) {
      const method = route.split(' ')[0] ?? ''
      const theirs = await send(url, THEIRS, method, path, body)
      const { path: otherPath = '', body: otherBody } = none[index] ?? {}
      const about = `${route} ${path} ${JSON.stringify(body)}`
      expect([about, theirs.status]).toEqual([about, status])
      const expected = await send(url, THEIRS, method, otherPath, otherBody)
      expect({ ...theirs, text: masked(theirs.text) }, about).toEqual(expected)
    }
    expect((await send(url, OURS, 'GET', `/v1/responses/${ids.response}`)).status).toBe(200)
    const items = await send(url, OURS, 'GET', `/v1/conversations/${ids.conversation}/items`)
    expect(JSON.parse(items.text).data).toHaveLength(1)
  })

  it('have a row for every route that takes an id', () => {
    const served = routesOf(replicas.first.app.server)
      .filter((route) => /^\/v1\/(responses|conversations)(\/|$)/.test(route.url))
      .map(({ method, url: path }) => `${method} ${path}`)
    const ids = { response: 'a', output: 'b', input: 'c', conversation: 'd', item: 'e' }
    expect(new Set(served)).toEqual(new Set(rowsOf(ids, 'f').map(({ route }) => route)))
  })
})
