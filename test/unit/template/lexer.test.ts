import { describe, expect, it } from 'vitest'
import { describeToken, Lexer, type Token } from '../../../src/template/dialects/go/lexer.js'

function tokensOf(source: string, left = '{{', right = '}}', functions: readonly string[] = []): Token[] {
  const lexer = new Lexer(source, left, right, (name) => functions.includes(name))
  const tokens: Token[] = []
  do tokens.push(lexer.next())
  while (!['eof', 'error'].includes(tokens.at(-1)?.kind ?? 'eof'))
  return tokens
}

const kinds = (source: string) => tokensOf(source).map(({ kind }) => kind)
const texts = (source: string) => tokensOf(source).map(({ text }) => text)

describe('lexer', () => {
  it.each([
    { name: 'nothing', source: '', expected: ['eof'] },
    { name: 'text', source: 'now is\tthe time', expected: ['text', 'eof'] },
    { name: 'an empty action', source: '{{}}', expected: ['left-delimiter', 'right-delimiter', 'eof'] },
    { name: 'a comment', source: 'a{{/* b */}}c', expected: ['text', 'text', 'eof'] },
    {
      name: 'keywords',
      source: '{{range if else end with block define template nil . break continue}}',
      expected: [
        'left-delimiter',
        ...[
          'range',
          'if',
          'else',
          'end',
          'with',
          'block',
          'define',
          'template',
          'nil',
          'dot',
          'break',
          'continue',
        ]
          .flatMap((kind) => [kind, 'space'])
          .slice(0, -1),
        'right-delimiter',
        'eof',
      ],
    },
    {
      name: 'a declaration',
      source: '{{$v := .a.b | f (1)}}',
      expected: [
        'left-delimiter',
        'variable',
        'space',
        'declare',
        'space',
        'field',
        'field',
        'space',
        'pipe',
        'space',
        'identifier',
        'space',
        'left-parenthesis',
        'number',
        'right-parenthesis',
        'right-delimiter',
        'eof',
      ],
    },
    {
      name: 'constants',
      source: '{{1 -2.5e3 0x1p4 \'a\' "b" `c` true 1i 1+2i}}',
      expected: [
        'left-delimiter',
        ...[
          'number',
          'number',
          'number',
          'char-constant',
          'string',
          'raw-string',
          'bool',
          'number',
          'complex',
        ]
          .flatMap((kind) => [kind, 'space'])
          .slice(0, -1),
        'right-delimiter',
        'eof',
      ],
    },
  ])('reads $name', ({ source, expected }) => {
    expect(kinds(source)).toEqual(expected)
  })

  it.each([
    { source: 'a \n {{- 1}} b', expected: ['a', '{{', '1', '}}', ' b', ''] },
    { source: 'a {{1 -}} \t\n b', expected: ['a ', '{{', '1', '}}', 'b', ''] },
    { source: 'a {{- /* c */ -}} b', expected: ['a', 'b', ''] },
    { source: '{{-3}}', expected: ['{{', '-3', '}}', ''] },
    { source: '{{1\n-}} b', expected: ['{{', '1', '}}', 'b', ''] },
    { source: '{{1  -}} b', expected: ['{{', '1', ' ', '}}', 'b', ''] },
  ])('trims $source', ({ source, expected }) => {
    expect(texts(source)).toEqual(expected)
  })

  it.each([
    { source: '{{\u0001}}', message: 'unrecognized character in action: U+0001' },
    { source: '{{a', message: 'unclosed action' },
    { source: '{{"\n"}}', message: 'unterminated quoted string' },
    { source: '{{`xx', message: 'unterminated raw quoted string' },
    { source: "{{'\n}}", message: 'unterminated character constant' },
    { source: '{{3k}}', message: 'bad number syntax: "3k"' },
    { source: '{{(3}}', message: 'unclosed left paren' },
    { source: '{{3)}}', message: 'unexpected right paren' },
    { source: '{{/*', message: 'unclosed comment' },
    { source: '{{/* a */ }}', message: 'comment ends before closing delimiter' },
    { source: '{{.a#}}', message: "bad character U+0023 '#'" },
    { source: '{{a😀}}', message: "bad character U+1F600 '😀'" },
    { source: '{{:}}', message: 'expected :=' },
  ])('complains about $source', ({ source, message }) => {
    expect(tokensOf(source).at(-1)).toMatchObject({
      kind: 'error',
      text: message,
    })
  })

  it.each([
    { left: '<<', right: '>>', source: 'a<<.b>>{{', expected: ['a', '<<', '.b', '>>', '{{', ''] },
    { left: '👉', right: '👈', source: '👉.b👈👉c👈', expected: ['👉', '.b', '👈', '👉', 'c', '👈', ''] },
    { left: '<%', right: '|%>', source: '<%.b|c|%>d', expected: ['<%', '.b', '|', 'c', '|%>', 'd', ''] },
    { left: '[', right: '-]', source: '[b -]- c', expected: ['[', 'b', ' ', '-]', '- c', ''] },
  ])('reads the delimiters $left and $right', ({ left, right, source, expected }) => {
    expect(tokensOf(source, left, right).map(({ text }) => text)).toEqual(expected)
  })

  it('takes break and continue for functions where such are defined', () => {
    const [, word] = tokensOf('{{break}}', '{{', '}}', ['break'])
    expect(word?.kind).toBe('identifier')
  })

  it.each([
    { source: '{{range}}', at: 1, expected: '<range>' },
    { source: '{{abc}}', at: 1, expected: '"abc"' },
    { source: '{{abcdefghijklmn}}', at: 1, expected: '"abcdefghij"...' },
    { source: '', at: 0, expected: 'EOF' },
  ])('describes $expected', ({ source, at, expected }) => {
    expect(describeToken(tokensOf(source)[at] as Token)).toBe(expected)
  })
})
