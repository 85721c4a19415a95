import { describe, expect, it } from 'vitest'
import { KeptPages } from '../../../src/http/answers/kept-pages.js'

describe('large pages of lists', () => {
  it('are made once for one state of the catalog, and anew for the next', async () => {
    const kept = new KeptPages()
    const made: string[] = []
    const find = (state: object, name: string) =>
      kept.find(state, name, async () => {
        made.push(name)
        return Buffer.from(`${name} ${made.length}`)
      })
    const [one, other] = [{}, {}]
    const first = await find(one, 'a')
    expect(await find(one, 'a')).toBe(first)
    await find(one, 'b')
    await find(other, 'a')
    expect(made).toEqual(['a', 'b', 'a'])
  })

  it('are made again after a failure', async () => {
    const kept = new KeptPages()
    const state = {}
    await expect(kept.find(state, 'a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect((await kept.find(state, 'a', async () => Buffer.from('there'))).toString()).toBe('there')
  })

  it('are no more than a few of one state', async () => {
    const kept = new KeptPages()
    const state = {}
    let made = 0
    const find = (name: number) =>
      kept.find(state, String(name), async () => {
        made += 1
        return Buffer.from('x')
      })
    for (let round = 0; round < 2; round += 1) for (let page = 0; page < 20; page += 1) await find(page)
    expect(made).toBe(24)
  })
})
