import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { KEPT_TICK, keepTicksFast } from '../../../src/cli/keep-ticks-fast.js'

describe('keepTicksFast', () => {
  it('holds the very object that Node made for a tick, names and all', async () => {
    const holder = { nextTick: process.nextTick }
    keepTicksFast(holder)
    await turn()
    const tick: unknown = Reflect.get(holder, KEPT_TICK)
    expect(tick).toMatchObject({ callback: expect.any(Function) })
    const names = Object.getOwnPropertySymbols(Object(tick)).map(({ description }) => description)
    expect(names).toEqual(expect.arrayContaining(['async_id_symbol', 'trigger_async_id_symbol']))
  })
})
