import { describe, expect, it } from 'vitest'
import { createChangeFeed, type FeedEntry } from '../../../src/registry/change-feed.js'
import type { DocumentCondition, RegistryChange } from '../../../src/registry/registry.js'

type Listener = (
  changes: readonly RegistryChange[],
  snapshot: undefined,
  conditions: readonly DocumentCondition[],
) => void

function open(capacity: number) {
  let listener: Listener = () => {}
  const subscribe = (given: unknown) => {
    listener = given as Listener
    return () => {}
  }
  const feed = createChangeFeed({ subscribe }, capacity)
  const tell = (...ids: string[]) =>
    listener(
      ids.map((id) => ({ kind: 'prompt', id, revision: 'r', change: 'changed' })),
      undefined,
      [],
    )
  return { feed, tell }
}

const idsOf = (entries: readonly FeedEntry[] | undefined) => entries?.map(({ change }) => change.id)

describe('the change feed', () => {
  it('replays everything after an event', () => {
    const { feed, tell } = open(100)
    const start = feed.lastId
    tell('a', 'b')
    const middle = feed.lastId
    tell('c')
    expect(idsOf(feed.after(start))).toEqual(['a', 'b', 'c'])
    expect(idsOf(feed.after(middle))).toEqual(['c'])
    expect(idsOf(feed.after(feed.lastId))).toEqual([])
  })

  it('does not know events of another process, of the future, or nonsense', () => {
    const { feed, tell } = open(100)
    tell('a')
    const [mark] = feed.lastId.split('-')
    for (const id of ['', 'x', 'ffffffff-0', `${mark}-2`, `${mark}-`, `${mark}--1`, `${mark}-1e3`])
      expect(feed.after(id), id).toBeUndefined()
  })

  it('keeps at least its capacity, and says when an event is too long ago', () => {
    const { feed, tell } = open(10)
    const ids = [feed.lastId]
    for (let index = 0; index < 100; index += 1) {
      tell(`k${index}`)
      ids.push(feed.lastId)
    }
    expect(idsOf(feed.after(ids[90] as string))).toEqual(
      Array.from({ length: 10 }, (_, index) => `k${index + 90}`),
    )
    expect(feed.after(ids[10] as string)).toBeUndefined()
  })

  it('tells followers until they end', () => {
    const { feed, tell } = open(10)
    const seen: string[] = []
    const end = feed.follow((entries) => void seen.push(...entries.map(feed.idOf)))
    tell('a', 'b')
    end()
    tell('c')
    const [mark] = feed.lastId.split('-')
    expect(seen).toEqual([`${mark}-1`, `${mark}-2`])
  })
})
