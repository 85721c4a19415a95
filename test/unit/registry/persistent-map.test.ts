import { describe, expect, it, vi } from 'vitest'
import { hashOf } from '../../../src/registry/hash-of.js'
import { PersistentMap } from '../../../src/registry/persistent-map.js'
import { createRandom } from '../../support/random.js'

function mapOf<Value>(entries: Iterable<readonly [string, Value]>): PersistentMap<Value> {
  const draft = new PersistentMap<Value>().edit()
  for (const [key, value] of entries) draft.set(key, value)
  return draft.commit()
}

const sorted = (map: Iterable<readonly [string, unknown]>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

/** How many places of lists are copied meanwhile. */
function placesCopied(work: () => void): number {
  let places = 0
  const restored = (['slice', 'concat', 'with', 'filter'] as const).map((name) => {
    const original = Array.prototype[name]
    const counting = function (this: unknown[], ...given: unknown[]) {
      places += this.length
      return Reflect.apply(original, this, given)
    }
    Object.defineProperty(Array.prototype, name, { value: counting, configurable: true, writable: true })
    return () =>
      Object.defineProperty(Array.prototype, name, { value: original, configurable: true, writable: true })
  })
  try {
    work()
  } finally {
    for (const restore of restored) restore()
  }
  return places
}

describe('the persistent map', () => {
  it('is a map whose versions all stay valid', () => {
    const random = createRandom(1)
    let map = new PersistentMap<number>()
    const model = new Map<string, number>()
    const versions: {
      map: PersistentMap<number>
      model: Map<string, number>
      ids: readonly string[] | undefined
    }[] = []
    for (let round = 0; round < 400; round += 1) {
      const draft = map.edit()
      for (let change = random.below(30); change > 0; change -= 1) {
        const key = `k${random.below(300)}`
        if (random.below(3) === 0) {
          draft.delete(key)
          model.delete(key)
        } else {
          draft.set(key, round)
          model.set(key, round)
        }
      }
      map = draft.commit()
      // Sometimes the ids are asked for and sometimes not: they are followed from the last version that knew them.
      versions.push({ map, model: new Map(model), ids: random.below(3) === 0 ? map.ids() : undefined })
    }
    for (const version of versions.filter((_, index) => index % 20 === 7)) {
      expect(version.map.size).toBe(version.model.size)
      expect(sorted(version.map)).toEqual(sorted(version.model))
      expect(version.ids ?? version.map.ids()).toEqual([...version.model.keys()].sort())
    }
  })

  it('keeps keys apart whose hashes are equal', () => {
    const keys = ['costarring', 'liquid', 'declinate', 'macallums', 'altarage', 'zinke']
    const map = mapOf(keys.map((key, index) => [key, index]))
    expect(keys.map((key) => map.get(key))).toEqual(keys.map((_, index) => index))
    const draft = map.edit()
    draft.delete(keys[0] as string)
    const rest = draft.commit()
    expect(rest.has(keys[0] as string)).toBe(false)
    expect(rest.get(keys[1] as string)).toBe(1)
    expect(map.get(keys[0] as string)).toBe(0)
  })

  it('is asked for a very long key at the price of a short one', () => {
    const long = 'a'.repeat(240_000)
    const looks = vi.spyOn(String.prototype, 'charCodeAt')
    expect(mapOf([['a', 1]]).get(long)).toBeUndefined()
    expect(looks.mock.calls.length).toBeLessThan(5_000)
    looks.mockRestore()
  })

  it('tells long keys apart by their ends and their lengths, and keeps apart what differs in between', () => {
    const around = (middle: string) => `${'a'.repeat(2_000)}${middle}${'b'.repeat(2_000)}`
    const keys = [around('x'), around('y'), around(''), `c${around('x')}`, `${around('x')}c`]
    expect(new Set(keys.map(hashOf)).size).toBe(keys.length - 1)
    const map = mapOf(keys.map((key, index) => [key, index]))
    expect(keys.map((key) => map.get(key))).toEqual(keys.map((_, index) => index))
  })

  it('says the same while and after its room is given back, and so do drafts of it', () => {
    const entries = Array.from({ length: 1_000 }, (_, index) => [`k${index}`, index] as const)
    const map = mapOf(entries)
    const draft = map.edit()
    draft.set('k1', -1)
    const work = map.trim()
    for (let step = 0; work.next().done !== true; step += 1) draft.set(`new ${step}`, step)
    const after = draft.commit()
    expect(sorted(map)).toEqual(sorted(entries))
    expect(after.size).toBeGreaterThan(1_010)
    expect([after.get('k1'), after.get('k999'), after.get('new 0')]).toEqual([-1, 999, 0])
  })

  it('is the same map when nothing changed', () => {
    const map = mapOf([['a', 1]])
    const draft = map.edit()
    draft.set('a', 1)
    draft.delete('b')
    expect(draft.commit()).toBe(map)
  })

  it('is not changed by a draft that writes on after it was committed', () => {
    const draft = new PersistentMap<number>().edit()
    for (let key = 0; key < 100; key += 1) draft.set(`k${key}`, 1)
    const committed = draft.commit()
    for (let key = 0; key < 200; key += 1) draft.set(`k${key}`, 2)
    draft.delete('k0')
    expect([committed.size, committed.get('k0'), committed.get('k1'), committed.has('k150')]).toEqual([
      100,
      1,
      1,
      false,
    ])
    expect([...committed].every(([, value]) => value === 1)).toBe(true)
    expect([draft.commit().size, draft.commit().get('k1')]).toEqual([199, 2])
  })

  it('shares what it does not change', () => {
    const map = mapOf(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]))
    const change = (key: string) => {
      const draft = map.edit()
      draft.set(key, -1)
      draft.commit()
    }
    expect(placesCopied(() => change('k7'))).toBeGreaterThan(0)
    for (let key = 0; key < 100; key += 1) expect(placesCopied(() => change(`k${key}`))).toBeLessThan(300)
  })

  it('copies what a build touches once, however often it does', () => {
    const map = mapOf([['a', 0]])
    const draft = map.edit()
    draft.set('a', 1)
    expect(placesCopied(() => draft.set('a', 2))).toBe(0)
    expect(placesCopied(() => draft.set('b', 3))).toBe(0)
    expect(sorted(draft.commit())).toEqual([
      ['a', 2],
      ['b', 3],
    ])
    expect(sorted(map)).toEqual([['a', 0]])
  })
})

describe('ids that are prepared', () => {
  it('are the sorted ones, also after changes and when asked for meanwhile', async () => {
    const turns: number[] = []
    const slicer = {
      begin: () => {},
      turn: () => {
        turns.push(1)
        return Promise.resolve()
      },
    }
    const keys = Array.from({ length: 20_001 }, (_, index) => `k${(index * 7919) % 20_001}`)
    let map = mapOf(keys.map((key): [string, number] => [key, 1]))
    const preparing = map.prepareIds(slicer)
    expect(map.ids()).toEqual([...keys].sort())
    await preparing
    expect(map.prepareIds(slicer)).toBeUndefined()
    expect(turns.length).toBeGreaterThan(4)
    const draft = map.edit()
    draft.delete('k5')
    draft.set('k', 2)
    draft.set('zz', 3)
    map = draft.commit()
    await map.prepareIds(slicer)
    expect(map.ids()).toEqual(['k', ...keys.filter((key) => key !== 'k5'), 'zz'].sort())
  })
})
