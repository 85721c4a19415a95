import { expect, it } from 'vitest'
import { observeLeases } from '../../../src/state/lease-observer.js'
import { LeasedRun } from '../../../src/state/leased-run.js'
import { createMemoryState } from '../../../src/state/memory-state.js'
import { unavailable } from '../../../src/state/state-errors.js'
import type { StateStore } from '../../../src/state/state-store.js'
import { createMetrics } from '../../../src/util/telemetry/metrics.js'
import { createFakeClock } from '../../support/fake-clock.js'
import { recordingLogger } from '../../support/recording-logger.js'

const LEASE_MS = 1_000
const ADDRESS = { kind: 'session', id: 's' } as const

async function begin(store: StateStore, by: string, purpose: 'start' | 'resume' = 'start') {
  const begun = await store.begin({ address: ADDRESS, by, purpose, input: {} })
  if (begun.kind === 'repeated') throw new Error('repeated')
  return begun.lease
}

it('counts leases that are lost, turns that are taken over and writes that are refused, and logs the first two', async () => {
  const clock = createFakeClock()
  const metrics = createMetrics()
  const { logger, lines } = recordingLogger()
  const observer = observeLeases(metrics, logger)
  const store = createMemoryState({ clock, leaseMs: LEASE_MS, ttlMs: 3_600_000 })
  await store.create({ ...ADDRESS, owner: '-', token: 't', head: {} })

  const first = new LeasedRun({ store, lease: await begin(store, 'a'), clock, observer })
  clock.advance(LEASE_MS + 1)
  const second = await begin(store, 'b', 'resume')
  observer.takenOver(second, 1)
  await expect(first.commit({})).rejects.toMatchObject({ code: 'turn_interrupted' })

  // A store that is away for the whole lease.
  store.commit = () => Promise.reject(unavailable('away'))
  const cut = new LeasedRun({ store, lease: second, clock, observer })
  await expect(cut.commit({})).rejects.toMatchObject({ code: 'turn_interrupted' })

  const counted = metrics.counters.map(({ name, series }) => [
    name,
    [...series.values()].map(({ labels, series: count }) => [...labels, count.value]),
  ])
  expect(Object.fromEntries(counted)).toMatchObject({
    state_leases_lost_total: [
      ['session', 'refused', 1],
      ['session', 'expired', 1],
    ],
    state_takeovers_total: [['session', 1]],
    state_writes_refused_total: [
      ['session', 'fenced', 1],
      ['session', 'unavailable', expect.any(Number)],
    ],
  })
  const told = { session: 's', turn: 1, level: 'warn' }
  expect(lines()).toMatchObject([
    { ...told, msg: 'taken over', attempt: 1, epoch: second.epoch },
    { ...told, msg: 'lease lost', cause: 'refused' },
    { ...told, msg: 'lease lost', cause: 'expired', epoch: second.epoch },
  ])
  await store.close()
})
