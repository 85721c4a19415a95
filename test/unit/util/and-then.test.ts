import { describe, expect, it } from 'vitest'
import { andThen, together } from '../../../src/util/and-then.js'

const double = (value: number) => value * 2

describe('andThen', () => {
  it('goes on at once with what is there', () => {
    expect(andThen(2, double)).toBe(4)
  })

  it('waits for what is not, and for what comes of it', async () => {
    const later = andThen(Promise.resolve(2), async (value) => double(value))
    expect(later).toBeInstanceOf(Promise)
    expect(await later).toBe(4)
  })

  it('hands failures on as they came', async () => {
    const failure = new Error('no')
    const fail = () => {
      throw failure
    }
    expect(() => andThen(1, fail)).toThrow(failure)
    await expect(andThen(Promise.resolve(1), fail)).rejects.toBe(failure)
    await expect(andThen(Promise.reject<number>(failure), double)).rejects.toBe(failure)
  })
})

describe('together', () => {
  it('makes no promise where none is needed', () => {
    expect(together([1, 2])).toEqual([1, 2])
  })

  it('waits for all, in their order', async () => {
    expect(await together([1, Promise.resolve(2), 3])).toEqual([1, 2, 3])
  })
})
