import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { MAX_SMALL_CHUNKS_TOGETHER } from '../../../src/http/limits.js'
import { mayReadOn } from '../../../src/http/requests/small-chunks.js'

/** A request whose connection says when it is read on. */
function request(name: string, readOn: string[]): Readable {
  return new Readable({ read: () => void readOn.push(name) })
}

/** Whether the connection may be read on after each of these chunks. */
function taken(of: Readable, count: number, length = 1): readonly boolean[] {
  return Array.from({ length: count }, () => mayReadOn(of, length))
}

describe('small chunks', () => {
  it('stop a connection once they are many in one turn of the loop, and only once', async () => {
    await turn()
    const readOn: string[] = []
    const answers = taken(request('a', readOn), MAX_SMALL_CHUNKS_TOGETHER + 10)
    expect(answers.indexOf(false)).toBe(MAX_SMALL_CHUNKS_TOGETHER)
    expect(answers.filter((mayGoOn) => !mayGoOn)).toHaveLength(1)
    expect(readOn).toEqual([])
    await turn()
    expect(readOn).toEqual(['a'])
  })

  it('of several connections are read one after the other, one in each turn', async () => {
    await turn()
    const readOn: string[] = []
    for (const name of ['a', 'b', 'c']) taken(request(name, readOn), MAX_SMALL_CHUNKS_TOGETHER + 1)
    const seen: string[] = []
    for (let index = 0; index < 4; index += 1) {
      await turn()
      seen.push(readOn.join(''))
    }
    expect(seen).toEqual(['a', 'ab', 'abc', 'abc'])
  })

  it('count anew in each turn, and larger ones do not', async () => {
    await turn()
    const readOn: string[] = []
    const one = request('a', readOn)
    expect(taken(one, MAX_SMALL_CHUNKS_TOGETHER)).not.toContain(false)
    expect(taken(one, 5_000, 64)).not.toContain(false)
    await turn()
    expect(taken(one, MAX_SMALL_CHUNKS_TOGETHER)).not.toContain(false)
    await turn()
    expect(readOn).toEqual([])
  })
})
