import { describe, expect, it } from 'vitest'
import {
  type HistoryEntry,
  type HistoryFact,
  makeEntry,
  readEntry,
  verifyChain,
  writeEntry,
} from '../../../src/versions/history-entry.js'

const digest = 'a'.repeat(64)
const facts: readonly HistoryFact[] = [
  {
    action: 'publish',
    at: '2026-11-23T17:00:00.000Z',
    by: 'ann',
    note: 'first',
    targets: [{ version: 1, digest }],
  },
  {
    action: 'promote',
    at: '2026-11-23T17:01:00.000Z',
    label: 'production',
    sequence: 1,
    targets: [{ version: 1, digest }],
  },
  {
    action: 'promote',
    at: '2026-11-23T17:02:00.000Z',
    label: 'production',
    sequence: 2,
    targets: [
      { version: 1, digest, share: 95 },
      { version: 2, digest, share: 5 },
    ],
    forced: 'check',
  },
  { action: 'remove', at: '2026-11-23T17:03:00.000Z', label: 'production', targets: [] },
]
const chain: HistoryEntry[] = []
for (const fact of facts) chain.push(makeEntry(chain.at(-1)?.digest ?? '', fact))

describe('a history', () => {
  it('is read as it was written, and holds', () => {
    const read = chain.map((entry) => readEntry(writeEntry(entry)))
    expect(read).toEqual(chain)
    expect(verifyChain(read)).toEqual([])
  })

  it('has the digests that it always had', () =>
    expect(chain.at(-1)?.digest).toBe('229e78d33c382b5ea67353ec401be085a89f89cc2e63dd6d785687d0444629ec'))

  const without = (index: number) => chain.filter((_each, other) => other !== index)
  const changed = chain.map((entry, index) => (index === 1 ? { ...entry, by: 'eve' } : entry))

  it.each<[string, readonly (HistoryEntry | undefined)[], unknown]>([
    ['its beginning is gone', without(0), [{ index: 0, kind: 'missing' }]],
    ['an entry is gone', without(1), [{ index: 1, kind: 'missing' }]],
    ['an entry was changed', changed, [{ index: 1, kind: 'changed' }]],
    [
      'an entry cannot be read',
      chain.map((entry, index) => (index === 1 ? undefined : entry)),
      [{ index: 1, kind: 'unreadable' }],
    ],
    ['nothing', [], []],
  ])('tells that %s', (_name, entries, gaps) => expect(verifyChain(entries)).toEqual(gaps))

  it.each(['', '{', '[]', '{"action":"rewrite"}', '{}'])('does not take %j for an entry', (text) =>
    expect(readEntry(text)).toBeUndefined(),
  )
})
