import { afterEach, describe, expect, it, vi } from 'vitest'
import { collectYoung } from '../../../../src/util/slices/collect-young.js'

const exposed = globalThis.gc

describe('collectYoung', () => {
  afterEach(() => {
    globalThis.gc = exposed
  })

  it('collects the young generation alone, in a turn of the event loop in which neither its caller nor what follows works', async () => {
    let turn = 0
    const count = () => {
      turn += 1
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const collectedIn: number[] = []
    const collect = vi.fn(async () => {
      collectedIn.push(turn)
    })
    globalThis.gc = collect
    const begun = turn

    await collectYoung()
    clearImmediate(counting)

    expect(collect.mock.calls).toEqual([[{ type: 'minor' }]])
    expect(collectedIn[0]).toBeGreaterThan(begun + 1)
    expect(turn).toBeGreaterThan(collectedIn[0] ?? turn)
  })

  it('does nothing in a process that has no gc to call', async () => {
    globalThis.gc = undefined

    await expect(collectYoung()).resolves.toBeUndefined()
  })
})
