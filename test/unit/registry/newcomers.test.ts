import { describe, expect, it } from 'vitest'
import { Newcomers } from '../../../src/registry/newcomers.js'
import { createRandom } from '../../support/random.js'

describe('newcomers', () => {
  it('are known when they come again', () => {
    const newcomers = new Newcomers(100, createRandom(1).chance)
    expect(newcomers.cameBefore('a')).toBe(false)
    expect(newcomers.cameBefore('b')).toBe(false)
    expect(newcomers.cameBefore('a')).toBe(true)
    expect(newcomers.cameBefore('b')).toBe(true)
    expect(newcomers.cameBefore('')).toBe(false)
  })

  it('are forgotten when many others came since', () => {
    const newcomers = new Newcomers(8, createRandom(1).chance)
    newcomers.cameBefore('a')
    for (let other = 0; other < 1_000; other += 1) newcomers.cameBefore(`other ${other}`)
    expect(newcomers.cameBefore('a')).toBe(false)
  })

  it('are mostly remembered while as few came since as were asked for', () => {
    const newcomers = new Newcomers(1_000, createRandom(1).chance)
    const keys = Array.from({ length: 500 }, (_, index) => `prompt ${index}`)
    for (const key of keys) newcomers.cameBefore(key)
    const known = keys.filter((key) => newcomers.cameBefore(key))
    expect(known.length).toBeGreaterThan(250)
  })

  it('are known in the end, also where many come in turns', () => {
    const newcomers = new Newcomers(8, createRandom(1).chance)
    const waiting = new Set(Array.from({ length: 30 }, (_, index) => `prompt ${index}`))
    for (let round = 0; round < 100; round += 1)
      for (const key of waiting) if (newcomers.cameBefore(key)) waiting.delete(key)
    expect([...waiting]).toEqual([])
  })

  it.each([0, 1, 10_000_000])('may be remembered in any number: %i', (remembered) => {
    const newcomers = new Newcomers(remembered, createRandom(1).chance)
    newcomers.cameBefore('a')
    expect(newcomers.cameBefore('a')).toBe(true)
  })
})
