import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CancelRequested, LeasedRun, type LeasedRunOptions } from '../../../src/state/leased-run.js'
import type { LoggedEvent, StateEvent, TypedEvent } from '../../../src/state/logged-event.js'
import type { StateStore } from '../../../src/state/state-store.js'
import { systemClock } from '../../../src/util/time/clock.js'
import { STATE_BACKENDS, type StateBackend } from '../../support/state-backends.js'
import { waitUntil } from '../../support/wait-until.js'

interface TestEvent extends TypedEvent {
  readonly text?: string
  readonly index?: number
}

const delta = (text: string): TestEvent => ({ type: 'text.delta', text })
const textOf = ({ json }: { readonly json: string }) => JSON.parse(json).text as string

/** Texts of deltas that follow each other become one. */
function gather(earlier: TestEvent, later: TestEvent): TestEvent | undefined {
  if (earlier.type !== 'text.delta' || later.type !== 'text.delta') return undefined
  return delta(`${earlier.text}${later.text}`)
}

/** Soon over, so that the test is. */
const SHORT_LEASE_MS = 900
/** A lease is renewed in time where nothing holds the process up for longer than this. */
const HELD_UP_MS = 250

/**
 * Looks at a status for longer than a lease lasts, and expects it to be `running` all the time.
 *
 * @returns false if the process was held up meanwhile, which says nothing of the lease
 */
async function isRunningAllTheTime(look: () => Promise<string>): Promise<boolean> {
  let lookedAt = performance.now()
  const until = lookedAt + 1.6 * SHORT_LEASE_MS
  while (performance.now() < until) {
    const status = await look()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const now = performance.now()
    if (now - lookedAt > HELD_UP_MS) return false
    expect(status).toBe('running')
    lookedAt = now
  }
  return true
}

describe.each(['memory', 'Redis'] as const)('a run in %s', (name) => {
  let backend: StateBackend

  beforeAll(async () => {
    backend = await STATE_BACKENDS[name]()
  })
  afterAll(() => backend.stop())

  async function start(leaseMs = 10_000, more: Partial<LeasedRunOptions<TestEvent>> = {}) {
    const store = await backend.open({ leaseMs })
    const id = Math.random().toString(36).slice(2)
    await store.create({ kind: 'session', id, owner: '-', token: id, head: {} })
    const address = { kind: 'session', id } as const
    const grant = await store.begin({ address, by: id, purpose: 'start' })
    if (grant.kind === 'repeated') throw new Error('repeated')
    const live: StateEvent[] = []
    const onEvent = (event: StateEvent) => live.push(event)
    const run = new LeasedRun({ store, lease: grant.lease, clock: systemClock, gather, onEvent, ...more })
    return { store, address, run, live, lease: grant.lease }
  }

  async function logged(
    store: StateStore,
    lease: { id: string; epoch: number },
  ): Promise<readonly LoggedEvent[]> {
    return store.events.range({ kind: 'session', id: lease.id }, `${lease.epoch}-1`, 10_000)
  }

  it('tells live what it stores, under the same ids, in order', async () => {
    const { store, run, live, lease } = await start()
    run.emit({ type: 'step.started' })
    expect(live.map(({ id }) => id)).toEqual([`${lease.epoch}-1`])
    let text = ''
    for (let index = 0; index < 300; index += 1) {
      text += `${index} `
      run.emit(delta(`${index} `))
      if (index % 50 === 49) await run.commit({ events: [{ type: 'tool.called', index }] })
      if (index % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await run.commit({ turn: { status: 'completed' }, events: [{ type: 'turn.completed' }] })
    const events = await logged(store, lease)
    // The log adds to the first event of an epoch what was before it.
    const [first, ...rest] = events
    expect([{ ...first, previous: undefined }, ...rest]).toEqual(
      live.map(({ id, type, json }) => ({ id, type, json })),
    )
    expect(live.map(({ json }) => JSON.parse(json))).toEqual(live.map(({ data }) => data))
    expect(first?.previous).toBe('')
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => `${lease.epoch}-${index + 1}`))
    const deltas = events.filter(({ type }) => type === 'text.delta')
    expect(deltas.map(textOf).join('')).toBe(text)
    expect(deltas.length).toBeLessThan(150)
    expect(events.at(-1)?.type).toBe('turn.completed')
  })

  it('writes commits in the order in which they were asked for, without waiting for each', async () => {
    const { store, run, lease } = await start()
    const commits = Array.from({ length: 40 }, (_, index) =>
      run.commit({ messages: [{ context: 'main', append: [{ index }] }] }),
    )
    await Promise.all([...commits, run.commit({ turn: { status: 'completed' } })])
    const { messages } = await store.messages.read({ kind: 'session', id: lease.id })
    expect(messages.map(({ index }) => index)).toEqual(commits.map((_, index) => index))
    await expect(run.commit({})).rejects.toMatchObject({ code: 'turn_interrupted' })
  })

  it('goes on after a commit that was refused for its contents', async () => {
    const { run } = await start()
    run.emit(delta('a'))
    await expect(run.commit({ messages: [{ context: 'nowhere' }] })).rejects.toMatchObject({
      code: 'context_not_found',
    })
    await run.commit({ turn: { status: 'completed' }, events: [{ type: 'turn.completed' }] })
  })

  it('keeps its lease while it waits', async () => {
    for (let isSeen = false; !isSeen; ) {
      const { store, address, run } = await start(SHORT_LEASE_MS)
      const status = async () => (await store.read(address)).status
      isSeen = await isRunningAllTheTime(status)
      run.close()
      await waitUntil(async () => (await status()) === 'interrupted', 'the end of the lease')
    }
  })

  it('sends what is emitted while it sends, with the next', async () => {
    const base = await start()
    base.run.close()
    const sizes: number[] = []
    let free = () => {}
    const slow = Object.create(base.store, {
      events: {
        value: {
          append: async (...[lease, batch]: Parameters<StateStore['events']['append']>) => {
            sizes.push(batch.events.length)
            await new Promise<void>((resolve) => {
              free = resolve
            })
            await base.store.events.append(lease, batch)
          },
        },
      },
      commit: { value: base.store.commit.bind(base.store) },
      onCancel: { value: base.store.onCancel.bind(base.store) },
    }) as StateStore
    const run = new LeasedRun({ store: slow, lease: base.lease, clock: systemClock })
    for (let count = 1; count <= 5; count += 1) {
      run.emit(delta(String(count)))
      await waitUntil(() => run.lastEvent === `${base.lease.epoch}-${count}`, 'the id')
    }
    expect(sizes).toEqual([1])
    free()
    await waitUntil(() => sizes.length === 2, 'the next append')
    free()
    await run.commit({ turn: { status: 'completed' } })
    expect(sizes).toEqual([1, 4])
    expect((await logged(base.store, base.lease)).map(textOf)).toEqual(['1', '2', '3', '4', '5'])
  })

  it('sends what nobody waits for with the next commit, or when the event loop turns', async () => {
    const base = await start()
    base.run.close()
    const sent: string[] = []
    const counting = Object.create(base.store, {
      events: {
        value: {
          append: (...what: Parameters<StateStore['events']['append']>) => {
            sent.push(`append of ${what[1].events.length}`)
            return base.store.events.append(...what)
          },
        },
      },
      commit: {
        value: (...what: Parameters<StateStore['commit']>) => {
          sent.push(`commit of ${what[1].messages?.length ?? 0} and ${what[1].events?.events.length ?? 0}`)
          return base.store.commit(...what)
        },
      },
      onCancel: { value: base.store.onCancel.bind(base.store) },
    }) as StateStore
    const run = new LeasedRun({ store: counting, lease: base.lease, clock: systemClock })
    const said = (text: string) => ({ messages: [{ context: 'main', append: [{ text }] }] })
    run.emit({ type: 'turn.started' })
    run.commitSoon(said('a'))
    await run.commit(said('b'))
    expect(sent).toEqual(['commit of 2 and 1'])
    run.commitSoon(said('c'))
    await waitUntil(() => sent.length === 2, 'a commit that nobody waits for')
    await run.commit({ turn: { status: 'completed' }, events: [{ type: 'turn.completed' }] })
    expect(sent).toEqual(['commit of 2 and 1', 'commit of 1 and 0', 'commit of 0 and 1'])
    const { messages } = await base.store.messages.read(base.address)
    expect(messages.map(({ text }) => text)).toEqual(['a', 'b', 'c'])
    expect((await logged(base.store, base.lease)).map(({ type }) => type)).toEqual([
      'turn.started',
      'turn.completed',
    ])
  })

  it('keeps what nobody is told live for a commit that takes it along', async () => {
    /** How many appends a turn needed whose event loop turned between its event and its end. */
    const appendsOfTurn = async () => {
      const base = await start()
      base.run.close()
      let appends = 0
      const append = (...what: Parameters<StateStore['events']['append']>) => {
        appends += 1
        return base.store.events.append(...what)
      }
      const counting = Object.create(base.store, {
        events: { value: { append } },
        commit: { value: base.store.commit.bind(base.store) },
        onCancel: { value: base.store.onCancel.bind(base.store) },
      }) as StateStore
      const run = new LeasedRun({ store: counting, lease: base.lease, clock: systemClock, gather })
      run.emit({ type: 'turn.started' })
      for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      await run.commit({ turn: { status: 'completed' }, events: [{ type: 'turn.completed' }] })
      const types = (await logged(base.store, base.lease)).map(({ type }) => type)
      expect(types).toEqual(['turn.started', 'turn.completed'])
      return appends
    }
    // A machine that stands still between the two sends the first alone.
    await waitUntil(async () => (await appendsOfTurn()) === 0, 'a turn without an append')
  })

  it('stores what nobody is told live soon, and what a refused commit did not take along', async () => {
    const { store, run, lease } = await start(10_000, { onEvent: () => {} })
    const alone = new LeasedRun({ store, lease, clock: systemClock, gather })
    run.close()
    alone.emit(delta('a'))
    await waitUntil(async () => (await logged(store, lease)).length === 1, 'the event alone')
    alone.emit(delta('b'))
    await expect(alone.commit({ messages: [{ context: 'nowhere' }] })).rejects.toMatchObject({
      code: 'context_not_found',
    })
    await waitUntil(async () => (await logged(store, lease)).length === 2, 'the event of the refused commit')
    alone.close()
  })

  it('does not act on an answer that is older than the lease: another may have the turn', async () => {
    const base = await start(150)
    base.run.close()
    let thaw = () => {}
    const thawed = new Promise<void>((resolve) => {
      thaw = resolve
    })
    // A process that stands still: what it sent arrives, and it reads the answer much later.
    const frozen = Object.create(base.store, {
      commit: {
        value: async (...what: Parameters<StateStore['commit']>) => {
          const reply = await base.store.commit(...what)
          await thawed
          return reply
        },
      },
      renew: {
        value: async (...what: Parameters<StateStore['renew']>) => {
          await thawed
          return base.store.renew(...what)
        },
      },
      onCancel: { value: base.store.onCancel.bind(base.store) },
    }) as StateStore
    const run = new LeasedRun({ store: frozen, lease: base.lease, clock: systemClock })
    const intended = run.commit({ events: [{ type: 'tool.called' }] })
    const isTakenFrom = async () => (await base.store.read(base.address)).status === 'interrupted'
    await waitUntil(isTakenFrom, 'the end of the lease')
    await base.store.begin({ address: base.address, by: 'another', purpose: 'resume' })
    thaw()
    await expect(intended).rejects.toMatchObject({ code: 'turn_interrupted' })
    expect(run.signal.reason).toMatchObject({ code: 'turn_interrupted' })
  })

  it('hears a cancel, and still commits', async () => {
    const { store, address, run } = await start()
    await (await backend.open({ leaseMs: 10_000 })).cancel(address)
    await waitUntil(() => run.signal.aborted, 'the cancel')
    expect(run.signal.reason).toBeInstanceOf(CancelRequested)
    await run.commit({ turn: { status: 'cancelled' } })
    expect((await store.turns.read(address, 1)).status).toBe('cancelled')
  })

  it('stops when another took its turn', async () => {
    const { store, address, run, lease } = await start(150)
    run.close()
    await waitUntil(async () => (await store.read(address)).status === 'interrupted', 'the end of the lease')
    const late = new LeasedRun({ store, lease, clock: systemClock })
    await store.begin({ address, by: 'another', purpose: 'resume' })
    await expect(late.commit({})).rejects.toMatchObject({ code: 'turn_interrupted' })
    expect(late.signal.reason).toMatchObject({ code: 'turn_interrupted' })
    late.emit(delta('nobody hears this'))
    expect(await logged(store, lease)).toEqual([])
  })
})
