import { describe, expect, it } from 'vitest'
import { MAX_SPAN_CONTENT } from '../../../../src/util/limits.js'
import { createSpanContents } from '../../../../src/util/telemetry/span-contents.js'

const SECRET = 'sk-"quoted"-1234'

describe('contents of spans', () => {
  const write = createSpanContents([SECRET, 'abc'])

  it.each([
    ['a text as it is', 'say "x"', 'say "x"'],
    [
      'JSON of all else',
      { a: [1, true, null, 'x"'], b: { c: 2n } },
      '{"a":[1,true,null,"x\\""],"b":{"c":2}}',
    ],
    ['no functions', { f: () => 1, u: undefined }, '{"f":null,"u":null}'],
    ['secrets of a text', `key ${SECRET}!`, 'key ***!'],
    ['secrets inside JSON', { key: `${SECRET}!` }, '{"key":"***!"}'],
    ['and no words that are too short to be secrets', 'abc', 'abc'],
  ])('are %s', (_, content, expected) => {
    expect(write(content)).toBe(expected)
  })

  it('hold no part of a secret that the limit cuts', () => {
    for (let before = MAX_SPAN_CONTENT - SECRET.length - 1; before <= MAX_SPAN_CONTENT; before += 1) {
      const text = write('x'.repeat(before) + SECRET)
      expect(text.length).toBeLessThanOrEqual(MAX_SPAN_CONTENT)
      expect(text.replace(/^x*/, '')).toMatch(/^\*{0,3}$/)
    }
  })

  it('read no more of a value than they hold', () => {
    let looks = 0
    const list = new Proxy(
      Array.from({ length: 1_000_000 }, () => 'four'),
      {
        get(target, name) {
          looks += 1
          return Reflect.get(target, name)
        },
      },
    )
    expect(write({ list })).toHaveLength(MAX_SPAN_CONTENT)
    expect(looks).toBeLessThan(3 * MAX_SPAN_CONTENT)
    expect(write({ text: 'x'.repeat(10_000_000) })).toHaveLength(MAX_SPAN_CONTENT)
  })

  it('end where values are too deep', () => {
    let deep: unknown = 'end'
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    expect(write(deep)).toBe(`${'['.repeat(64)}null${']'.repeat(64)}`)
  })
})
