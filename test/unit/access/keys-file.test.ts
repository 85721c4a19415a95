import { describe, expect, it } from 'vitest'
import { mayChange } from '../../../src/access/keys-file.js'

describe('a change in the directory of a keys file', () => {
  it.each([
    ['keys.json', true],
    ['..data', true],
    ['..2026_11_28', true],
    [null, true],
    ['service.log', false],
    ['keys.json.new', false],
    ['.keys.json.swp', false],
  ])('of %j may be one of the file: %j', (name, expected) => {
    expect(mayChange('/etc/shell/keys.json', name)).toBe(expected)
  })
})
