import { describe, expect, it } from 'vitest'
import { FULL_ACCESS } from '../../../src/access/access.js'
import { readResource } from '../../../src/mcp/resources.js'
import type { Snapshot } from '../../../src/registry/snapshot.js'

/** A catalog of shared variables that notes how much text it is asked for. */
function catalogOf(values: Readonly<Record<string, unknown>>) {
  const asked = { characters: 0 }
  const environs = {
    get(id: string) {
      asked.characters += id.length
      return Object.hasOwn(values, id) ? { id, value: values[id] } : undefined
    },
  }
  return { asked, snapshot: { environs } as unknown as Snapshot }
}

const atOnce = <Result>(work: () => Result): Result => work()

const read = async (snapshot: Snapshot, path: string) =>
  JSON.parse((await readResource(snapshot, FULL_ACCESS, `environ://${path}`, atOnce)).contents[0]?.text ?? '')

describe('a shared variable by its path', () => {
  it('is the longest that the path begins with, or something inside', async () => {
    const { snapshot } = catalogOf({ a: { b: { c: 1 } }, 'a.b': { c: 2, d: { '': 3 } } })
    expect(await read(snapshot, 'a.b.c')).toBe(2)
    expect(await read(snapshot, 'a')).toEqual({ b: { c: 1 } })
    expect(await read(snapshot, 'a.b.d.')).toBe(3)
    for (const path of ['a.x', 'b', '.a', 'a.', 'a.b.c.d'])
      await expect(readResource(snapshot, FULL_ACCESS, `environ://${path}`, atOnce)).rejects.toThrow(
        'no resource',
      )
  })

  it.each([
    ['a long text', 'x'.repeat(100_000), true],
    ['a large value', { a: 'x'.repeat(100_000) }, true],
    ['a short text', 'x'.repeat(1_000), false],
  ])('lets others in before the protocol makes a message of %s', async (_name, value, isLong) => {
    const { snapshot } = catalogOf({ value })
    let wasIn = false
    setImmediate(() => {
      wasIn = true
    })
    await readResource(snapshot, FULL_ACCESS, 'environ://value', atOnce)
    expect(wasIn).toBe(isLong)
  })

  it('is looked for at a price that a long path does not raise', async () => {
    const { snapshot, asked } = catalogOf({})
    const path = 'a.'.repeat(100_000)
    const failure = await readResource(snapshot, FULL_ACCESS, `environ://${path}x`, atOnce).catch(
      (error) => error,
    )
    expect(asked.characters).toBeLessThan(2_000_000)
    expect(failure.message.length).toBeLessThan(300)
    expect(JSON.stringify(failure.data).length).toBeLessThan(5_000)
  })
})
