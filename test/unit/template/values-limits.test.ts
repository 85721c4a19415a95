import { describe, expect, it } from 'vitest'
import { compile, functionLibrary } from '../../../src/template/index.js'

const list = Array.from({ length: 120_000 }, (_, index) => index)
const nested = Array.from({ length: 40_000 }, (_, index) => [index, { a: index }])
const text = '<"a b'.repeat(100_000)
const data = { list, nested, text }

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
    'print .text',
    'printf "%s %v" .text .text',
    'upper .text',
    'index .list 5 | print',
    'slice .list 1 5',
  ])('does %s', (expression) => {
    expect(() => render(expression)).not.toThrow()
  })

  it('prints what an action prints in slices', async () => {
    expect(await compile('{{.list}}').render(data)).toBe(`[${list.join(' ')}]`)
  })
})
