import { describe, expect, it } from 'vitest'
import { headerOf } from '../../../src/transport/raw-headers.js'

const HEADERS = ['Content-Type', 'text/plain', 'Retry-After', '5', 'VIA', 'a', 'via', 'b', 'x-name', 'é']
const RAW = HEADERS.map((text) => Buffer.from(text, 'latin1'))

describe('headerOf', () => {
  it.each([
    ['content-type', 'text/plain'],
    ['retry-after', '5'],
    ['via', 'a, b'],
    ['x-name', 'é'],
    ['age', undefined],
    ['retry-befor', undefined],
  ])('finds %s, however it is written', (name, expected) => {
    expect(headerOf(RAW, name)).toBe(expected)
  })
})
