import { expect, inject, it, onTestFinished } from 'vitest'
import type { StateStore } from '../../../src/state/state-store.js'
import { redisBackend } from '../../support/state-backends.js'
import { openTcpProxy } from '../../support/tcp-proxy.js'
import { waitUntil } from '../../support/wait-until.js'

const LEASE_MS = 100
const newName = () => Math.random().toString(36).slice(2)

/** A session of which one replica begins a turn, whose reply is lost until the other one has taken it. */
async function turnThatAnotherTook(end: (other: StateStore, lease: Lease) => Promise<unknown>) {
  const proxy = await openTcpProxy(Number(new URL(inject('redisUrl')).port))
  const backend = redisBackend(proxy.url, async () => {})
  onTestFinished(async () => {
    await backend.stop()
    await proxy.close()
  })
  const store = await backend.open({ leaseMs: LEASE_MS })
  const other = await backend.open({ leaseMs: 10_000, url: inject('redisUrl') })
  const address = { kind: 'session', id: newName() } as const
  await store.create({ ...address, owner: '-', token: newName(), head: {} })
  proxy.swallowReply({ isDown: true })
  const begun = store.begin({ address, by: newName(), purpose: 'start', input: { text: 'once' } })
  await waitUntil(async () => (await other.read(address)).status === 'interrupted', 'the end of the lease')
  const grant = await other.begin({ address, by: newName(), purpose: 'resume', turn: 1 })
  if (grant.kind === 'repeated') throw new Error('repeated')
  await end(other, grant.lease)
  proxy.restore()
  return { begun: await begun, session: await other.read(address) }
}

type Lease = Parameters<StateStore['commit']>[0]

it.each([
  { name: 'ended', end: (other: StateStore, lease: Lease) => other.commit(lease, ENDED) },
  { name: 'is running', end: async () => {} },
])(
  'finds the turn that it began although its reply was lost, which another replica $name',
  async ({ end }) => {
    const { begun, session } = await turnThatAnotherTook(end)
    expect(begun).toEqual({ kind: 'repeated', turn: 1 })
    expect(session.turn).toBe(1)
  },
)

const ENDED = { n: 1, turn: { status: 'completed', result: {} } } as const
