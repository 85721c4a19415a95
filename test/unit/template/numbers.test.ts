import { describe, expect, it } from 'vitest'
import { compile, functionLibrary, type TemplateWarning } from '../../../src/template/index.js'

const DATA = { i: 1, f: 0.5, whole: 3, big: 2n ** 53n + 1n, l: [1, 2.5] }
const HALF = { half: { call: (x: number) => x / 2, parameters: ['float64'] as const } }
const functions = {
  ...Object.fromEntries(
    [...functionLibrary.keys()].map((name) => [name, functionLibrary.get(name) as never]),
  ),
  ...HALF,
}

const ROWS: readonly (readonly [template: string, adaptive: string, go: string | RegExp])[] = [
  ['{{gt .i .f}}', 'true', /incompatible types for comparison/],
  ['{{gt .i 0.5}}', 'true', /incompatible types/],
  ['{{if gt 1.5 .i}}y{{end}}', 'y', /incompatible types/],
  ['{{lt .f .i}} {{le .i 1.0}} {{ge .i 1.0}}', 'true true true', /incompatible types/],
  ['{{eq .i 1.0}} {{ne .i 1.0}} {{eq 1.0 2 3 .i}}', 'true false true', /incompatible types/],
  ['{{eq .i 1.5 1}}', 'true', /incompatible types/],
  ['{{.i | gt 1.5}}', 'true', /incompatible types/],
  ['{{eq (int64 1) 1.0}}', 'true', /incompatible types/],
  ['{{eq .big 9007199254740992.0}}', 'true', /incompatible types/],
  ['{{printf "%.2f" .whole}}', '3.00', '%!f(int=03)'],
  ['{{printf "%e %g %F" .i .i .i}}', '1.000000e+00 1 1.000000', '%!e(int=1) %!g(int=1) %!F(int=1)'],
  ['{{printf "%5.1f|" (int64 2)}}', '  2.0|', '%!f(int64=    2)|'],
  ['{{$f := "%.1f"}}{{printf $f .i}}', '1.0', '%!f(int=1)'],
  ['{{printf "%.1f" .l}}', '[1.0 2.5]', '[%!f(int=1) 2.5]'],
  ['{{half .whole}} {{.whole | half}}', '1.5 1.5', /wrong type for value; expected float64; got int/],
  ['{{printf "%d" .f}}', '%!d(float64=0.5)', '%!d(float64=0.5)'],
  [
    '{{printf "%v %T %x" .i .i .i}} {{kindOf .i}} {{typeOf 1.0}}',
    '1 int 1 int float64',
    '1 int 1 int float64',
  ],
  ['{{eq .i "1"}}', '', /incompatible types/],
]

describe('whole numbers meet floats', () => {
  it.each(ROWS)('%s', (source, adaptive, go) => {
    expect(run(source, 'go')).toEqual(typeof go === 'string' ? go : expect.stringMatching(go))
    expect(run(source)).toEqual(adaptive === '' ? expect.stringMatching(/incompatible/) : adaptive)
    expect(run(source, 'adaptive')).toBe(run(source))
  })

  it.each(['gt', 'ge', 'lt', 'le', 'eq', 'ne'])('%s has an answer for NaN that is Go’s', (name) => {
    const data = { nan: Number.NaN }
    const template = `{{${name} .nan 0.5}} {{${name} 0.5 .nan}} {{${name} .nan .nan}}`
    expect(compile(template).renderSync(data)).toBe(compile(template, { numbers: 'go' }).renderSync(data))
  })

  it('shares generated source', () => {
    const source = '{{gt .i 0.5}}{{printf "%.2f" .i}}{{eq .i 1 2}}'
    const [adaptive, go] = (['adaptive', 'go'] as const).map((numbers) => compile(source, { numbers }))
    expect(generated(adaptive)).toBe(generated(go))
  })

  it('is ignored by a render', () => {
    expect(compile('{{gt .i 0.5}}').renderSync(DATA, { numbers: 'go' })).toBe('true')
  })
})

describe('printf', () => {
  it.each([
    ['%d', ['x'], '%!d(string=x)'],
    ['%z', [1], '%!z(int=1)'],
    ['%s', [], '%!s(MISSING)'],
    ['%s', [1], '%!s(int=1)'],
    ['a', [1], '%!(EXTRA int=1)'],
    ['%', [], '%!(NOVERB)'],
    ['%d', [null], '%!d(<nil>)'],
    ['%*d', ['x', 1], '%!(BADWIDTH)'],
    ['%[9]d', [1], '%!d(BADINDEX)'],
  ])('warns of %s where it writes a complaint', (format, values, complaint) => {
    const warnings: TemplateWarning[] = []
    const names = values.map((_, index) => `(index .v ${index})`).join(' ')
    const text = compile(`line\n{{printf .f ${names}}}`, { name: 'p' }).renderSync(
      { f: format, v: values },
      { onWarning: (warning) => warnings.push(warning) },
    )
    expect(text).toContain(complaint)
    expect(warnings).toEqual([
      expect.objectContaining({
        code: 'bad_format',
        message: `printf wrote ${complaint}`,
        template: 'p',
        line: 2,
      }),
    ])
  })

  it('warns once of each place, also in a loop, and never of text that only looks so', async () => {
    const warnings: TemplateWarning[] = []
    const onWarning = (warning: TemplateWarning) => warnings.push(warning)
    const source = '{{range .l}}{{printf "%d" .}}{{end}}%!d {{printf "%s" "%!d(string=x)"}}'
    await compile(source).render({ l: new Array(20_000).fill('x') }, { onWarning })
    expect(warnings).toHaveLength(1)
  })

  it('warns in a folded template too', () => {
    const warnings: TemplateWarning[] = []
    const template = compile('{{printf "%d" .s}}').fold({ s: 'x' }, { open: new Set() })
    template.renderSync({ s: 'x' }, { onWarning: (warning) => warnings.push(warning) })
    expect(warnings).toHaveLength(1)
  })
})

function run(source: string, numbers?: 'adaptive' | 'go'): string {
  try {
    return compile(source, { functions, ...(numbers === undefined ? {} : { numbers }) }).renderSync(DATA)
  } catch (error) {
    return (error as Error).message
  }
}

function generated(template: unknown): string {
  return (template as { generatedSource(): string }).generatedSource()
}
