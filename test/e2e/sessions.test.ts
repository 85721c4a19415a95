import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { afterEach, expect, inject, it } from 'vitest'
import { ask, readEvents } from '../support/replicas.js'
import { waitUntil } from '../support/wait-until.js'

const LEASE_MS = 1_000
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function startReplica(environment: Readonly<Record<string, string>>) {
  const child = fork(resolve(import.meta.dirname, 'replica-process.mjs'), {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'silent', ...environment },
    silent: true,
  })
  children.push(child)
  const [port] = (await once(child, 'message')) as [number]
  return { child, url: `http://127.0.0.1:${port}` }
}

it('a process killed in the middle of a tool: the other one goes on after the lease, with a valid history', async () => {
  const environment = {
    STATE_URL: inject('redisUrl'),
    KEY_PREFIX: `kill-${Math.random().toString(36).slice(2)}`,
    STATE_LEASE_MS: String(LEASE_MS),
  }
  const [first, second] = await Promise.all([
    startReplica({ ...environment, HANG: '1' }),
    startReplica(environment),
  ])
  const { body } = await ask(first.url, 'POST', '/sessions', { agent: 'helper' })
  const path = `/sessions/${body.id}`
  const dying = ask(first.url, 'POST', `${path}/turns`, { input: 'look' }).catch(() => undefined)
  await waitUntil(async () => (await ask(second.url, 'GET', path)).body.turn === 1)
  const follower = await readEvents(second.url, `${path}/turns/1/events`)
  await follower.event('tool.called')
  first.child.kill('SIGKILL')
  expect(await dying).toBeUndefined()

  let answer = await ask(second.url, 'POST', `${path}/turns`, { input: 'still there?' })
  expect(answer.status).toBe(409)
  await waitUntil(async () => {
    answer = await ask(second.url, 'POST', `${path}/turns`, { input: 'still there?' })
    return answer.status !== 409
  })
  expect(answer.body).toMatchObject({ turn: 2, status: 'completed' })
  expect(JSON.parse(answer.body.message.content)).toEqual([
    ['user', 'look'],
    ['assistant', null],
    ['tool', expect.stringMatching(/^interrupted: /)],
    ['user', 'still there?'],
  ])
  await follower.ended
  expect(follower.events.at(-1)).toMatchObject({
    name: 'turn.failed',
    data: { error: { code: 'turn_interrupted' } },
  })
}, 180_000)
