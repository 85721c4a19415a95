import { describe, expect, it } from 'vitest'
import { betterThan, paretoFront } from '../../../src/proof/improve/choose-candidate.js'
import { splitTests } from '../../../src/proof/improve/split-tests.js'
import type { PlacedTest } from '../../../src/proof/tested-prompts.js'

const scored = (name: string, passed: number, tokens: number, heldOut = 0) => ({
  name,
  train: { passed, tokens },
  heldOut: { passed: heldOut },
})
const namesOf = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name)

describe('the front of candidates', () => {
  it('has those that no other beats by passes and tokens', () => {
    const all = [
      scored('now', 2, 100),
      scored('worse', 2, 101),
      scored('short', 1, 10),
      scored('best', 4, 300),
    ]
    expect(namesOf(paretoFront(all))).toEqual(['now', 'short', 'best'])
    expect(namesOf(paretoFront([scored('first', 2, 9), scored('same', 2, 9)]))).toEqual(['first'])
    expect(paretoFront([])).toEqual([])
  })

  it.each([
    { name: 'passes more of both', candidate: scored('a', 4, 200, 2), isBetter: true },
    { name: 'passes as many with fewer tokens', candidate: scored('a', 2, 99, 1), isBetter: true },
    { name: 'passes as many with as many tokens', candidate: scored('a', 2, 100, 1), isBetter: false },
    { name: 'passes more of what it learned from only', candidate: scored('a', 4, 50, 0), isBetter: false },
    {
      name: 'passes more held-out tests and fewer others',
      candidate: scored('a', 1, 50, 2),
      isBetter: false,
    },
  ])('is better than what there is: one that $name: $isBetter', ({ candidate, isBetter }) => {
    expect(betterThan(scored('now', 2, 100, 1), [candidate])?.name).toBe(isBetter ? 'a' : undefined)
  })

  it('is not better for being short, where nothing passes', () => {
    expect(betterThan(scored('now', 0, 100), [scored('short', 0, 5)])).toBeUndefined()
  })

  it('gives the one that does best on what it never saw', () => {
    const all = [scored('a', 5, 90, 1), scored('b', 4, 120, 2), scored('c', 4, 110, 2)]
    expect(betterThan(scored('now', 2, 100, 1), all)?.name).toBe('c')
  })
})

describe('held-out tests', () => {
  const tests = (names: readonly string[]) =>
    names.map((name) => ({ test: { name } }) as unknown as PlacedTest)
  const named = (all: readonly PlacedTest[]) => all.map(({ test: { name } }) => name)
  const NAMES = Array.from({ length: 200 }, (_, index) => `test ${index}`)

  it('are about as many as asked for, and no other moves when one is added', () => {
    const all = splitTests(tests(NAMES), 30)
    expect(all.heldOut.length).toBeGreaterThan(40)
    expect(all.heldOut.length).toBeLessThan(80)
    expect([...named(all.train), ...named(all.heldOut)].sort()).toEqual([...NAMES].sort())
    const fewer = splitTests(tests(NAMES.slice(0, 150)), 30)
    expect(named(all.heldOut)).toEqual(expect.arrayContaining(named(fewer.heldOut)))
  })

  it.each([0, 100])('leave at least one in each part at %d per cent', (percent) => {
    const { train, heldOut } = splitTests(tests(NAMES.slice(0, 3)), percent)
    expect([train.length, heldOut.length].sort()).toEqual([1, 2])
    expect(() => splitTests(tests(['one']), percent)).toThrow('two are needed')
  })
})
