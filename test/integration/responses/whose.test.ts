import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newResponseId } from '../../../src/responses/response-ids.js'
import { createMemoryState } from '../../../src/state/memory-state.js'
import { systemClock } from '../../../src/util/time/clock.js'
import { type Replicas, startReplicas } from '../../support/replicas.js'

const [OURS, THEIRS] = ['key-of-ada-0001', 'key-of-bob-0002']

describe('responses and conversations of another key', () => {
  let replicas: Replicas
  beforeAll(async () => {
    replicas = await startReplicas({
      state: 'memory',
      count: 1,
      environment: { API_KEYS: `${OURS},${THEIRS}` },
    })
  })
  afterAll(() => replicas.close())

  async function send(key: string, method: string, path: string, body?: object) {
    const answer = await fetch(`${replicas.first.url}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': 'same' },
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  it('are as ids that never were, byte for byte, at every route', async () => {
    const made = JSON.parse(
      (await send(OURS, 'POST', 'responses', { model: 'echo', input: 'hi', store: true })).text,
    )
    const conversation = JSON.parse((await send(OURS, 'POST', 'conversations')).text)
    const ask = (more: object) => ({ model: 'echo', input: 'hi', ...more })
    const item = { items: [{ type: 'message', role: 'user', content: 'x' }] }
    const rows = (response: string, line: string, message: string) =>
      [
        ['GET', `responses/${response}`],
        ['GET', `responses/${response}?stream=true`],
        ['GET', `responses/${response}/input_items`],
        ['POST', `responses/${response}/cancel`],
        ['DELETE', `responses/${response}`],
        ['POST', 'responses', ask({ previous_response_id: response })],
        ['POST', 'responses', ask({ previous_response_id: response, store: true, background: true })],
        ['POST', 'responses', ask({ conversation: line })],
        ['POST', 'responses', ask({ input: [{ type: 'item_reference', id: message }] })],
        ['GET', `conversations/${line}`],
        ['POST', `conversations/${line}`, { metadata: {} }],
        ['GET', `conversations/${line}/items`],
        ['POST', `conversations/${line}/items`, item],
        ['GET', `conversations/${line}/items/msg_1`],
        ['DELETE', `conversations/${line}/items/msg_1`],
        ['DELETE', `conversations/${line}`],
      ] as const
    const never = newResponseId()
    const foreign = rows(made.id, conversation.id, made.output[0].id)
    const unknown = rows(`resp_${never}`, `conv_${never}`, `msg_${never}_0`)
    for (const [index, [method, path, body]] of foreign.entries()) {
      const theirs = await send(THEIRS, method, path, body)
      const [, otherPath = '', otherBody] = unknown[index] ?? []
      const none = await send(THEIRS, method, otherPath, otherBody)
      expect([path, theirs.status]).toEqual([path, path === 'responses' && index < 7 ? 400 : 404])
      const masked = theirs.text
        .replaceAll(made.id.slice(5), never)
        .replaceAll(conversation.id.slice(5), never)
      expect(masked).toBe(none.text)
    }
    expect((await send(OURS, 'GET', `responses/${made.id}`)).status).toBe(200)
    expect((await send(OURS, 'GET', `conversations/${conversation.id}`)).status).toBe(200)
  })
})

describe('a response that nobody wants kept', () => {
  it('costs not one call of state, and says that it is not kept', async () => {
    const state = createMemoryState({ clock: systemClock, leaseMs: 10_000, ttlMs: 1_000_000 })
    const calls: string[] = []
    const counted = new Proxy(state, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          calls.push(String(name))
          return value.apply(target, args)
        }
      },
    })
    const replicas = await startReplicas({ state: 'memory', count: 1, overrides: { state: counted } })
    calls.length = 0
    for (const more of [{}, { stream: true }, { store: false }]) {
      const answer = await fetch(`${replicas.first.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'echo', input: 'hi', ...more }),
      })
      expect(await answer.text()).toContain('"store":false')
    }
    expect(calls).toEqual([])
    await replicas.close()
  })
})
