import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type Replicas, readEvents, startReplicas } from '../../support/replicas.js'
import { waitUntil } from '../../support/wait-until.js'

const prefix = `stored-${Math.random().toString(36).slice(2)}`
let replicas: Replicas
let redis: Redis
let id: string
let keys: string

beforeAll(async () => {
  redis = new Redis(inject('redisUrl'))
  const words = Array.from({ length: 60 }, (_, index) => `w${index} `).join('')
  replicas = await startReplicas({
    state: 'Redis',
    replies: [{ text: words, paceMs: 4 }],
    environment: { KEY_PREFIX: prefix },
  })
})
beforeEach(async () => {
  id = (await replicas.first.ask('POST', '/sessions', { agent: 'helper' })).body.id
  keys = `${prefix}-state:s:{${id}}`
})
afterAll(async () => {
  redis.disconnect()
  await replicas.close()
})

/** A turn to its end, with everything that was shown live. */
async function turn() {
  const live = await readEvents(replicas.first.url, `/sessions/${id}/turns`, {
    body: { input: 'go', stream: true },
  })
  await live.ended
  return live.events
}

async function follow(turn: number, lastEventId?: string) {
  const path = `/sessions/${id}/turns/${turn}/events`
  const reader = await readEvents(replicas.second.url, path, lastEventId === undefined ? {} : { lastEventId })
  await reader.ended
  return reader.events
}

const namesOf = (events: readonly { readonly name: string }[]) => events.map(({ name }) => name)

describe('events that are gone', () => {
  it('are a gap without an id, then what is left', async () => {
    const told = await turn()
    await redis.xtrim(`${keys}:e`, 'MAXLEN', 3)
    const events = await follow(1)
    expect(events[0]).toMatchObject({ name: 'gap', id: undefined, data: { type: 'gap' } })
    expect(events.slice(1)).toEqual(told.slice(-3))
  })

  it('are a gap, then the end of the turn from its record', async () => {
    const told = await turn()
    await redis.del(`${keys}:e`)
    const events = await follow(1, told[1]?.id)
    expect(namesOf(events)).toEqual(['gap', 'turn.completed'])
    expect(events.at(-1)).toEqual(told.at(-1))
  })

  it('are told while the turn runs, and what follows comes once', async () => {
    const live = await readEvents(replicas.first.url, `/sessions/${id}/turns`, {
      body: { input: 'go', stream: true },
    })
    const first = await live.event('step.started')
    await waitUntil(async () => (await redis.xlen(`${keys}:e`)) > 4, 'stored deltas')
    await redis.del(`${keys}:e`)
    const events = await follow(1, first.id)
    await live.ended
    expect(namesOf(events).filter((name) => name === 'gap')).toEqual(['gap'])
    expect(events[0]?.name).toBe('gap')
    expect(events.slice(1)).toEqual(live.events.slice(1 - events.length))
  })

  it('leave the answers of other turns alone', async () => {
    await turn()
    const second = await turn()
    await redis.xtrim(`${keys}:e`, 'MAXLEN', second.length)
    expect(namesOf(await follow(1))).toEqual(['gap', 'turn.completed'])
    expect(await follow(2)).toEqual(second)
  })
})

describe('what a newer release has written', () => {
  it.each([
    ['GET', ''],
    ['POST', '/turns'],
    ['GET', '/turns/1'],
    ['GET', '/messages'],
    ['GET', '/memory'],
    ['PUT', '/memory/a'],
    ['PATCH', ''],
    ['POST', '/turns/1/cancel'],
    ['DELETE', ''],
  ] as const)('is refused and stays as it is: %s %s', async (method, path) => {
    await redis.hset(keys, 'v', 99)
    const before = await redis.hgetall(keys)
    const body = { POST: { input: 'x' }, PUT: { value: 'x' }, PATCH: { agent: 'helper' } }[method as 'POST']
    const answer = await replicas.second.ask(
      method,
      `/sessions/${id}${path}`,
      path.endsWith('cancel') ? {} : body,
    )
    expect([answer.status, answer.body.error.code]).toEqual([500, 'state_unreadable'])
    expect(await redis.hgetall(keys)).toEqual(before)
  })

  it('ends a turn that it had paused, with that code, when the turn goes on here', async () => {
    const tools = [{ name: 'write', execute: () => 'written' }]
    const { first, second, close } = await startReplicas({
      state: 'Redis',
      replies: [{ toolCalls: [{ name: 'write', arguments: {} }] }, 'never'],
      agents: new Map([['helper', { tools, ask: ['write'] }]]),
      environment: { KEY_PREFIX: prefix },
    })
    const { body } = await first.ask('POST', '/sessions', { agent: 'helper' })
    const path = `/sessions/${body.id}`
    expect((await first.ask('POST', `${path}/turns`, { input: 'go' })).status).toBe(202)
    await redis.hset(`${prefix}-state:s:{${body.id}}:turns`, '1:state', '{"v":2}')
    await second.ask('POST', `/approvals/s-1-0-${body.id}`, { decision: 'approve' })
    const follower = await readEvents(first.url, `${path}/turns/1/events`)
    await follower.ended
    expect(follower.events.at(-1)).toMatchObject({
      name: 'turn.failed',
      data: { error: { code: 'state_unreadable' } },
    })
    expect((await first.ask('GET', path)).body.status).toBe('idle')
    const { items } = (await first.ask('GET', `${path}/messages`)).body
    expect(items.map(({ message }: { message: { role: string } }) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
    ])
    await close()
  })
})
