import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import { type Replicas, readEvents, STATE_KINDS, startReplicas } from '../../support/replicas.js'

const KEYS = { ann: 'key-of-ann-00001', bob: 'key-of-bob-00002' }
const NAME = 'chat-1'
const UUID = '3f2b8a52-52b1-4c0e-9a37-0f5f2e1f7a11'

const pay: LocalTool = { name: 'pay', execute: (_arguments, { session }) => `paid in ${session}` }

describe.each(STATE_KINDS)('names of sessions, in %s', (state) => {
  let replicas: Replicas
  beforeAll(async () => {
    const environment = { API_KEYS: Object.values(KEYS).join(',') }
    const reply = () => ({ toolCalls: [{ name: 'pay', arguments: {} }] })
    replicas = await startReplicas({ state, environment, replies: [reply, 'done', reply, 'done', 'hello'] })
    replicas.agents.set('helper', { tools: [pay], ask: ['pay'] })
  })
  afterAll(() => replicas.close())

  const ask = (who: keyof typeof KEYS, method: string, path: string, body?: unknown) =>
    replicas.second.ask(method, path, body, { authorization: `Bearer ${KEYS[who]}` })
  const listed = async (who: keyof typeof KEYS) => {
    const { body } = await ask(who, 'GET', '/sessions')
    return body.items.map(({ id }: { id: string }) => id).toSorted()
  }

  it('are those of their owner: nobody learns that another has one', async () => {
    for (const id of [NAME, UUID]) {
      const made = await ask('ann', 'POST', '/sessions', { agent: 'helper', id })
      expect([made.status, made.body.id]).toEqual([201, id])
      const unknown = await ask('bob', 'GET', `/sessions/${id}`)
      expect([unknown.status, unknown.body.error.code]).toEqual([404, 'session_not_found'])
      expect(unknown.body.error.message).toContain(`"${id}"`)
      const also = await ask('bob', 'POST', '/sessions', { agent: 'helper', id })
      expect([also.status, also.body.id]).toEqual([201, id])
      const again = await ask('bob', 'POST', '/sessions', { agent: 'helper', id })
      expect([again.status, again.body.error.code]).toEqual([409, 'already_exists'])
      expect(again.body.error.message).toContain(`Session "${id}" already`)
    }
    expect(await listed('ann')).toEqual([UUID, NAME].toSorted())
    expect(await listed('bob')).toEqual([UUID, NAME].toSorted())
  })

  it('are two sessions in everything that is done with them', async () => {
    const path = `/sessions/${NAME}`
    for (const who of ['ann', 'bob'] as const) {
      const paused = await ask(who, 'POST', `${path}/turns`, { input: `pay for ${who}` })
      const approval = { id: `s-1-0-${NAME}`, session: NAME, turn: 1, status: 'pending', tool: 'pay' }
      expect(paused).toMatchObject({ status: 202, body: { status: 'paused', approvals: [approval] } })
      const decided = await ask(who, 'POST', `/approvals/s-1-0-${NAME}`, { decision: 'approve' })
      expect(decided).toMatchObject({ status: 200, body: { session: NAME, status: 'approved' } })
      const headers = { authorization: `Bearer ${KEYS[who]}` }
      const events = await readEvents(replicas.first.url, `${path}/turns/1/events`, { headers })
      await events.ended
      expect(events.events.at(-1)?.name).toBe('turn.completed')
      expect(events.events.find(({ name }) => name === 'paused')?.data.approvals).toMatchObject([
        { session: NAME },
      ])
      await ask(who, 'PUT', `${path}/memory/who`, { value: who })
      await ask(who, 'POST', `${path}/contexts`, { id: `of-${who}`, agent: 'helper' })
    }
    for (const who of ['ann', 'bob'] as const) {
      const { body: messages } = await ask(who, 'GET', `${path}/messages`)
      expect(messages.items[0].message.content).toBe(`pay for ${who}`)
      expect(
        messages.items.map(({ message }: { message: { content: unknown } }) => message.content),
      ).toContain(`paid in ${NAME}`)
      const { body: memory } = await ask(who, 'GET', `${path}/memory`)
      expect(JSON.stringify(memory)).toContain(who)
      const { body: contexts } = await ask(who, 'GET', `${path}/contexts`)
      expect(contexts.items.map(({ id }: { id: string }) => id).toSorted()).toEqual(['main', `of-${who}`])
      expect((await ask(who, 'PATCH', path, { agent: 'helper' })).body).toMatchObject({ id: NAME, turn: 1 })
    }
    expect((await ask('ann', 'DELETE', path)).status).toBe(204)
    expect((await ask('ann', 'GET', path)).status).toBe(404)
    expect((await ask('bob', 'GET', path)).body).toMatchObject({ id: NAME, turn: 1 })
    expect(await listed('ann')).toEqual([UUID])
  })
})
