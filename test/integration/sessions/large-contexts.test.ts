import { afterEach, describe, expect, it } from 'vitest'
import { type Replicas, STATE_KINDS, startReplicas } from '../../support/replicas.js'

let replicas: Replicas
afterEach(() => replicas.close())

describe.each(STATE_KINDS)('a session whose context is full, in %s', (state) => {
  it('goes on in another context when one holds too much', async () => {
    replicas = await startReplicas({
      state,
      replies: ['so', 'so', 'so', 'fine'],
      agents: new Map([['helper', { context: { compact: false } }]]),
    })
    const { body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
    const path = `/sessions/${body.id}`
    const say = async (input: string, context = 'main') =>
      (await replicas.first.ask('POST', `${path}/turns`, { input, context })).body
    const long = 'x'.repeat(3.5 * 2 ** 20)
    for (let turn = 1; turn <= 3; turn += 1) expect(await say(long)).toMatchObject({ status: 'completed' })
    expect(await say('go on')).toMatchObject({ error: { code: 'limit_exceeded' } })
    const { items } = (await replicas.second.ask('GET', `${path}/messages?limit=1`)).body
    expect(items).toHaveLength(1)
    await replicas.second.ask('POST', `${path}/contexts`, { id: 'next', agent: 'helper' })
    expect(await say('go on', 'next')).toMatchObject({ message: { content: 'fine' } })
  })
})
