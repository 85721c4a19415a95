import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/cli/command.js'
import { textOption, textsOption } from '../../../src/cli/option-values.js'
import { readVariables } from '../../../src/cli/variables.js'

const PARAMETERS = { type: 'object', properties: { id: { type: 'string' }, count: { type: 'integer' } } }

describe('options', () => {
  it.each([
    [{ a: 'x' }, 'x', []],
    [{ a: '' }, '', []],
    [{ a: true }, undefined, []],
    [{ a: ['x', true, 'y'] }, undefined, ['x', 'y']],
    [{}, undefined, []],
  ])('%j as one text and as several', (values, text, texts) => {
    expect(textOption(values, 'a')).toBe(text)
    expect(textsOption(values, 'a')).toEqual(texts)
  })
})

describe('variables of a command line', () => {
  it.each([
    ['JSON', ['count=3'], { count: 3 }],
    ['a text where the schema asks for one', ['id=3'], { id: '3' }],
    ['a text that is no JSON', ['other=two words'], { other: 'two words' }],
    ['an object', ['other={"a":[1]}'], { other: { a: [1] } }],
    ['all behind the first sign', ['id=a=b'], { id: 'a=b' }],
    ['an empty text', ['id='], { id: '' }],
    ['the last of one name', ['count=1', 'count=2'], { count: 2 }],
    ['digits that a double would lose', ['count=9007199254740993'], { count: 9007199254740993n }],
  ])('%s', (_name, texts, expected) => {
    expect(readVariables({ var: texts }, PARAMETERS)).toEqual(expected)
  })

  it.each(['name', '=value'])('refuses %j', (text) => {
    expect(() => readVariables({ var: [text] }, PARAMETERS)).toThrow(UsageError)
  })

  it('says which file cannot be read', () => {
    expect(() => readVariables({ vars: '/nowhere/at-all.json' }, PARAMETERS)).toThrow(
      /^--vars \/nowhere\/at-all\.json: there is no such file/,
    )
  })
})
