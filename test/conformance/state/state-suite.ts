import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BeginRequest, Grant } from '../../../src/state/contract/lease-state.js'
import type { RecordAddress } from '../../../src/state/contract/record-state.js'
import { type FollowedItem, typedEvent } from '../../../src/state/logged-event.js'
import type { StateStore } from '../../../src/state/state-store.js'
import { STATE_BACKENDS, type StateBackend } from '../../support/state-backends.js'
import { waitUntil } from '../../support/wait-until.js'

const OWNER = 'ann'
let ids = 0

function newId(): string {
  ids += 1
  return `r-${ids}-${Math.random().toString(36).slice(2)}`
}

async function newSession(store: StateStore, id = newId()): Promise<RecordAddress> {
  await store.create({ kind: 'session', id, owner: OWNER, token: id, head: { agent: 't.main' } })
  return { kind: 'session', id, owner: OWNER }
}

async function newTask(store: StateStore): Promise<RecordAddress> {
  const id = newId()
  await store.create({ kind: 'task', id, owner: OWNER, token: id, head: {}, input: { description: 'do it' } })
  return { kind: 'task', id, owner: OWNER }
}

async function begin(
  store: StateStore,
  address: RecordAddress,
  more: Partial<BeginRequest> = {},
): Promise<Grant> {
  const outcome = await store.begin({
    address,
    by: newId(),
    purpose: 'start',
    input: { text: 'hi' },
    ...more,
  })
  if (outcome.kind === 'repeated') throw new Error('repeated')
  return outcome
}

const delta = (text: string) => typedEvent('text.delta', { text })
const message = (content: string) => ({ role: 'user', content })
const code = (expected: string) => expect.objectContaining({ code: expected })

/** Tries until the lease of another is over. */
async function again<Result>(work: () => Promise<Result>): Promise<Result> {
  let result: Result | undefined
  await waitUntil(async () => {
    result = await work().catch(() => undefined)
    return result !== undefined
  }, 'the lease')
  return result as Result
}

async function collect(items: AsyncIterable<FollowedItem>, count: number): Promise<string[]> {
  const found: string[] = []
  for await (const item of items) {
    found.push(item.kind === 'gap' ? 'gap' : item.id)
    if (found.length === count) break
  }
  return found
}

/** What every store of state does, whatever keeps it. */
export function describeState(name: keyof typeof STATE_BACKENDS): void {
  describe(`state in ${name}`, () => behaviour(STATE_BACKENDS[name]))
}

function behaviour(start: () => Promise<StateBackend>): void {
  let backend: StateBackend
  let store: StateStore
  /** Another process, where there can be one. */
  let other: StateStore

  beforeAll(async () => {
    backend = await start()
    store = await backend.open()
    other = await backend.open()
  })
  afterAll(() => backend.stop())

  it('can be written', async () => {
    await newSession(store)
    await waitUntil(() => store.status.writable, 'the probe')
    expect(store.status.reason).toBeUndefined()
  })

  describe('records', () => {
    it('are read as they were made, on every replica', async () => {
      const id = newId()
      const head = { agent: 'a', deep: { list: [], nothing: null, big: 12345678901234567890n, text: '"\n☃' } }
      const made = await store.create({
        kind: 'session',
        id,
        owner: OWNER,
        token: 'x',
        head,
        context: { a: 1 },
      })
      const read = await other.read({ kind: 'session', id, owner: OWNER })
      expect(read).toEqual({ ...made, expiresAt: expect.any(Number) })
      expect(read).toMatchObject({ id, owner: OWNER, head, status: 'idle', turn: 0, activeContext: 'main' })
      expect(read.contexts.get('main')).toEqual({ info: { a: 1 }, messages: 0, base: 0 })
      expect((read.expiresAt as number) - read.createdAt).toBeGreaterThan(6 * 24 * 3_600_000)
    })

    it('are made once for one token, and refused to another', async () => {
      const id = newId()
      const request = { kind: 'session', id, owner: OWNER, token: 'one', head: {} } as const
      await store.create(request)
      expect((await other.create(request)).id).toBe(id)
      await expect(store.create({ ...request, token: 'two' })).rejects.toThrow(code('already_exists'))
      await expect(store.create({ ...request, owner: 'bob' })).rejects.toThrow(code('already_exists'))
    })

    it.each(['', 'a b', 'ü', 'a'.repeat(101), '../x', '{x}'])('have no id %j', async (id) => {
      await expect(store.read({ kind: 'session', id })).rejects.toThrow(code('invalid_request'))
      await expect(store.create({ kind: 'task', id, owner: OWNER, token: 't', head: {} })).rejects.toThrow(
        code('invalid_request'),
      )
    })

    it('are of owners with any name', async () => {
      const owner = 'x\ny'
      const id = newId()
      await store.create({ kind: 'session', id, owner, token: 'x', head: { a: 1 } })
      expect(await other.read({ kind: 'session', id, owner })).toMatchObject({ owner, head: { a: 1 } })
    })

    it("are not found when they are another's", async () => {
      const { kind, id } = await newSession(store)
      const foreign = { kind, id, owner: 'bob' }
      const memory = store.memory
      for (const attempt of [
        () => store.read(foreign),
        () => store.begin({ address: foreign, by: 'b', purpose: 'start' }),
        () => store.cancel(foreign),
        () => store.remove(foreign),
        () => store.update(foreign, {}),
        () => store.turns.read(foreign, 1),
        () => store.messages.read(foreign),
        () => memory.set(foreign, 'a', 'b'),
        () => memory.read(foreign),
        () => store.contexts.create(foreign, 'c', {}),
        () => store.approvals.decide(foreign, 'x', { status: 'approved', decision: {} }),
        () => store.events.range(foreign, '1-1', 1),
      ])
        await expect(attempt()).rejects.toThrow(code('session_not_found'))
      expect(await store.read({ kind, id })).toMatchObject({ id })
      await expect(store.read({ kind: 'task', id })).rejects.toThrow(code('task_not_found'))
    })

    it('are listed for their owner, used last first, page by page', async () => {
      const owner = newId()
      const made = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${owner}-${letter}`)
      for (const id of made) {
        await store.create({ kind: 'session', id, owner, token: id, head: {} })
        await new Promise((resolve) => setTimeout(resolve, 3))
      }
      await store.create({ kind: 'task', id: `${owner}-t`, owner, token: 't', head: {}, input: {} })
      const found: string[] = []
      for (let cursor: string | undefined; ; ) {
        const page = await other.list({ kind: 'session', owner, limit: 2, cursor })
        expect(page.total).toBe(5)
        found.push(...page.records.map(({ id }) => id))
        cursor = page.nextCursor
        if (cursor === undefined) break
      }
      expect(found).toEqual(made.toReversed())
      await expect(store.list({ kind: 'session', owner, limit: 2, cursor: 'x' })).rejects.toThrow(
        code('invalid_request'),
      )
    })

    it('come first in their list when they are used: at once for who uses them, soon for others', async () => {
      const owner = newId()
      const made = ['a', 'b', 'c'].map((letter) => `${owner}-${letter}`)
      for (const id of made) await store.create({ kind: 'session', id, owner, token: id, head: {} })
      const listed = async (by: StateStore) =>
        (await by.list({ kind: 'session', owner, limit: 10 })).records.map(({ id }) => id.slice(-1)).join('')
      for (const id of made.slice(0, 2)) {
        await new Promise((resolve) => setTimeout(resolve, 3))
        await begin(store, { kind: 'session', id, owner })
      }
      expect(await listed(store)).toBe('bac')
      await waitUntil(async () => (await listed(other)) === 'bac', 'the order to be known elsewhere')
    })

    it('are gone when removed, also from the list', async () => {
      const address = await newSession(store)
      await store.memory.set(address, 'a', 'b')
      await store.remove(address)
      await expect(other.read(address)).rejects.toThrow(code('session_not_found'))
      const { records } = await store.list({ kind: 'session', owner: OWNER, limit: 1_000 })
      expect(records.map(({ id }) => id)).not.toContain(address.id)
      await newSession(store, address.id)
      expect((await store.memory.read(address)).size).toBe(0)
    })

    it('expire when nobody uses them', async () => {
      const brief = await backend.open({ ttlMs: 150 })
      const address = await newSession(brief)
      await waitUntil(
        () =>
          brief.read(address).then(
            () => false,
            () => true,
          ),
        'the expiry',
      )
    })

    it('have a head that is replaced while nobody works', async () => {
      const address = await newSession(store)
      expect((await store.update(address, { agent: 'b' })).head).toEqual({ agent: 'b' })
      await begin(store, address)
      await expect(other.update(address, {})).rejects.toThrow(code('session_busy'))
      await expect(other.remove(address)).rejects.toThrow(code('session_busy'))
    })
  })

  describe('claims', () => {
    it('belong to the first, for the same body', async () => {
      const claim = { owner: OWNER, route: 'sessions', key: newId(), id: 'first', bodyHash: 'h' }
      expect(await store.claim(claim)).toEqual({ id: 'first', fresh: true })
      expect(await other.claim({ ...claim, id: 'second' })).toEqual({ id: 'first', fresh: false })
      await expect(store.claim({ ...claim, bodyHash: 'other' })).rejects.toThrow(code('idempotency_conflict'))
      expect(await store.claim({ ...claim, owner: 'bob', id: 'his' })).toEqual({ id: 'his', fresh: true })
    })
  })

  describe('turns', () => {
    it('get what the session holds, and leave what they did', async () => {
      const address = await newSession(store)
      await store.memory.set(address, '__proto__', 'ä')
      const first = await begin(store, address, { input: { text: 'one' } })
      expect(first).toMatchObject({
        kind: 'started',
        turn: { turn: 1, status: 'running', input: { text: 'one' } },
      })
      expect([...first.memory]).toEqual([['__proto__', 'ä']])
      await store.commit(first.lease, {
        n: 1,
        turn: { state: { step: 1 } },
        messages: [{ context: 'main', append: [message('one'), message('two')] }],
      })
      expect((await other.turns.read(address, 1)).state).toEqual({ step: 1 })
      await store.commit(first.lease, {
        n: 2,
        head: { agent: 't.main', usage: 3 },
        turn: { status: 'completed', result: { text: 'done' } },
        messages: [{ context: 'main', append: [message('three')] }],
        events: { first: 1, events: [typedEvent('turn.completed', {})] },
      })
      const view = await other.read(address)
      expect(view).toMatchObject({ status: 'idle', turn: 1, head: { usage: 3 } })
      const turn = await other.turns.read(address, 1)
      expect(turn).toMatchObject({ status: 'completed', result: { text: 'done' }, state: undefined })
      expect(turn.firstEvent).toBe(`${first.lease.epoch}-1`)
      expect(turn.lastEvent).toBe(`${first.lease.epoch}-1`)
      expect(turn.endedAt).toBeGreaterThanOrEqual(turn.startedAt)
      const second = await begin(other, address)
      expect(second.turn.turn).toBe(2)
      expect(second.lease.epoch).toBeGreaterThan(first.lease.epoch)
      expect(second.messages.messages.map(({ content }) => content)).toEqual(['one', 'two', 'three'])
      await expect(store.turns.read(address, 3)).rejects.toThrow(code('turn_not_found'))
    })

    it('get a long history whole and in order, whatever its texts hold', async () => {
      const address = await newSession(store)
      const first = await begin(store, address)
      const texts = [40_000, 40_000, 1, 70_000, 0].map((length, place) => `${place}\n☃${'x'.repeat(length)}`)
      const messages = [{ context: 'main', append: texts.map(message) }]
      await store.commit(first.lease, { n: 1, messages, turn: { status: 'completed' } })
      const second = await begin(other, address)
      expect(second.messages.messages.map(({ content }) => content)).toEqual(texts)
      const page = await other.messages.read(address, { from: 1, limit: 3 })
      expect(page.messages.map(({ content }) => content)).toEqual(texts.slice(1, 4))
    })

    it('are refused while another is open, and say when to come again', async () => {
      const address = await newSession(store)
      await begin(store, address)
      const refusal = await begin(other, address).catch((error) => error)
      expect(refusal).toMatchObject({ code: 'session_busy', status: 409 })
      expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(refusal.headers['retry-after'])).toBeLessThanOrEqual(10)
    })

    it('are refused while another waits for a person, in other words', async () => {
      const address = await newSession(store)
      const { lease } = await begin(store, address)
      await expect(begin(other, address)).rejects.toThrow(/ is running: /)
      await store.commit(lease, { n: 1, turn: { status: 'paused' } })
      for (const attempt of [() => begin(other, address), () => other.remove(address)]) {
        const refusal = await attempt().catch((error) => error)
        expect(refusal).toMatchObject({ code: 'session_busy', headers: { 'retry-after': '1' } })
        expect(refusal.message).toContain('waits for approval')
      }
    })

    it('are the same for the same attempt', async () => {
      const address = await newSession(store)
      const by = newId()
      const first = await begin(store, address, { by })
      const again = await begin(other, address, { by, input: { text: 'not this' } })
      expect(again).toEqual({ ...first, at: expect.any(Number), record: expect.anything() })
      expect((await store.read(address)).turn).toBe(1)
    })

    it('are the same for the same idempotency key', async () => {
      const address = await newSession(store)
      const idempotency = { key: newId(), bodyHash: 'h' }
      const { lease } = await begin(store, address, { idempotency })
      const repeat = () => other.begin({ address, by: newId(), purpose: 'start', idempotency })
      expect(await repeat()).toEqual({ kind: 'repeated', turn: 1 })
      await store.commit(lease, { n: 1, turn: { status: 'completed' } })
      expect(await repeat()).toEqual({ kind: 'repeated', turn: 1 })
      await expect(begin(store, address, { idempotency: { ...idempotency, bodyHash: 'x' } })).rejects.toThrow(
        code('idempotency_conflict'),
      )
      expect((await begin(store, address)).turn.turn).toBe(2)
    })

    it('are as many as allowed', async () => {
      const address = await newSession(store)
      const { lease } = await begin(store, address, { maxTurns: 1 })
      await store.commit(lease, { n: 1, turn: { status: 'completed' } })
      await expect(begin(store, address, { maxTurns: 1 })).rejects.toThrow(code('limit_exceeded'))
      expect((await store.read(address)).turn).toBe(1)
    })

    it('are refused where a record keeps as much as it may: of inputs, messages and results', async () => {
      const small = await backend.open({ maxRecordBytes: 30_000 })
      const long = 'x'.repeat(11_000)
      const commits = [
        { turn: { status: 'completed' } },
        { turn: { status: 'completed' }, messages: [{ context: 'main', append: [message(long)] }] },
        { turn: { status: 'completed', result: { text: long } } },
      ] as const
      const address = await newSession(small)
      for (const [index, commit] of commits.entries()) {
        const { lease } = await begin(small, address, { input: { text: index === 0 ? long : 'hi' } })
        await small.commit(lease, { n: 1, ...commit })
      }
      await expect(begin(small, address)).rejects.toThrow(code('limit_exceeded'))
      expect((await small.read(address)).turn).toBe(commits.length)
      expect((await begin(small, await newSession(small))).turn.turn).toBe(1)
    })

    it('are taken over when the lease is over', async () => {
      const hasty = await backend.open({ leaseMs: 100 })
      const address = await newSession(hasty)
      const lost = await begin(hasty, address)
      await hasty.commit(lost.lease, { n: 1, turn: { state: { step: 7 } } })
      await waitUntil(
        async () => (await hasty.read(address)).status === 'interrupted',
        'the end of the lease',
      )
      const taken = await begin(hasty, address)
      expect(taken).toMatchObject({ kind: 'interrupted', turn: { turn: 1, state: { step: 7 } } })
      expect(taken.lease.epoch).toBeGreaterThan(lost.lease.epoch)
      await expect(hasty.commit(lost.lease, { n: 2 })).rejects.toThrow(code('turn_interrupted'))
      await expect(hasty.renew(lost.lease, 1)).rejects.toThrow(code('turn_interrupted'))
      await expect(hasty.events.append(lost.lease, { first: 1, events: [delta('x')] })).rejects.toThrow(
        code('turn_interrupted'),
      )
      await hasty.renew(taken.lease, 0)
      await hasty.commit(taken.lease, {
        n: 1,
        turn: { status: 'failed', result: { code: 'turn_interrupted' } },
      })
      expect((await begin(hasty, address)).turn.turn).toBe(2)
    })

    it('are not ended after their lease, although nobody has taken them', async () => {
      const hasty = await backend.open({ leaseMs: 100 })
      const address = await newSession(hasty)
      const { lease } = await begin(hasty, address)
      await waitUntil(
        async () => (await hasty.read(address)).status === 'interrupted',
        'the end of the lease',
      )
      const late = hasty.commit(lease, { n: 1, turn: { status: 'completed' } })
      await expect(late).rejects.toThrow(code('turn_interrupted'))
      expect((await hasty.read(address)).status).toBe('interrupted')
    })

    it('keep their lease by renewing and by committing', async () => {
      const hasty = await backend.open({ leaseMs: 400 })
      const address = await newSession(hasty)
      const { lease } = await begin(hasty, address)
      const until = performance.now() + 900
      for (let n = 0; performance.now() < until; await new Promise((resolve) => setTimeout(resolve, 40))) {
        await hasty.renew(lease, n)
        n += 1
        await hasty.commit(lease, { n })
        expect((await hasty.read(address)).status).toBe('running')
      }
    })
  })

  describe('open turns', () => {
    const LEASE_MS = 400
    const isDue = async (store: StateStore, { id }: RecordAddress) =>
      (await store.openTurns.due(1_000, 5_000)).some((each) => each.id === id)

    it('are found when their lease is over, also when nothing was ever written', async () => {
      const short = await backend.open({ leaseMs: LEASE_MS })
      const address = await newSession(short)
      await begin(short, address)
      expect(await isDue(short, address)).toBe(false)
      await waitUntil(() => isDue(short, address), 'the open turn')
    })

    it('are left alone while their lease is renewed', async () => {
      const short = await backend.open({ leaseMs: LEASE_MS })
      const address = await newSession(short)
      const { lease } = await begin(short, address)
      for (let renewals = 0; renewals < 6; renewals += 1) {
        await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 4))
        await short.renew(lease, 0)
        expect(await isDue(short, address)).toBe(false)
      }
      await waitUntil(() => isDue(short, address), 'the open turn')
    })

    it('are not found when they are over, or wait for a person', async () => {
      const short = await backend.open({ leaseMs: LEASE_MS })
      const [over, paused] = [await newSession(short), await newSession(short)]
      const { lease } = await begin(short, over)
      await short.commit(lease, { n: 1, turn: { status: 'completed' } })
      const waiting = await begin(short, paused)
      const approvals = [{ id: 's-1-0-x', status: 'pending', data: {} } as const]
      await short.commit(waiting.lease, { n: 1, turn: { status: 'paused' }, approvals })
      await new Promise((resolve) => setTimeout(resolve, 1.5 * LEASE_MS))
      expect([await isDue(short, over), await isDue(short, paused)]).toEqual([false, false])
      // The process that decides dies before it resumes the turn.
      await short.approvals.decide(paused, 's-1-0-x', { status: 'approved', decision: {} })
      await waitUntil(() => isDue(short, paused), 'the decided turn')
    })

    it('are free at once when they are given back, which is no death', async () => {
      const address = await newSession(store)
      const first = await begin(store, address)
      expect(first).toMatchObject({ takeovers: 0, idleMs: 0 })
      const state = { step: 1 }
      await store.commit(first.lease, { n: 1, turn: { state }, release: true })
      // Its reply was lost.
      await store.commit(first.lease, { n: 1, turn: { state }, release: true })
      await expect(store.commit(first.lease, { n: 2 })).rejects.toEqual(code('turn_interrupted'))
      await waitUntil(() => isDue(other, address), 'the turn that was given back')
      const second = await begin(other, address, { purpose: 'resume' })
      expect(second).toMatchObject({ kind: 'interrupted', takeovers: 0, turn: { state } })
      expect(second.idleMs).toBeLessThan(5_000)
    })

    it('count the processes that died with them, and how long nobody worked', async () => {
      const short = await backend.open({ leaseMs: LEASE_MS })
      const address = await newSession(short)
      await begin(short, address)
      for (const takeovers of [1, 2]) {
        const taken = await again(() => begin(short, address, { purpose: 'resume' }))
        expect(taken).toMatchObject({ kind: 'interrupted', takeovers })
        expect(taken.idleMs).toBeGreaterThanOrEqual(LEASE_MS)
      }
    })

    it('are not ended by who comes after the end of the lease, but kept by who renews it', async () => {
      const short = await backend.open({ leaseMs: LEASE_MS })
      const address = await newSession(short)
      const { lease } = await begin(short, address)
      await waitUntil(
        async () => (await short.read(address)).status === 'interrupted',
        'the end of the lease',
      )
      const end = { n: 1, turn: { status: 'completed' } } as const
      await expect(short.commit(lease, end)).rejects.toEqual(code('turn_interrupted'))
      await short.renew(lease, 0)
      await short.commit(lease, end)
      expect((await short.read(address)).status).toBe('idle')
    })
  })

  describe('commits', () => {
    it('count once, however often they are sent', async () => {
      const address = await newSession(store)
      const { lease } = await begin(store, address)
      const first = {
        n: 1,
        messages: [{ context: 'main', append: [message('one')] }],
        events: { first: 1, events: [delta('a'), delta('b')] },
      }
      for (let times = 0; times < 3; times += 1) await store.commit(lease, first)
      const last = {
        n: 2,
        turn: { status: 'completed' as const },
        events: { first: 3, events: [delta('c')] },
      }
      for (let times = 0; times < 3; times += 1) await store.commit(lease, last)
      expect((await store.messages.read(address)).total).toBe(1)
      const events = await store.events.range(address, `${lease.epoch}-1`, 10)
      expect(events.map(({ json }) => JSON.parse(json).text)).toEqual(['a', 'b', 'c'])
      await expect(store.commit(lease, { n: 3 })).rejects.toThrow(code('turn_interrupted'))
    })

    it('are refused whole when one before was lost', async () => {
      const address = await newSession(store)
      const { lease } = await begin(store, address)
      const append = [{ context: 'main', append: [message('one')] }]
      await expect(store.commit(lease, { n: 2, messages: append })).rejects.toThrow(code('turn_interrupted'))
      await expect(
        store.commit(lease, { n: 1, messages: append, events: { first: 2, events: [delta('b')] } }),
      ).rejects.toThrow(code('turn_interrupted'))
      await expect(store.renew(lease, 1)).rejects.toThrow(code('turn_interrupted'))
      await expect(
        store.commit(lease, {
          n: 1,
          head: { changed: true },
          messages: [...append, { context: 'nowhere', append: [message('x')] }],
        }),
      ).rejects.toThrow(code('context_not_found'))
      expect(await store.read(address)).toMatchObject({ head: { agent: 't.main' } })
      expect((await store.messages.read(address)).total).toBe(0)
      await store.commit(lease, { n: 1, messages: append })
    })

    it('cut, append and hide messages, one context apart from another', async () => {
      const address = await newSession(store)
      await store.contexts.create(address, 'side', { agent: 'x' })
      const { lease } = await begin(store, address)
      const many = Array.from({ length: 2_500 }, (_, index) => message(String(index)))
      await store.commit(lease, {
        n: 1,
        messages: [
          { context: 'main', append: many },
          { context: 'side', append: [message('s')] },
        ],
      })
      await store.commit(lease, {
        n: 2,
        turn: { status: 'completed' },
        messages: [{ context: 'main', keep: 2_400, append: [message('new')], base: 2_398 }],
      })
      const page = await other.messages.read(address, { from: 2_399 })
      expect(page.messages.map(({ content }) => content)).toEqual(['2399', 'new'])
      expect(page.total).toBe(2_401)
      expect((await other.messages.read(address, { limit: 2 })).messages).toHaveLength(2)
      expect((await other.messages.read(address, { from: 9_999 })).messages).toEqual([])
      const next = await begin(store, address)
      expect(next.messages).toMatchObject({ from: 2_398, total: 2_401 })
      expect(next.messages.messages.map(({ content }) => content)).toEqual(['2398', '2399', 'new'])
      await store.commit(next.lease, { n: 1, turn: { status: 'cancelled' } })
      expect((await begin(store, address, { context: 'side' })).messages.messages).toEqual([message('s')])
    })

    it('put and delete entries, and put approvals', async () => {
      const address = await newTask(store)
      const { lease } = await begin(store, address, { purpose: 'resume' })
      const entries = new Map([
        ['1.s1', { intent: true }],
        ['1.s2', { intent: true }],
      ])
      await store.commit(lease, { n: 1, entries })
      await store.commit(lease, { n: 2, entries: new Map([['1.s2', null]]) })
      expect([...(await other.entries.read(address))]).toEqual([['1.s1', { intent: true }]])
      expect([...(await begin(other, address, { purpose: 'resume', by: lease.by })).entries]).toHaveLength(1)
    })
  })

  describe('tasks', () => {
    it('are queued once, run, and are over', async () => {
      const address = await newTask(store)
      expect(await other.read(address)).toMatchObject({ status: 'queued', turn: 1, expiresAt: undefined })
      const grant = await begin(store, address, { purpose: 'resume' })
      expect(grant).toMatchObject({ kind: 'resumed', turn: { input: { description: 'do it' } } })
      for (const attempt of [
        () => begin(other, address, { purpose: 'resume' }),
        () => other.update(address, {}),
        () => other.remove(address),
      ]) {
        const refusal = await attempt().catch((error) => error)
        expect(refusal).toMatchObject({ code: 'task_busy', status: 409 })
        expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0)
        expect(refusal.message).toBe(`Task "${address.id}" has not ended: wait for it or cancel it`)
      }
      await store.commit(grant.lease, { n: 1, turn: { state: { round: 1 } } })
      expect((await store.read(address)).expiresAt).toBeUndefined()
      await store.commit(grant.lease, { n: 2, turn: { status: 'exhausted', result: {} } })
      expect((await store.read(address)).expiresAt).toBeDefined()
      await expect(begin(other, address, { purpose: 'resume' })).rejects.toThrow(code('task_ended'))
      expect(await store.cancel(address)).toEqual({ kind: 'ended', turn: 1, status: 'exhausted' })
    })

    it('are found again when nobody runs them, once among all who look', async () => {
      const lost = await newTask(store)
      const done = await newTask(store)
      const { lease } = await begin(store, done, { purpose: 'resume' })
      await store.commit(lease, { n: 1, turn: { status: 'completed' } })
      const mine = async (sweeper: StateStore) =>
        (await sweeper.openTasks.due(1_000, 60_000)).filter((id) => id === lost.id || id === done.id)
      const found: string[] = []
      await waitUntil(async () => {
        found.push(...(await Promise.all([mine(store), mine(other)])).flat())
        return found.length > 0
      }, 'the sweep')
      expect(found).toEqual([lost.id])
      expect(await mine(store)).toEqual([])
    })
  })

  describe('approvals', () => {
    async function paused() {
      const address = await newSession(store)
      const { lease } = await begin(store, address)
      const approval = (id: string) => ({
        id,
        status: 'pending' as const,
        data: { tool: 'm.write', list: [] },
      })
      await store.commit(lease, {
        n: 1,
        turn: { status: 'paused', state: { pending: 2 } },
        approvals: [approval(`s-1-0-${address.id}`), approval(`s-1-1-${address.id}`)],
      })
      return { address, first: `s-1-0-${address.id}`, second: `s-1-1-${address.id}` }
    }

    it('hold the turn until the last is decided', async () => {
      const { address, first, second } = await paused()
      expect(await other.read(address)).toMatchObject({ status: 'paused' })
      await expect(begin(other, address)).rejects.toThrow(code('session_busy'))
      const edited = { arguments: { a: 1, b: { d: 1, c: [] } } }
      expect(
        await other.approvals.decide(address, first, { status: 'approved', decision: edited }),
      ).toMatchObject({
        pending: 1,
        approval: { id: first, status: 'approved', decision: edited, data: { tool: 'm.write', list: [] } },
      })
      expect(
        (await store.approvals.decide(address, second, { status: 'rejected', decision: {} })).pending,
      ).toBe(0)
      const resumed = await begin(other, address, { purpose: 'resume', turn: 1 })
      expect(resumed).toMatchObject({ kind: 'resumed', turn: { turn: 1, state: { pending: 2 } } })
      expect(resumed.approvals.map(({ status }) => status)).toEqual(['approved', 'rejected'])
      expect(resumed.turn.firstEvent).not.toBe(`${resumed.lease.epoch}-1`)
    })

    it('are decided once', async () => {
      const { address, first } = await paused()
      const decide = (status: 'approved' | 'rejected', decision: { readonly [name: string]: number }) =>
        store.approvals.decide(address, first, { status, decision })
      await decide('approved', { a: 1, b: 2 })
      expect((await decide('approved', { b: 2, a: 1 })).pending).toBe(1)
      await expect(decide('approved', { a: 2 })).rejects.toThrow(code('approval_conflict'))
      await expect(decide('rejected', { a: 1, b: 2 })).rejects.toThrow(code('approval_conflict'))
      await expect(
        store.approvals.decide(address, 'other', { status: 'approved', decision: {} }),
      ).rejects.toThrow(code('approval_not_found'))
      expect((await other.approvals.list(address)).map(({ status }) => status)).toEqual([
        'approved',
        'pending',
      ])
    })
  })

  describe('cancels', () => {
    it('reach whoever runs the turn, and stay for who missed them', async () => {
      const address = await newSession(store)
      const { lease } = await begin(store, address)
      const heard: string[] = []
      const stop = store.onCancel(({ record, turn }) => heard.push(`${record.kind} ${record.id} ${turn}`))
      expect(await other.cancel(address)).toEqual({ kind: 'requested', turn: 1, status: 'running' })
      await waitUntil(() => heard.includes(`session ${address.id} 1`), 'the cancel')
      stop()
      expect(await store.renew(lease, 0)).toEqual({ cancelRequested: true })
      expect(await store.commit(lease, { n: 1 })).toEqual({ cancelRequested: true })
      expect((await store.read(address)).cancelRequested).toBe(true)
      await store.commit(lease, { n: 2, turn: { status: 'cancelled' } })
      expect(await other.cancel(address, 1)).toEqual({ kind: 'ended', turn: 1, status: 'cancelled' })
      const next = await begin(store, address)
      expect(next.record.cancelRequested).toBe(false)
      await expect(store.cancel(address, 3)).rejects.toThrow(code('turn_not_found'))
    })

    it('are for the caller to do when nobody runs the turn', async () => {
      const task = await newTask(store)
      expect(await store.cancel(task)).toEqual({ kind: 'unattended', turn: 1, status: 'queued' })
      const { lease, record } = await begin(store, task, { purpose: 'resume' })
      expect(record.cancelRequested).toBe(true)
      await store.commit(lease, { n: 1, turn: { status: 'cancelled' } })
      const session = await newSession(store)
      await expect(store.cancel(session)).rejects.toThrow(code('turn_not_found'))
    })
  })

  describe('memory', () => {
    it('is set, read, deleted and cleared while a turn runs', async () => {
      const address = await newSession(store)
      await begin(store, address)
      await store.memory.set(address, 'a', '1')
      await other.memory.set(address, 'a', '2')
      await store.memory.set(address, 'b', '')
      expect(Object.fromEntries(await other.memory.read(address))).toEqual({ a: '2', b: '' })
      await store.memory.delete(address, 'a')
      await expect(store.memory.delete(address, 'a')).rejects.toThrow(code('memory_not_found'))
      await store.memory.clear(address)
      expect((await other.memory.read(address)).size).toBe(0)
      await expect(store.memory.set(address, 'c', 'd', { whenIdle: true })).rejects.toThrow(
        code('session_busy'),
      )
    })

    it('has limits', async () => {
      const address = await newSession(store)
      await expect(store.memory.set(address, 'k'.repeat(257), '')).rejects.toThrow(code('invalid_request'))
      await expect(store.memory.set(address, '', 'v')).rejects.toThrow(code('invalid_request'))
      await expect(store.memory.set(address, 'k', 'ü'.repeat(16_385))).rejects.toThrow(
        code('invalid_request'),
      )
      await Promise.all(
        Array.from({ length: 1_000 }, (_, index) => store.memory.set(address, `k${index}`, 'v')),
      )
      await expect(store.memory.set(address, 'one more', 'v')).rejects.toThrow(code('limit_exceeded'))
      await store.memory.set(address, 'k7', 'changed')
    })
  })

  describe('contexts', () => {
    it('are made, switched and destroyed', async () => {
      const address = await newSession(store)
      await store.contexts.create(address, 'side', { agent: 'x' })
      await other.contexts.create(address, 'side', { agent: 'x' })
      await expect(store.contexts.create(address, 'side', { agent: 'y' })).rejects.toThrow(
        code('already_exists'),
      )
      expect(
        (await store.contexts.update(address, 'side', { agent: 'y' })).contexts.get('side')?.info,
      ).toEqual({
        agent: 'y',
      })
      expect((await store.contexts.switch(address, 'side')).activeContext).toBe('side')
      const { lease, turn } = await begin(other, address)
      expect(turn.context).toBe('side')
      await other.commit(lease, { n: 1, messages: [{ context: 'side', append: [message('s')] }] })
      await expect(store.contexts.switch(address, 'main')).rejects.toThrow(code('session_busy'))
      await other.commit(lease, { n: 2, turn: { status: 'completed' } })
      await expect(store.contexts.destroy(address, 'side')).rejects.toThrow(code('invalid_request'))
      await store.contexts.switch(address, 'main')
      expect([...(await store.contexts.destroy(address, 'side')).contexts.keys()]).toEqual(['main'])
      await expect(store.contexts.switch(address, 'side')).rejects.toThrow(code('context_not_found'))
      await expect(begin(store, address, { context: 'side' })).rejects.toThrow(code('context_not_found'))
      await store.contexts.create(address, 'side', {})
      expect((await store.messages.read(address, { context: 'side' })).messages).toEqual([])
      await expect(store.contexts.create(address, 'a/b', {})).rejects.toThrow(code('invalid_request'))
    })
  })

  describe('items', () => {
    it('are kept by namespace', async () => {
      const items = store.items(newId())
      for (let index = 0; index < 450; index += 1) await items.put(`i${index}`, { index })
      await items.put('i3', { changed: true })
      expect(await items.get('i3')).toEqual({ changed: true })
      expect(await store.items(newId()).get('i3')).toBeUndefined()
      expect([await items.delete('i4'), await items.delete('i4')]).toEqual([true, false])
      const found = new Set<string>()
      for await (const page of items.pages()) for (const { id } of page) found.add(id)
      expect(found.size).toBe(449)
    })
  })

  describe('events', () => {
    it('are followed from the first, after one, and from now, in order and once', async () => {
      const address = await newSession(store)
      const { lease } = await begin(store, address)
      const id = (seq: number) => `${lease.epoch}-${seq}`
      const { signal } = new AbortController()
      await store.events.append(lease, { first: 1, events: [delta('a'), delta('b'), delta('c')] })
      const fromFirst = collect(other.events.follow(address, { from: id(1), signal }), 6)
      const afterTwo = collect(other.events.follow(address, { after: id(2), signal }), 4)
      const sameProcess = collect(store.events.follow(address, { after: id(3), signal }), 3)
      await store.events.append(lease, { first: 4, events: [delta('d')] })
      await store.events.append(lease, { first: 4, events: [delta('d'), delta('e')] })
      await store.commit(lease, { n: 1, events: { first: 6, events: [delta('f')] } })
      expect(await fromFirst).toEqual([1, 2, 3, 4, 5, 6].map(id))
      expect(await afterTwo).toEqual([3, 4, 5, 6].map(id))
      expect(await sameProcess).toEqual([4, 5, 6].map(id))
    })

    it('go on over turns and epochs', async () => {
      const address = await newSession(store)
      const first = await begin(store, address)
      const { signal } = new AbortController()
      const all = collect(other.events.follow(address, { from: `${first.lease.epoch}-1`, signal }), 4)
      await store.commit(first.lease, {
        n: 1,
        turn: { status: 'completed' },
        events: { first: 1, events: [delta('a'), delta('b')] },
      })
      const second = await begin(store, address)
      await store.events.append(second.lease, { first: 1, events: [delta('c')] })
      await store.events.append(second.lease, { first: 2, events: [delta('d')] })
      const [one, two] = [first.lease.epoch, second.lease.epoch]
      expect(await all).toEqual([`${one}-1`, `${one}-2`, `${two}-1`, `${two}-2`])
      const late = collect(other.events.follow(address, { after: `${one}-2`, signal }), 2)
      expect(await late).toEqual([`${two}-1`, `${two}-2`])
    })

    it('show a gap where the log has none of what was asked for', async () => {
      const address = await newSession(store)
      const { lease } = await begin(store, address)
      await store.events.append(lease, { first: 1, events: [delta('a'), delta('b')] })
      const { signal } = new AbortController()
      const follow = (after: string) => other.events.follow(address, { after, signal })
      expect(await collect(follow(`${lease.epoch - 5}-7`), 3)).toEqual([
        'gap',
        `${lease.epoch}-1`,
        `${lease.epoch}-2`,
      ])
      // Told live and not stored yet: what comes later follows without a gap.
      const ahead = collect(follow(`${lease.epoch}-4`), 2)
      await store.events.append(lease, { first: 3, events: [delta('c'), delta('d'), delta('e'), delta('f')] })
      expect(await ahead).toEqual([`${lease.epoch}-5`, `${lease.epoch}-6`])
    })

    it('wait in the log for a reader that is slow', async () => {
      const address = await newSession(store)
      const { lease } = await begin(store, address)
      const iterator = other.events
        .follow(address, { from: `${lease.epoch}-1`, signal: new AbortController().signal })
        [Symbol.asyncIterator]()
      const first = iterator.next()
      for (let seq = 1; seq <= 2_000; seq += 100)
        await store.events.append(lease, {
          first: seq,
          events: Array.from({ length: 100 }, (_, index) => delta(String(seq + index))),
        })
      const found = [await first]
      while (found.length < 2_000) found.push(await iterator.next())
      expect(found.map(({ value }) => value.id)).toEqual(
        found.map((_, index) => `${lease.epoch}-${index + 1}`),
      )
      await iterator.return?.()
    })

    it('end when the reader leaves, and with an error when the session is removed', async () => {
      const address = await newSession(store)
      const leaving = new AbortController()
      const left = collect(other.events.follow(address, { signal: leaving.signal }), 1)
      const stayed = collect(other.events.follow(address, { signal: new AbortController().signal }), 2)
      const refused = expect(stayed).rejects.toMatchObject({ code: 'session_not_found' })
      leaving.abort()
      expect(await left).toEqual([])
      await store.remove(address)
      await refused
    })
  })

  describe('many writers', () => {
    it('take turns, and nothing is lost', async () => {
      const address = await newSession(store)
      let running = 0
      let most = 0
      const work = async (writer: number) => {
        const replica = writer % 2 === 0 ? store : other
        for (;;) {
          const grant = await begin(replica, address).catch((error) => {
            if (error.code === 'session_busy') return undefined
            throw error
          })
          if (grant === undefined) {
            await new Promise((resolve) => setTimeout(resolve, 5 + (writer % 7)))
            continue
          }
          running += 1
          most = Math.max(most, running)
          const append = [message(`${writer} a`)]
          await replica.commit(grant.lease, { n: 1, messages: [{ context: 'main', append }] })
          running -= 1
          await replica.commit(grant.lease, {
            n: 2,
            messages: [{ context: 'main', append: [message(`${writer} b`)] }],
            turn: { status: 'completed' },
          })
          return
        }
      }
      await Promise.all(Array.from({ length: 50 }, (_, writer) => work(writer)))
      expect(most).toBe(1)
      const { messages } = await store.messages.read(address)
      const texts = messages.map(({ content }) => String(content))
      expect(texts).toHaveLength(100)
      expect(new Set(texts).size).toBe(100)
      for (let index = 0; index < 100; index += 2)
        expect(texts[index + 1]).toBe((texts[index] as string).replace(' a', ' b'))
    }, 60_000)
  })
}
