import { expect, it } from 'vitest'
import { createMemoryState } from '../../../src/state/memory-state.js'
import { createOwnedSessions } from '../../../src/state/owned-sessions.js'
import { NOBODY, shownId } from '../../../src/state/record-name.js'
import { systemClock } from '../../../src/util/time/clock.js'

const UUID = '3f2b8a52-52b1-4c0e-9a37-0f5f2e1f7a11'

function stores() {
  const plain = createMemoryState({ clock: systemClock, leaseMs: 1_000, ttlMs: 60_000 })
  return { plain, owned: createOwnedSessions(plain) }
}

const session = (id: string, owner: string, token = 'once') =>
  ({ kind: 'session', id, owner, token, head: { owner } }) as const

it.each(['old', UUID])('finds %s, stored under its plain name, for its owner alone', async (id) => {
  const { plain, owned } = stores()
  await plain.create(session(id, 'ann'))
  expect((await owned.read({ kind: 'session', id, owner: 'ann' })).head).toEqual({ owner: 'ann' })
  await expect(owned.read({ kind: 'session', id, owner: 'bob' })).rejects.toMatchObject({
    code: 'session_not_found',
    message: `Session "${id}" does not exist`,
  })
  // The same creation again, as after a reply that was lost, and another one.
  expect((await owned.create(session(id, 'ann'))).head).toEqual({ owner: 'ann' })
  await expect(owned.create(session(id, 'ann', 'other'))).rejects.toMatchObject({ code: 'already_exists' })
  const ofBob = await owned.create(session(id, 'bob'))
  expect([shownId(ofBob), ofBob.head]).toEqual([id, { owner: 'bob' }])
  for (const owner of ['ann', 'bob']) {
    expect((await owned.read({ kind: 'session', id, owner })).head).toEqual({ owner })
    expect((await owned.list({ kind: 'session', owner, limit: 10 })).records.map(shownId)).toEqual([id])
  }
  await owned.remove({ kind: 'session', id, owner: 'ann' })
  await expect(owned.read({ kind: 'session', id, owner: 'ann' })).rejects.toThrow('does not exist')
  expect((await owned.read({ kind: 'session', id, owner: 'bob' })).head).toEqual({ owner: 'bob' })
})

it('leaves ids alone that the service makes, names without keys, and tasks', async () => {
  const { plain, owned } = stores()
  await owned.create(session(UUID, 'ann'))
  await owned.create(session('free', NOBODY))
  await owned.create({ ...session('job', 'ann'), kind: 'task', input: {} })
  for (const [kind, id] of [
    ['session', UUID],
    ['session', 'free'],
    ['task', 'job'],
  ] as const)
    expect((await plain.read({ kind, id })).id).toBe(id)
})

it('takes no id for a name that another owner is stored under', async () => {
  const { owned } = stores()
  const { id } = await owned.create(session('mine', 'ann'))
  expect(id).not.toBe('mine')
  await expect(owned.read({ kind: 'session', id, owner: 'bob' })).rejects.toMatchObject({
    code: 'invalid_request',
  })
})

it('has the turns of a session found by the id that it is stored under', async () => {
  const { owned } = stores()
  await owned.create(session('mine', 'ann'))
  const address = { kind: 'session', id: 'mine', owner: 'ann' } as const
  const begun = await owned.begin({ address, by: 'a', purpose: 'start', input: {} })
  if (begun.kind === 'repeated') throw new Error('a new turn was a repetition')
  const { id } = begun.lease
  expect([begun.record.id, shownId({ kind: 'session', id })]).toEqual([id, 'mine'])
  await owned.commit(begun.lease, { n: 1, release: true })
  expect(await owned.openTurns.due(10, 1_000)).toEqual([{ kind: 'session', id }])
  expect((await owned.read({ kind: 'session', id })).head).toEqual({ owner: 'ann' })
})
