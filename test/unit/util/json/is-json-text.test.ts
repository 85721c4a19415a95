import { describe, expect, it } from 'vitest'
import { isJsonText } from '../../../../src/util/json/is-json-text.js'
import { MAX_JSON_DEPTH } from '../../../../src/util/limits.js'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

const TEXTS = [
  '{}',
  '[]',
  ' { "a" : [ 1 , -0.5e+3 , true , false , null , "x" ] } ',
  '{"mode":420,"tags":["a","b","c"],"nested":{"depth":3,"ratio":0.25,"none":null}}',
  '"\\u00e9 \\n \\" \\\\ \\/"',
  '"é 漢 \ud800"',
  '\t\r\n0\n',
  '1e400',
]

/** As strict as the built-in, character by character. */
function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('a text is JSON where JSON.parse takes it', () => {
  it.each(TEXTS)('%j, and with every character of it left out, doubled or replaced', (text) => {
    expect(isJsonText(text)).toBe(true)
    const variants = text.split('').flatMap((character, at) => {
      const [before, behind] = [text.slice(0, at), text.slice(at + 1)]
      const others = ['', character + character, ...'0.-+eE"\\/,:{}[]u \u00a0\n\0xtn\''.split('')]
      return [before, ...others.map((other) => before + other + behind)]
    })
    expect(variants.filter((variant) => isJsonText(variant) !== parses(variant))).toEqual([])
  })
})

it('is nested as deep as other readers go, and no deeper', () => {
  expect(isJsonText(nested(MAX_JSON_DEPTH))).toBe(true)
  expect(isJsonText(nested(MAX_JSON_DEPTH + 1))).toBe(false)
  expect(isJsonText('{"a":'.repeat(1_000_000))).toBe(false)
})
