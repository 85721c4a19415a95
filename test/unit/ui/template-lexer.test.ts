import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linesOf } from '../../../src/ui/highlight/lines-of.js'

const kinds = (template: string) =>
  linesOf(template).map((pieces) =>
    pieces.filter(({ text }) => text.trim() !== '').map(({ kind, text }) => `${kind} ${text.trim()}`),
  )

describe('the lexer of templates', () => {
  it.each([
    [
      'Hi {{.variables.name}}!',
      ['text Hi', 'delimiter {{', 'field .variables.name', 'delimiter }}', 'text !'],
    ],
    ['{{- if $x -}}', ['delimiter {{-', 'keyword if', 'variable $x', 'delimiter -}}']],
    ['{{printf "%d}}" 1.5}}', ['delimiter {{', 'name printf', 'string "%d}}"', 'number 1.5', 'delimiter }}']],
    ['{{! a note }}', ['delimiter {{', 'comment ! a note', 'delimiter }}']],
    ['{{#each items}}', ['delimiter {{', 'operator #', 'keyword each', 'name items', 'delimiter }}']],
  ])('reads %s', (template, expected) => expect(kinds(template)).toEqual([expected]))

  it('goes on over lines: comments and raw texts', () => {
    expect(kinds('{{/* one\ntwo */}}x')[1]).toEqual(['comment two */', 'delimiter }}', 'text x'])
    expect(kinds('{{`one\n}} two` | len}}')[1]?.slice(0, 2)).toEqual(['string }} two`', 'operator |'])
  })

  it('loses nothing and always ends', () => {
    const part = fc.constantFrom(
      '{{',
      '}}',
      '{{-',
      '/*',
      '*/',
      '"',
      '`',
      '!',
      '.a',
      '$',
      ' ',
      '\n',
      'if',
      '\\',
      '你',
    )
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const template = parts.join('')
        const lines = linesOf(template).map((pieces) => pieces.map(({ text }) => text).join(''))
        expect(lines.join('\n')).toBe(template)
      }),
    )
  })
})
