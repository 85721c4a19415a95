import { describe, expect, it } from 'vitest'
import { compile, functionLibrary } from '../../../src/template/index.js'
import { MAX_CALL_MS } from '../../../src/template/limits.js'

const list = Array.from({ length: 120_000 }, (_, index) => index)
const nested = Array.from({ length: 40_000 }, (_, index) => [index, { a: index }])
const text = '<"a b'.repeat(100_000)
const data = {
  list,
  nested,
  text,
  records: JSON.stringify(list.slice(0, 4_500).map((id) => ({ id, name: `name ${id}`, tags: ['a'] }))),
  lone: '\ud800'.repeat(1_950),
  quotes: '"'.repeat(1_500),
  lists: Array.from({ length: 24_500 }, (_, index) => [index]),
  brackets: '['.repeat(500_000),
  jsonLists: `[${'[[1]],'.repeat(150_000)}1]`,
  json: JSON.stringify(Object.fromEntries(list.slice(0, 80_000).map((index) => [`k${index}`, 1]))),
  ownNames: JSON.stringify(list.slice(0, 32_000).map((index) => ({ [`k${index}`]: 1 }))),
  veryLong: '汉'.repeat(1_300_000),
  texts: ['a'.repeat(1_000), 'b'],
  wide: Object.fromEntries(Array.from({ length: 47 }, (_, index) => [`！！！${index}`, index])),
}

function render(expression: string): string {
  return compile(`{{$x := ${expression}}}{{len $x}}`, { functions: functionLibrary }).renderSync(data)
}

describe('one call on a huge value', () => {
  it.each([
    'print .list',
    'println .nested',
    'printf "%v" .list',
    'printf "%d" .list',
    'printf .text .list',
    'html .list',
    'js .nested',
    'urlquery .list',
    'toJson .list',
    'toPrettyJson .nested',
    'toYaml .list',
    'join "," .list',
    'uniq .list',
    'toString .list',
  ])('refuses too many elements in %s', (expression) => {
    expect(() => render(expression)).toThrow(/value of more than (100|20|4)000 elements/)
  })

  it.each([
    'printf "%q" .text',
    'printf "%x" .text',
    'printf "% #X" .text',
    'html (print .text .text)',
    'js (print .text .text)',
    'urlquery .text',
    'snakecase .text',
    'regexReplaceAll "a" .text "b"',
  ])('refuses too many characters in %s', (expression) => {
    expect(() => render(expression)).toThrow(
      expect.objectContaining({ code: 'render_limit', reason: 'width' }),
    )
  })

  it.each([
    [
      'quote of texts that are no Unicode',
      `quote${' .lone'.repeat(250)}`,
      `longer than ${MAX_CALL_MS} ms to read`,
    ],
    ['quote of texts with much to escape', `quote${' .quotes'.repeat(250)}`, /places to rewrite/],
    ['without of lists in lists', 'without .lists .lists', /value of more than 100000 elements/],
    ['JSON of brackets', 'mustFromJson .brackets', /more values than one call may parse/],
    ['JSON of lists', 'fromJson .jsonLists', /more values than one call may parse/],
    ['JSON of very many names', 'fromJson .json', /more values than one call may parse/],
    ['JSON of records of other names', 'fromJson .ownNames', /more values than one call may parse/],
    ['capitals of a very long text', 'upper .veryLong', /longer than \d+ ms to read/],
    ['a dict whose keys are dicts', `dict${' .wide'.repeat(250)}`, /value of more than 2000 elements/],
    ['a dict whose keys are lists of texts', `dict${' .texts'.repeat(250)}`, /longer than \d+ characters/],
  ])('refuses what is short each, and too much together: %s', (_name, expression, message) => {
    expect(() => render(expression)).toThrow(message)
  })

  it.each([
    'print .text',
    'printf "%s %v" .text .text',
    'upper .text',
    'index .list 5 | print',
    'slice .list 1 5',
    'fromJson .records',
  ])('does %s', (expression) => {
    expect(() => render(expression)).not.toThrow()
  })

  it('prints what an action prints in slices', async () => {
    expect(await compile('{{.list}}').render(data)).toBe(`[${list.join(' ')}]`)
  })
})
