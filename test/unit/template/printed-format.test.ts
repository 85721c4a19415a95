import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/template/index.js'

const LIST = [0, 7, 7, 255, 256, -3, 1.5, 'x', 'é', null, 123456789012n, [1, 'a']]

/** Format, and what it prints of each value of the list; all of it Go's output. */
const FORMATS: readonly (readonly [string, string])[] = [
  [
    '<%d>',
    '<0>,<7>,<7>,<255>,<256>,<-3>,<%!d(float64=1.5)>,<%!d(string=x)>,<%!d(string=é)>,<%!d(<nil>)>,<123456789012>,<[1 %!d(string=a)]>',
  ],
  [
    'a%4d|',
    'a   0|,a   7|,a   7|,a 255|,a 256|,a  -3|,a%!d(float64= 1.5)|,a%!d(string=   x)|,a%!d(string=   é)|,a%!d(<nil>)|,a123456789012|,a[   1 %!d(string=   a)]|',
  ],
  ['%-4v.', '0   .,7   .,7   .,255 .,256 .,-3  .,1.5 .,x   .,é   .,<nil>.,123456789012.,[1    a   ].'],
  [
    '%s!',
    '%!s(int=0)!,%!s(int=7)!,%!s(int=7)!,%!s(int=255)!,%!s(int=256)!,%!s(int=-3)!,%!s(float64=1.5)!,x!,é!,%!s(<nil>)!,%!s(int=123456789012)!,[%!s(int=1) a]!',
  ],
]

describe('a printf that is all an action prints', () => {
  it.each(FORMATS)('%j', (format, expected) => {
    const template = compile(
      `{{range $i, $e := .}}{{if $i}},{{end}}{{printf ${JSON.stringify(format)} $e}}{{end}}`,
    )
    expect(template.renderSync(LIST)).toBe(expected)
    expect(template.renderSync(LIST)).toBe(expected)
    const value = compile(
      `{{range $i, $e := .}}{{if $i}},{{end}}{{$x := printf ${JSON.stringify(format)} $e}}{{$x}}{{end}}`,
    )
    expect(value.renderSync(LIST)).toBe(expected)
  })

  it.each([
    ['{{printf "a%d b%s c%v d" 1 "x" 2.5}}e', 'a1 bx c2.5 de'],
    ['{{printf "a%d b%s c%v d" 1 "x" "y"}}e', 'a1 bx cy de'],
    ['{{printf "a%d b" 1 2}}e', 'a1 b%!(EXTRA int=2)e'],
    ['{{printf "a%d b%d c" 1}}e', 'a1 b%!d(MISSING) ce'],
    ['{{printf "%d%%" 50}}e', '50%e'],
    ['{{printf "a" 1}}e', 'a%!(EXTRA int=1)e'],
    ['{{printf "%[2]s%[1]s-" "x" "y"}}e', 'yx-e'],
    ['{{printf "%s-" .missing}}e', '%!s(<nil>)-e'],
  ])('%s prints %s', (template, expected) => {
    expect(compile(template).renderSync({})).toBe(expected)
  })

  it.each([
    { list: [] },
    { list: ['a'] },
    { list: ['a', 'é', ''] },
    { list: [1, -2, 'a', 2 ** 53] },
    { list: [1.5] },
    { list: [null, 'a'] },
    { list: [['a'], 'b'] },
    { list: [new Date(0)] },
    { list: Array.from({ length: 16 }, (_, index) => index) },
    { list: Array.from({ length: 17 }, (_, index) => index) },
  ])('prints the short list $list as any other', ({ list }) => {
    for (const [width, verb] of [
      ['', 'v'],
      ['', 's'],
      ['', 'd'],
      ['4', 'v'],
    ]) {
      // With an index a format is read as it runs, for every value.
      const [short, careful] = [`<%${width}${verb}>`, `<%${width}[1]${verb}>`].map(
        (format) => `{{printf "${format}" .}}`,
      )
      expect(compile(short ?? '').renderSync(list)).toBe(compile(careful ?? '').renderSync(list))
    }
  })

  it('takes results that come later', async () => {
    const functions = { later: async (value: unknown) => value }
    const template = compile('a{{printf "<%3d %s>" (later 5) (later "x")}}b{{printf "%s|" (later "y")}}c', {
      functions,
    })
    expect(await template.render({})).toBe('a<  5 x>by|c')
    expect(JSON.parse(`"${await template.execute({}, { output: 'json' })}"`)).toBe('a<  5 x>by|c')
  })

  it('escapes values and text for JSON', () => {
    const text = compile('"{{printf "\\"%s\\"\\n" .}}"').execute('"', { output: 'json' }) as string
    expect(JSON.parse(`"${text}"`)).toBe('""""\n"')
  })

  it('stays within the limits', () => {
    const template = compile('{{range .}}{{printf "%200d|%s" . "x"}}{{end}}')
    const list = Array.from({ length: 1000 }, (_, i) => i)
    expect(() => template.renderSync(list, { limits: { maxOutputBytes: 10_000 } })).toThrow(
      'output exceeds 10000',
    )
  })
})

describe('a comparison with a constant text', () => {
  it.each([
    ['{{eq . "user"}}{{ne . "user"}}', 'user', 'truefalse'],
    ['{{eq . "user"}}{{ne . "user"}}', 'User', 'falsetrue'],
    ['{{eq . "é"}}{{ne . "é"}}', 'é', 'truefalse'],
    ['{{eq . "é"}}{{ne . "é"}}', 'e\u0301', 'falsetrue'],
    ['{{$s := print (slice . 0 1) (slice . 1 2)}}{{eq $s "é"}}{{ne $s "é"}}', 'é', 'truefalse'],
    ['{{eq (slice . 0 1) "\\xc3"}}{{eq (slice . 1 2) "\\xc3"}}', 'é', 'truefalse'],
    ['{{eq .missing "x"}}{{ne .missing "x"}}', {}, 'falsetrue'],
  ])('%s of %j prints %s', (template, data, expected) => {
    expect(compile(template).renderSync(data)).toBe(expected)
  })

  it('fails as Go does where types differ', () => {
    expect(() => compile('{{eq . "x"}}').renderSync(1)).toThrow(
      'error calling eq: incompatible types for comparison',
    )
  })

  it('waits for a result that comes later', async () => {
    const functions = { later: async (value: unknown) => value }
    const template = compile('{{if eq (later "a") "a"}}b{{end}}{{ne (later "a") "a"}}', { functions })
    expect(await template.render({})).toBe('bfalse')
  })
})
