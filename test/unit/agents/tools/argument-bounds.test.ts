import { describe, expect, it } from 'vitest'
import { ArgumentBounds } from '../../../../src/agents/tools/argument-bounds.js'

const list = (count: number) => `{"a":[${'1,'.repeat(count)}1]}`

describe('the arguments of the calls of one message', () => {
  it.each([
    ['few', ['{}', '{"a":1}'], undefined],
    ['many values', [list(29_990)], undefined],
    ['a long text', [`{"a":"${'x'.repeat(1_000_000)}"}`], undefined],
    ['no JSON', ['{"a": 1'], undefined],
    ['too many values', [list(30_000)], /30000 values/],
    ['too many values together', [list(16_000), list(16_000)], /30000 values/],
    ['too long a text', [' '.repeat(1_048_577)], /1048576 characters/],
    ['too long together', ['x'.repeat(600_000), 'x'.repeat(600_000)], /1048576 characters/],
    ['too deep', [`{"a":${'['.repeat(1_001)}`], /1000 levels/],
    ['a number of too many digits', [`{"a":${'7'.repeat(2_000)}}`], /400 digits/],
  ])('may be so much: %s', (_name, texts, expected) => {
    const bounds = new ArgumentBounds()
    const problem = texts.map((text) => bounds.problemOf(text)).at(-1)
    if (expected === undefined) expect(problem).toBeUndefined()
    else expect(problem).toMatch(expected)
  })
})
