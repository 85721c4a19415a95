import { describe, expect, it } from 'vitest'
import { StopMemory } from '../../../src/prompts/stop-memory.js'

function remember() {
  const clock = { now: 1_000_000 }
  return { clock, memory: new StopMemory(() => clock.now) }
}

const work = { text: 'inline 1', caller: 'one' }
const other = { text: 'inline 2', caller: 'one' }

describe('what was stopped', () => {
  it('is refused to the same caller for a time that doubles', () => {
    const { clock, memory } = remember()
    expect(memory.refusalOf(work)).toBeUndefined()
    for (const ms of [1_000, 2_000, 4_000]) {
      memory.add(work, 50)
      expect(memory.refusalOf(work)).toBe('text')
      clock.now += ms - 1
      expect(memory.refusalOf(work)).toBe('text')
      clock.now += 1
      expect(memory.refusalOf(work)).toBeUndefined()
    }
    clock.now += 4_000 * 8 + 1
    memory.add(work, 50)
    clock.now += 1_000
    expect(memory.refusalOf(work)).toBeUndefined()
  })

  it('says something of its caller, for a shorter time, and nothing of others', () => {
    const { clock, memory } = remember()
    memory.add(work, 50)
    expect(memory.refusalOf(other)).toBe('caller')
    expect(memory.refusalOf({ ...work, caller: 'two' })).toBeUndefined()
    clock.now += 200
    expect(memory.refusalOf(other)).toBeUndefined()
  })

  it('says nothing of whoever cannot be told from others', () => {
    const { memory } = remember()
    memory.add({ text: 'inline 1', caller: undefined }, 50)
    expect(memory.refusalOf({ text: 'inline 2', caller: undefined })).toBeUndefined()
    expect(memory.refusalOf({ text: 'inline 1', caller: undefined })).toBe('text')
  })

  it('takes a tenth of the loop at most: then everything is refused until it does not', () => {
    const { clock, memory } = remember()
    for (let index = 0; index < 21; index += 1) memory.add({ text: `inline ${index}`, caller: undefined }, 50)
    expect(memory.refusalOf({ text: 'new', caller: 'new' })).toBe('all')
    // What was short a moment ago takes nothing of the loop.
    expect(memory.refusalOf({ text: 'short', caller: 'new' }, true)).toBeUndefined()
    expect(memory.refusalOf({ text: 'inline 1', caller: undefined }, true)).toBe('text')
    clock.now += 10_000
    expect(memory.refusalOf({ text: 'new', caller: 'new' })).toBeUndefined()
  })
})
