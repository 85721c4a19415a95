import { describe, expect, it } from 'vitest'
import { DoubtfulEntrance } from '../../../src/prompts/doubtful-entrance.js'
import type { CompiledPrompt } from '../../../src/registry/registry.js'
import { at } from '../../../src/util/at.js'
import { overloaded } from '../../../src/util/errors/overloaded.js'
import { Turns } from '../../../src/util/slices/turns.js'

const SHORT_MS = 0.5
const SLOW_MS = 10

function open() {
  const clock = { now: 1 }
  const now = () => clock.now
  const turns = new Turns({ now, patienceMs: 250 })
  const entrance = new DoubtfulEntrance({ turns, refusal: overloaded, now, later: () => {} })
  let made = 0
  /** A prompt whose last renders took this long. */
  const prompt = (...took: readonly number[]) => {
    made += 1
    return compiled(`r${made}`, took)
  }
  const compiled = (revision: string, took: readonly number[] = []) => {
    const made = { kind: 'messages', revision, messages: [] } satisfies CompiledPrompt
    for (const ms of took) entrance.begin(made).end(ms, true)
    return made
  }
  /** Many wait to begin; nobody does before the next turn of the loop. */
  const fill = (count: number, each: CompiledPrompt) =>
    Array.from({ length: count }, () => entrance.wait(each))
  return { clock, turns, entrance, prompt, compiled, fill }
}

const loopTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Begins once it may, and says so. */
async function begin(
  entrance: DoubtfulEntrance,
  prompt: CompiledPrompt,
  begun: string[],
  name: string,
  caller?: string,
) {
  await entrance.wait(prompt, caller)
  begun.push(name)
  return entrance.begin(prompt)
}

describe('a doubted render', () => {
  it.each([
    ['nothing is known of', []],
    ['was slow', [SLOW_MS, SLOW_MS, SLOW_MS]],
    ['was short', [SHORT_MS]],
  ])('of a prompt that %s begins at once while nobody waits', (_name, took) => {
    const { entrance, prompt } = open()
    expect(entrance.wait(prompt(...took))).toBeUndefined()
  })

  it('waits while others do, unless the last ones of its prompt were short', async () => {
    const { turns, entrance, prompt } = open()
    const waiting = turns.next()
    expect(entrance.wait(prompt())).toBeInstanceOf(Promise)
    expect(entrance.wait(prompt(SLOW_MS, SLOW_MS, SLOW_MS))).toBeInstanceOf(Promise)
    expect(entrance.wait(prompt(SHORT_MS))).toBeUndefined()
    await waiting
  })

  it('waits when others of its turn took long, however short each of them was', () => {
    const { clock, entrance, prompt } = open()
    entrance.begin(prompt())
    expect(entrance.wait(prompt())).toBeUndefined()
    clock.now += 5
    expect(entrance.wait(prompt())).toBeInstanceOf(Promise)
    expect(entrance.wait(prompt(SHORT_MS))).toBeUndefined()
  })

  it('begins as the only one of those that wait in a turn of the loop', async () => {
    const { clock, turns, entrance, prompt } = open()
    const begun: string[] = []
    const held = turns.next()
    const all = ['a', 'b', 'c'].map((name) =>
      begin(entrance, prompt(), begun, name).then(() => {
        clock.now += 5
      }),
    )
    while (begun.length < all.length) {
      const before = begun.length
      await loopTurn()
      expect(begun.length - before).toBeLessThanOrEqual(1)
    }
    await Promise.all([held, ...all])
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('of a long prompt begins once fewer than four of them are at work', async () => {
    const { turns, entrance, prompt } = open()
    const long = prompt(SLOW_MS, SLOW_MS, SLOW_MS)
    const atWork = Array.from({ length: 4 }, () => entrance.begin(long))
    // One of them has each second place of the queue.
    let isOver = false
    const working = Promise.all(
      [1, 2].map(async () => {
        while (!isOver) await turns.next()
      }),
    )
    const begun: string[] = []
    const fifth = begin(entrance, long, begun, 'fifth')
    const sixth = begin(entrance, long, begun, 'sixth')
    for (let count = 0; count < 9; count += 1) await loopTurn()
    expect(begun).toEqual([])
    at(atWork, 0).end(SLOW_MS, true)
    await fifth
    for (let count = 0; count < 9; count += 1) await loopTurn()
    expect(begun).toEqual(['fifth'])
    at(atWork, 1).end(SLOW_MS, false)
    await sixth
    isOver = true
    await working
  })

  it('of a long prompt waits for none that wait themselves, for a tool', async () => {
    const { turns, entrance, prompt } = open()
    const long = prompt(SLOW_MS, SLOW_MS, SLOW_MS)
    for (let count = 0; count < 10; count += 1) {
      expect(entrance.wait(long)).toBeUndefined()
      entrance.begin(long)
    }
    const waiting = turns.next()
    const next = entrance.wait(long)
    expect(next).toBeInstanceOf(Promise)
    await Promise.all([waiting, next])
  })

  it.each([
    ['short', [SHORT_MS], true],
    ['short, but for two slow ones', [SHORT_MS, SLOW_MS, SLOW_MS], true],
    ['short, then slow three times', [SHORT_MS, SLOW_MS, SLOW_MS, SLOW_MS], false],
    ['slow, then short', [SLOW_MS, SLOW_MS, SLOW_MS, SHORT_MS], true],
    ['slow once', [SLOW_MS], false],
  ])('is taken for what the last ones of its prompt were: %s', (_name, took, isShort) => {
    const { entrance, prompt } = open()
    expect(entrance.isShort(prompt(...took))).toBe(isShort)
  })

  it('is not taken for short because others failed at once', () => {
    const { entrance, prompt } = open()
    const failing = prompt()
    for (let count = 0; count < 5; count += 1) entrance.begin(failing).end(SHORT_MS, false)
    expect(entrance.isShort(failing)).toBe(false)
  })

  it('is known by its text, until 10,000 others came', () => {
    const { entrance, prompt, compiled } = open()
    compiled('text', [SHORT_MS])
    for (let count = 0; count < 9_999; count += 1) prompt(SHORT_MS)
    expect(entrance.isShort(compiled('text'))).toBe(true)
    prompt(SHORT_MS)
    expect(entrance.isShort(compiled('text'))).toBe(false)
  })

  it.each([
    ['nothing is known of', []],
    ['was slow', [SLOW_MS, SLOW_MS, SLOW_MS]],
  ])('of a prompt that %s begins in turns with those of other callers', async (_name, took) => {
    const { turns, entrance, prompt } = open()
    const begun: string[] = []
    const held = turns.next()
    const all = [1, 2, 3, 4, 5].map((each) => begin(entrance, prompt(...took), begun, `a${each}`, 'a'))
    all.push(
      begin(entrance, prompt(...took), begun, 'b1', 'b'),
      begin(entrance, prompt(...took), begun, 'c1', 'c'),
    )
    all.push(begin(entrance, prompt(...took), begun, 'b2', 'b'))
    const over = all.map(async (each) => (await each).end(SLOW_MS, true))
    await Promise.all([held, ...over])
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4', 'a5'])
  })

  it('is refused to the caller that has more than its share of those that wait', async () => {
    const { clock, turns, entrance, prompt } = open()
    const held = turns.next()
    const waiting = Array.from({ length: 64 }, () => entrance.wait(prompt(), 'a'))
    clock.now += 251
    await expect(entrance.wait(prompt(), 'a')).rejects.toMatchObject({ code: 'overloaded' })
    for (let count = 0; count < 32; count += 1) waiting.push(entrance.wait(prompt(), 'b'))
    clock.now += 251
    await expect(entrance.wait(prompt(), 'b')).rejects.toMatchObject({ code: 'overloaded' })
    for (let count = 0; count < 160; count += 1) waiting.push(entrance.wait(prompt(), `c${count}`))
    await expect(entrance.wait(prompt(), 'd')).rejects.toMatchObject({ code: 'overloaded' })
    await Promise.all([held, ...waiting])
  })

  it('is refused where many wait and the first of them has waited for too long', async () => {
    const { clock, turns, entrance, prompt, fill } = open()
    const held = turns.next()
    const waiting = fill(64, prompt())
    clock.now += 250
    waiting.push(entrance.wait(prompt()))
    clock.now += 1
    await expect(entrance.wait(prompt())).rejects.toMatchObject({ code: 'overloaded' })
    await Promise.all([held, ...waiting])
    expect(entrance.wait(prompt())).toBeUndefined()
  })
})
