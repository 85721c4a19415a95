import { expect, it } from 'vitest'
import type { LeaseObserver } from '../../../../src/state/lease-observer.js'
import { createMemoryState } from '../../../../src/state/memory-state.js'
import { createScriptedModel } from '../../../../src/testing/scripted-model.js'
import { createFakeClock } from '../../../support/fake-clock.js'
import { openTestSessions, turnRequest } from '../../../support/open-sessions.js'

const LEASE_MS = 10_000
const call = (n: number) => `<tool_call>{"name": "pay", "arguments": {"n": ${n}}}</tool_call>`

it('a process that stood still while another took its turn over calls no further tool', async () => {
  const clock = createFakeClock()
  const store = createMemoryState({ clock, leaseMs: LEASE_MS, ttlMs: 3_600_000 })
  await store.open()
  const paid: unknown[] = []
  const losses: unknown[] = []
  const leases: LeaseObserver = {
    lost: (lease, cause) => losses.push([lease.kind, cause]),
    refused: (_, reason) => losses.push(reason),
    takenOver: () => {},
  }
  const sessions = openTestSessions({
    store,
    clock,
    leases,
    leaseMs: LEASE_MS,
    model: createScriptedModel([`${call(1)}${call(2)}`]),
    agent: { protocol: 'hermes' },
    tools: [
      {
        name: 'pay',
        async execute({ n }) {
          paid.push(n)
          // Nothing of this process runs, its timers neither, and another one takes the turn.
          clock.advance(LEASE_MS + 1)
          const address = { kind: 'session', id: 's' } as const
          const taken = await store.begin({ address, by: 'another', purpose: 'resume' })
          if (taken.kind === 'repeated') throw new Error('repeated')
          await store.commit(taken.lease, { n: 1, turn: { status: 'cancelled' } })
          return 'paid'
        },
      },
    ],
  })
  await sessions.create(
    { owner: '-', agent: 'a', id: 's', variables: {} },
    { requestId: 'r', signal: new AbortController().signal },
  )
  const started = await sessions.turns.start({ kind: 'session', id: 's' }, turnRequest('pay both'))
  // What the other process made of it.
  await expect(started.outcome()).resolves.toMatchObject({ kind: 'cancelled' })
  expect(paid).toEqual([1])
  expect(losses).toEqual(['fenced', ['session', 'refused']])
  await store.close()
})
