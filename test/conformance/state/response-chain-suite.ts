import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StateStore } from '../../../src/state/state-store.js'
import { STATE_BACKENDS, type StateBackend } from '../../support/state-backends.js'

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** Makes a response that is over. */
async function answer(store: StateStore, id: string, parent?: string, owner = 'ada'): Promise<string> {
  const made = { kind: 'response', id, owner, token: id, head: {}, input: { asks: id }, parent } as const
  const { lease } = await store.createBegun({ ...made, by: id })
  await store.commit(lease, { n: 1, turn: { status: 'completed', result: { says: id } } })
  return id
}

/** What every place keeps of responses that follow each other. */
export function describeChain(name: keyof typeof STATE_BACKENDS): void {
  describe(`a tree of responses in ${name}`, () => {
    let backend: StateBackend
    let store: StateStore

    beforeAll(async () => {
      backend = await STATE_BACKENDS[name]()
      store = await backend.open()
    })
    afterAll(() => backend.stop())

    it('reads a chain from its last to its first, and each branch as its own', async () => {
      const root = hex(8)
      const first = await answer(store, root + hex(16))
      const [left, right] = await Promise.all([
        answer(store, root + hex(16), first),
        answer(store, root + hex(16), first),
      ])
      const leaf = await answer(store, root + hex(16), left)
      const chain = await store.chain({ kind: 'response', id: leaf, owner: 'ada' }, 10)
      expect(chain).toEqual(
        [leaf, left, first].map((id) => ({
          id,
          status: 'completed',
          input: { asks: id },
          result: { says: id },
        })),
      )
      const other = await store.chain({ kind: 'response', id: right, owner: 'ada' }, 10)
      expect(other.map(({ id }) => id)).toEqual([right, first])
    })

    it('knows a response that is open, and has its input', async () => {
      const id = hex(24)
      const made = { kind: 'response', id, owner: 'ada', token: id, head: {}, input: { asks: 1 } } as const
      const begun = await store.createBegun({ ...made, by: 'one' })
      const chain = await store.chain({ kind: 'response', id }, 10)
      expect(chain).toEqual([{ id, status: 'running', input: { asks: 1 }, result: undefined }])
      // An answer that was lost: the same attempt has the same lease.
      const again = await store.createBegun({ ...made, by: 'one' })
      expect([again.lease, again.record.status]).toEqual([begun.lease, 'running'])
      await expect(store.createBegun({ ...made, owner: 'bob', by: 'two' })).rejects.toMatchObject({
        code: 'already_exists',
      })
      await store.commit(again.lease, { n: 1, turn: { status: 'completed', result: { says: 1 } } })
      expect(await store.turns.read({ kind: 'response', id }, 1)).toMatchObject({
        status: 'completed',
        input: { asks: 1 },
        firstEvent: `${begun.lease.epoch}-1`,
      })
    })

    it('finds nothing of another owner, and no chain of which a part is gone', async () => {
      const root = hex(8)
      const first = await answer(store, root + hex(16))
      const next = await answer(store, root + hex(16), first)
      const missing = { code: 'response_not_found' }
      await expect(store.chain({ kind: 'response', id: next, owner: 'bob' }, 10)).rejects.toMatchObject(
        missing,
      )
      await store.remove({ kind: 'response', id: first })
      await expect(store.chain({ kind: 'response', id: next }, 10)).rejects.toMatchObject(missing)
    })

    it('refuses a chain that is too long', async () => {
      const root = hex(8)
      const ids = Array.from({ length: 5 }, () => root + hex(16))
      for (const [index, id] of ids.entries()) await answer(store, id, ids[index - 1])
      const last = { kind: 'response', id: ids[4] ?? '' } as const
      expect(await store.chain(last, 5)).toHaveLength(5)
      await expect(store.chain(last, 4)).rejects.toMatchObject({ code: 'limit_exceeded' })
    })

    it('lists responses apart from sessions, and keeps conversations until they are deleted', async () => {
      const owner = hex(4)
      const id = await answer(store, hex(24), undefined, owner)
      await store.create({ kind: 'conversation', id: hex(24), owner, token: 'c', head: {} })
      const page = await store.list({ kind: 'response', owner, limit: 10 })
      expect(page.records.map((record) => record.id)).toEqual([id])
      expect(page.records[0]?.expiresAt).toBeGreaterThan(Date.now() + 29 * 24 * 3_600_000)
      expect((await store.list({ kind: 'session', owner, limit: 10 })).total).toBe(0)
      const conversations = await store.list({ kind: 'conversation', owner, limit: 10 })
      expect(conversations.records[0]?.expiresAt).toBeUndefined()
    })

    it('names open responses whose lease is over, apart from turns of sessions', async () => {
      const short = await backend.open({ leaseMs: 300 })
      const id = hex(24)
      const made = { kind: 'response', id, owner: 'ada', token: id, head: {}, input: {} } as const
      await short.createBegun({ ...made, by: 'one' })
      expect(await short.openTurns.due(100, 10)).toEqual([])
      await expect
        .poll(async () => (await short.openResponses.due(100, 10)).map((due) => due.id), { timeout: 4_000 })
        .toContain(id)
    })
  })
}
