import { expect, it } from 'vitest'
import { newResponseId } from '../../../src/responses/response-ids.js'
import { createMemoryState } from '../../../src/state/memory-state.js'
import type { StateStore } from '../../../src/state/state-store.js'
import { createFakeClock } from '../../support/fake-clock.js'

const DAY_MS = 24 * 3_600_000

/** Keeps a response with so many characters of input. */
async function keep(store: StateStore, characters = 10): Promise<string> {
  const id = newResponseId()
  const made = { kind: 'response', id, owner: 'o', token: id, head: {}, by: 'p' } as const
  const { lease } = await store.createBegun({ ...made, input: { text: 'x'.repeat(characters) } })
  await store.commit(lease, { n: 1, turn: { status: 'completed', result: {} } })
  return id
}

it('bounds kept responses apart from sessions: neither pushes the other out', async () => {
  const store = createMemoryState({
    ...{ clock: createFakeClock(), leaseMs: 1_000, ttlMs: DAY_MS, maxBytes: 400_000 },
  })
  await store.create({ kind: 'session', id: 's', owner: 'o', token: 's', head: {} })
  const ids: string[] = []
  for (let count = 0; count < 40; count += 1) ids.push(await keep(store, 20_000))
  const kept = await store.list({ kind: 'response', owner: 'o', limit: 100 })
  expect(kept.total).toBeGreaterThan(1)
  expect(kept.total).toBeLessThan(20)
  // Those that were used last.
  expect(new Set(kept.records.map(({ id }) => id))).toEqual(new Set(ids.slice(-kept.total)))
  expect((await store.read({ kind: 'session', id: 's' })).id).toBe('s')
  for (let count = 0; count < 40; count += 1)
    await store.create({
      kind: 'session',
      id: `t${count}`,
      owner: 'o',
      token: `t${count}`,
      head: { text: 'x'.repeat(20_000) },
    })
  expect((await store.list({ kind: 'response', owner: 'o', limit: 100 })).total).toBe(kept.total)
})

it('forgets a response when it was not used for as long as the setting says, and a conversation never', async () => {
  const clock = createFakeClock()
  const store = createMemoryState({ clock, leaseMs: 1_000, ttlMs: DAY_MS, responseTtlMs: 3 * DAY_MS })
  const id = await keep(store)
  await store.create({ kind: 'conversation', id: newResponseId(), owner: 'o', token: 'c', head: {} })
  clock.advance(2 * DAY_MS)
  expect((await store.read({ kind: 'response', id })).id).toBe(id)
  clock.advance(2 * DAY_MS)
  await expect(store.read({ kind: 'response', id })).rejects.toMatchObject({ code: 'response_not_found' })
  expect((await store.list({ kind: 'conversation', owner: 'o', limit: 10 })).total).toBe(1)
})
