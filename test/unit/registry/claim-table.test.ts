import { describe, expect, it } from 'vitest'
import { ClaimTable, changesOf } from '../../../src/registry/claim-table.js'

interface Entry {
  readonly revision: string
  readonly location: string
  readonly rank: number
}

const entry = (location: string, rank = 0, revision = 'r1'): Entry => ({ location, rank, revision })
const open = () => new ClaimTable<Entry>({ rankOf: ({ rank }) => rank })

describe('a table of claims', () => {
  it.each([
    ['the only one', [entry('b')], 'b', []],
    ['the lowest location', [entry('b'), entry('a'), entry('c')], 'a', ['b', 'c']],
    ['the lowest rank wherever it is', [entry('a', 1), entry('z', 0)], 'z', []],
    ['one of the lowest rank', [entry('a', 1), entry('z'), entry('y')], 'y', ['z']],
    ['one place once', [entry('a'), entry('a', 0, 'r2')], 'a', []],
  ])('gives the id to %s', (_name, claims, winner, losers) => {
    const table = open()
    for (const each of claims) table.claim('id', each)
    expect(table.commit().after.get('id')?.location).toBe(winner)
    expect([...table.lost()].map(({ entry: { location } }) => location)).toEqual(losers)
  })

  it('gives it to the next one when the winner goes, and to nobody after the last', () => {
    const table = open()
    for (const location of ['a', 'b']) table.claim('id', entry(location))
    table.release('id', 'a')
    expect(table.commit().after.get('id')?.location).toBe('b')
    expect([...table.lost()]).toEqual([])
    table.release('id', 'b')
    expect(table.commit().after.get('id')).toBeUndefined()
  })

  it.each<[string, (table: ClaimTable<Entry>) => void, object[]]>([
    ['nothing', () => {}, []],
    ['the same again', (table) => table.claim('id', entry('b')), []],
    [
      'a new revision',
      (table) => table.claim('id', entry('b', 0, 'r2')),
      [{ revision: 'r2', change: 'changed' }],
    ],
    ['a loser', (table) => table.claim('id', entry('c', 0, 'r2')), []],
    [
      'a new winner',
      (table) => table.claim('id', entry('a', 0, 'r2')),
      [{ revision: 'r2', change: 'changed' }],
    ],
    [
      'another id',
      (table) => table.claim('new', entry('b')),
      [{ id: 'new', revision: 'r1', change: 'added' }],
    ],
    ['one less', (table) => table.release('id', 'b'), [{ revision: null, change: 'removed' }]],
    ['a stranger released', (table) => table.release('id', 'x'), []],
  ])('tells of %s', (_name, change, expected) => {
    const table = open()
    table.claim('id', entry('b'))
    table.commit()
    change(table)
    expect(changesOf('prompt', table.commit())).toEqual(
      expected.map((each) => ({ kind: 'prompt', id: 'id', ...each })),
    )
  })
})
