import { expect, it } from 'vitest'
import { createServedCounter } from '../../../src/prompts/served-counter.js'
import { createMetrics } from '../../../src/util/telemetry/metrics.js'

type Rendered = Parameters<ReturnType<typeof createServedCounter>>[0]

function rendered(id: string, number: number, label?: string): Rendered {
  const prompt = { id } as NonNullable<Rendered['prompt']>
  return { prompt, served: { number, digest: '', label, bucket: undefined } }
}

it('counts the renders of 1,000 versions and labels one by one, and all others together', () => {
  const metrics = createMetrics()
  const count = createServedCounter(metrics)
  for (const label of ['production', undefined])
    for (let number = 1; number <= 1_500; number += 1) count(rendered('a.b', number, label))
  count({ prompt: rendered('a.b', 1).prompt, served: undefined })
  const [family] = metrics.counters
  const all = [...(family?.series.values() ?? [])].map(({ labels, series }) => [labels, series.value])
  expect(all).toHaveLength(1_001)
  expect(all[999]).toEqual([['a.b', '1000', 'production'], 1])
  expect(all[1_000]).toEqual([['other', 'other', 'other'], 2_000])
})
