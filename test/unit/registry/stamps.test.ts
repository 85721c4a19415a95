import { describe, expect, it } from 'vitest'
import { Catalog } from '../../../src/registry/catalog.js'
import { Stamp, StampClock } from '../../../src/registry/stamp.js'
import { createWatchedEngine } from '../../support/watched-engine.js'

const ADDRESS = { kind: 'environs', path: ['a'] } as const
const KEY = 'environs:a'

function documentOf(text: string) {
  return { ...ADDRESS, location: 'a', content: { kind: 'text', text, format: 'json' } } as const
}

function createCatalog() {
  const catalog = new Catalog(createWatchedEngine())
  const value = () => catalog.commit()?.snapshot.environs.get('a')?.value
  return { catalog, value, stamps: new StampClock() }
}

describe('the stamp of an answer', () => {
  it('is older than those of later questions, and not than itself', () => {
    const stamps = new StampClock()
    const [first, second] = [stamps.next(), stamps.next()]
    expect(first.isOlderThan(second)).toBe(true)
    expect(second.isOlderThan(first)).toBe(false)
    expect(first.isOlderThan(first)).toBe(false)
    expect(new Stamp(1).isOlderThan(second)).toBe(true)
  })

  it('keeps an answer to an earlier question from replacing one to a later question', () => {
    const { catalog, value, stamps } = createCatalog()
    const [early, late] = [stamps.next(), stamps.next()]
    expect(catalog.put(documentOf('2'), late)).toBe(true)
    expect(catalog.put(documentOf('1'), early)).toBe(false)
    expect(catalog.remove(ADDRESS, early)).toBe(false)
    expect(value()).toBe(2)
  })

  it('keeps a removed document from coming back with an earlier answer, until all of them are in', () => {
    const { catalog, value, stamps } = createCatalog()
    const [early, late] = [stamps.next(), stamps.next()]
    catalog.put(documentOf('1'), early)
    catalog.remove(ADDRESS, late)
    expect(catalog.put(documentOf('1'), early)).toBe(false)
    catalog.forgetRemoved()
    expect(catalog.put(documentOf('1'), early)).toBe(true)
    expect(value()).toBe(1)
  })

  it('tells a load which documents no answer had since it began', () => {
    const { catalog, stamps } = createCatalog()
    const unseen = (begun: Stamp) => [...catalog.unseen(begun)].filter((address) => address !== undefined)
    catalog.put(documentOf('1'), stamps.next())
    const begun = stamps.next()
    expect(unseen(begun)).toEqual([ADDRESS])
    expect(catalog.confirm(KEY, Buffer.from('1'), stamps.next())).toBe(true)
    expect(unseen(begun)).toEqual([])
    const again = stamps.next()
    catalog.put(documentOf('2'), stamps.next())
    expect(unseen(again)).toEqual([])
  })
})
