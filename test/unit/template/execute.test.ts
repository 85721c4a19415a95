import { describe, expect, it } from 'vitest'
import type { MissingKey, RenderOptions } from '../../../src/template/api.js'
import { compile, type DeclaredFunction, TemplateError } from '../../../src/template/index.js'
import { Float } from '../../../src/template/value.js'

function failureOf(
  source: string,
  data: unknown,
  options: RenderOptions = {},
  functions = {},
): TemplateError {
  try {
    compile(source, { functions }).renderSync(data, options)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error(`${source} succeeds`)
}

const at = (place: string, context: string, message: string) =>
  `template: t:${place}: executing "t" at <${context}>: ${message}`

describe('rendering', () => {
  it.each<{ source: string; data: unknown; output: string }>([
    { source: '{{.a}} {{.b}} {{.c}}', data: { a: 3, b: 2.5, c: 1234567.5 }, output: '3 2.5 1.2345675e+06' },
    { source: '{{.big}}', data: { big: 9007199254740993n }, output: '9007199254740993' },
    {
      source: '{{.}}',
      data: { b: [1, 'x', null], a: { z: 1.5 } },
      output: 'map[a:map[z:1.5] b:[1 x <nil>]]',
    },
    {
      source: '{{range $k, $v := .}}{{$k}}={{$v}} {{end}}',
      data: { '～': 1, '😀': 2, a: 3 },
      output: 'a=3 ～=1 😀=2 ',
    },
    { source: '{{range .}}{{.}}{{else}}none{{end}}', data: [], output: 'none' },
    { source: '{{range $i, $e := .}}{{$i}}{{$e}}{{end}}', data: ['a', 'b'], output: '0a1b' },
    { source: '{{range $i := 3}}{{$i}}{{end}}{{range -1}}x{{else}}-{{end}}', data: null, output: '012-' },
    {
      source: '{{range .}}{{if eq . 2}}{{continue}}{{end}}{{if eq . 4}}{{break}}{{end}}{{.}}{{end}}',
      data: [1, 2, 3, 4, 5],
      output: '13',
    },
    { source: '{{$x := 1}}{{if true}}{{$x = 2}}{{$x := 3}}{{$x}}{{end}}{{$x}}', data: null, output: '32' },
    { source: '{{with .a}}{{.}}{{else with .b}}{{.}}b{{else}}none{{end}}', data: { b: 1 }, output: '1b' },
    {
      source: '{{define "x"}}[{{.}}{{$}}]{{end}}{{template "x" .a}}{{template "x"}}',
      data: { a: 1 },
      output: '[11][<no value><no value>]',
    },
    {
      source: '{{and 1 0 2}}{{or 0 "" "x"}}{{not .none}}{{or .a (index .l 99)}}',
      data: { none: null, a: 1, l: [] },
      output: '0xtrue1',
    },
    { source: '{{.x.y.z}}{{index .m "k"}}', data: { m: {} }, output: '<no value><no value>' },
    { source: '{{slice .s 0 1}}{{slice .s 1 2}}', data: { s: 'é' }, output: 'é' },
    { source: '{{slice .s 0 1}}!', data: { s: 'é' }, output: '\ufffd!' },
    {
      source: '{{.value}}{{.type}}{{.items}}{{.length}}{{.constructor}}',
      data: { value: 1, type: 2, items: 3, length: 4, constructor: 5 },
      output: '12345',
    },
  ])('$source', ({ source, data, output }) => {
    expect(compile(source).renderSync(data)).toBe(output)
  })

  it.each([
    {
      source: 'ab{{.a.x}}',
      data: { a: 1 },
      message: at('1:6', '.a.x', "can't evaluate field x in type interface {}"),
      partial: 'ab',
    },
    {
      source: '{{with .a}}{{.x}}{{end}}',
      data: { a: 1 },
      message: at('1:13', '.x', "can't evaluate field x in type int"),
      partial: '',
    },
    {
      source: '{{(index .l 0).x}}',
      data: { l: [1] },
      message: at('1:12', '0', "can't evaluate field x in type int"),
      partial: '',
    },
    {
      source: '{{(or .a .b).x}}',
      data: { a: 1 },
      message: at('1:6', '.a', "can't evaluate field x in type int"),
      partial: '',
    },
    {
      source: '{{(or .a .b).x}}',
      data: { b: 1 },
      message: at('1:9', '.b', "can't evaluate field x in type int"),
      partial: '',
    },
    {
      source: '{{.none.x}}',
      data: { none: null },
      message: at('1:7', '.none.x', 'nil pointer evaluating interface {}.x'),
      partial: '',
    },
    {
      source: '日本{{len 3}}',
      data: null,
      message: at('1:8', 'len 3', 'error calling len: len of type int'),
      partial: '日本',
    },
    {
      source: '{{1 2}}',
      data: null,
      message: at('1:2', '1', "can't give argument to non-function 1"),
      partial: '',
    },
    { source: '{{nil}}', data: null, message: at('1:2', 'nil', 'nil is not a command'), partial: '' },
    {
      source: '{{.a 1}}',
      data: { a: 1 },
      message: at('1:2', '.a', 'a is not a method but has arguments'),
      partial: '',
    },
    {
      source: '{{range "abc"}}{{end}}',
      data: null,
      message: at('1:8', '"abc"', "range can't iterate over abc"),
      partial: '',
    },
    {
      source: '{{range $i, $e := 3}}{{end}}',
      data: null,
      message: at('1:18', '3', "can't use 3 to iterate over more than one variable"),
      partial: '',
    },
    {
      source: '{{template "no"}}',
      data: null,
      message: at('1:11', '{{template "no"}}', 'template "no" not defined'),
      partial: '',
    },
    {
      source: '{{not 1 2}}',
      data: null,
      message: at('1:2', 'not', 'wrong number of args for not: want 1 got 2'),
      partial: '',
    },
    {
      source: '{{9223372036854775808}}',
      data: null,
      message: at('1:2', '9223372036854775808', '9223372036854775808 overflows int'),
      partial: '',
    },
    {
      source: '{{printf .n}}',
      data: { n: 1 },
      message: at('1:9', '.n', 'wrong type for value; expected string; got int'),
      partial: '',
    },
    { source: '{{$x = 1}}', data: null, message: at('1:7', '1', 'undefined variable: $x'), partial: '' },
    {
      source: '{{range .l}}{{.x}}{{end}}',
      data: { l: [1] },
      message: at('1:14', '.x', "can't evaluate field x in type interface {}"),
      partial: '',
    },
    {
      source: '{{.s.length}}',
      data: { s: 'abc' },
      message: at('1:4', '.s.length', "can't evaluate field length in type interface {}"),
      partial: '',
    },
  ])('$source fails as in Go', ({ source, data, message, partial }) => {
    expect(failureOf(source, data)).toMatchObject({ message, partial, stage: 'exec', code: 'template_error' })
  })

  it('names the definition that failed and keeps the output before it', () => {
    const error = failureOf('a{{define "d"}}b{{.x.y}}{{end}}{{template "d" .}}c', { x: 1 })
    expect(error.message).toBe(
      'template: t:1:20: executing "d" at <.x.y>: can\'t evaluate field y in type interface {}',
    )
    expect(error).toMatchObject({ partial: 'ab', template: 'd', line: 1, column: 21 })
  })

  it('keeps stray bytes in bytes and replaces them in text', async () => {
    const template = compile('{{slice .s 0 1}}{{"\\xe9"}}')
    expect([...(await template.renderBytes({ s: 'é' }))]).toEqual([0xc3, 0xe9])
    expect(await template.render({ s: 'é' })).toBe('\ufffd\ufffd')
  })

  it.each([
    { data: 'plain' },
    { data: 'quote " backslash \\ newline \n tab \t bell \u0007 del \u007f' },
    { data: 'é 😀 \u2028' },
    { data: { 'key"': ['\\'] } },
    { data: 1.5 },
  ])('escapes for JSON: $data', ({ data }) => {
    const template = compile('"static"\n{{.}}{{printf "%q" "\\""}}{{range $i := 2}}{{$i}}"{{end}}')
    const json = template.execute(data, { output: 'json' })
    expect(JSON.parse(`"${json}"`)).toBe(template.renderSync(data))
  })
})

describe('missing keys', () => {
  const rows: { source: string; data: unknown; by: Partial<Record<MissingKey, string>> }[] = [
    {
      source: '{{.x}}',
      data: {},
      by: {
        default: '<no value>',
        zero: '<no value>',
        error: 'map has no entry for key "x"',
        guarded: 'missing variable x',
      },
    },
    {
      source: '{{.x.y}}',
      data: {},
      by: {
        default: '<no value>',
        zero: 'nil pointer evaluating interface {}.y',
        error: 'map has no entry for key "x"',
        guarded: 'missing variable x.y',
      },
    },
    {
      source: '{{.x}}',
      data: null,
      by: { default: '<no value>', error: 'nil data; no entry for key "x"', guarded: 'missing variable x' },
    },
    {
      source: '{{.n.y}}',
      data: { n: null },
      by: { default: 'nil pointer evaluating interface {}.y', guarded: 'missing variable n.y' },
    },
    {
      source: '{{if .x.y}}a{{else}}b{{end}}',
      data: {},
      by: { default: 'b', error: 'map has no entry for key "x"', guarded: 'b' },
    },
    { source: '{{if .n.y}}a{{else}}b{{end}}', data: { n: null }, by: { guarded: 'b' } },
    { source: '{{with .x}}a{{else}}b{{end}}', data: {}, by: { guarded: 'b' } },
    {
      source: '{{with .a}}{{.b.c}}{{end}}',
      data: { a: { z: 1 } },
      by: { guarded: 'missing variable a.b.c' },
    },
    { source: '{{or .x .y "z"}}{{if and .x .y}}1{{end}}{{not .x}}', data: {}, by: { guarded: 'ztrue' } },
    { source: '{{if eq .x 1}}{{end}}', data: {}, by: { guarded: 'missing variable x' } },
    { source: '{{print .x}}', data: {}, by: { default: '<nil>', guarded: 'missing variable x' } },
    { source: '{{range .x}}{{end}}', data: {}, by: { default: '', guarded: 'missing variable x' } },
    { source: '{{range .x}}a{{else}}b{{end}}', data: { x: null }, by: { guarded: 'b' } },
    { source: '{{$v := .x}}{{$v}}', data: {}, by: { guarded: 'missing variable x' } },
    { source: '{{index . "x"}}', data: {}, by: { guarded: '<no value>', error: '<no value>' } },
    { source: '{{range .l}}{{.x}}{{end}}', data: { l: [{}] }, by: { guarded: 'missing variable x' } },
  ]
  const cases = rows.flatMap(({ source, data, by }) =>
    Object.entries(by).map(([missingKey, expected]) => ({
      source,
      data,
      missingKey: missingKey as MissingKey,
      expected,
    })),
  )

  it.each(cases)('$source with $missingKey: $expected', ({ source, data, missingKey, expected }) => {
    const template = compile(source)
    let result: string
    try {
      result = template.renderSync(data, { missingKey })
    } catch (error) {
      result = (error as Error).message.replace(/^.*>: /, '')
    }
    expect(result).toBe(expected)
  })

  it('lists the path of a guarded failure', () => {
    const error = failureOf('{{.a.b}}', { a: {} }, { missingKey: 'guarded' })
    expect(error).toMatchObject({
      code: 'missing_variables',
      reason: 'missing',
      paths: ['a.b'],
      details: { paths: ['a.b'] },
    })
  })
})

describe('functions', () => {
  const add: DeclaredFunction = { call: (a: number, b: number) => a + b, parameters: ['int', 'int'] }
  const functions = {
    add,
    half: {
      call: (a: number | Float) => Number(a instanceof Float ? a.value : a) / 2,
      parameters: ['float64'],
      returns: 'float64',
    } as DeclaredFunction,
    join: {
      call: (separator: string, ...rest: string[]) => rest.join(separator),
      parameters: ['string', 'string'],
      variadic: true,
    } as DeclaredFunction,
    list: (...values: unknown[]) => values,
    nothing: () => undefined,
    flag: { call: (on: boolean) => (on ? 'on' : 'off'), parameters: ['bool'] } as DeclaredFunction,
    fail: () => {
      throw new Error('out of order')
    },
    clock: {
      call: (scope: { now: () => number }) => scope.now(),
      parameters: [],
      scoped: true,
    } as DeclaredFunction,
  }

  it.each([
    { source: "{{add 1.0 2}} {{add 'a' 1}} {{2 | add 1}}", output: '3 98 3' },
    { source: '{{half 4}} {{printf "%T" (half 4)}}', output: '2 float64' },
    { source: '{{join "-"}}|{{join "-" "a"}}|{{"c" | join "-" "a" "b"}}', output: '|a|a-b-c' },
    { source: '{{list 1 nil .x "a"}}', output: '[1 <nil> <nil> a]' },
    { source: '{{nothing}} {{if nothing}}1{{end}} {{printf "%v" nothing}}', output: '<no value>  <nil>' },
    { source: '{{flag true}}{{flag .on}}', output: 'onoff' },
    { source: '{{clock}}', output: '42' },
  ])('$source', ({ source, output }) => {
    expect(compile(source, { functions }).renderSync({ on: false }, { now: () => 42 })).toBe(output)
  })

  it.each([
    { source: '{{add 1.5 2}}', message: at('1:6', '1.5', 'expected integer; found 1.5') },
    { source: '{{add .s 2}}', message: at('1:6', '.s', 'wrong type for value; expected int; got string') },
    {
      source: '{{add .none 2}}',
      message: at('1:6', '.none', 'wrong type for value; expected int; got interface {}'),
    },
    { source: '{{add .missing 2}}', message: at('1:6', '.missing', 'invalid value; expected int') },
    { source: '{{add nil 2}}', message: at('1:6', 'nil', 'cannot assign nil to int') },
    { source: '{{add 1}}', message: at('1:2', 'add', 'wrong number of args for add: want 2 got 1') },
    {
      source: '{{join}}',
      message: at('1:2', 'join', 'wrong number of args for join: want at least 1 got 0'),
    },
    { source: '{{join 1}}', message: at('1:7', '1', 'expected string; found 1') },
    { source: '{{flag 1}}', message: at('1:7', '1', 'expected bool; found 1') },
    { source: '{{.s | add 1}}', message: at('1:11', '1', 'wrong type for value; expected int; got string') },
    { source: '{{fail}}', message: at('1:2', 'fail', 'error calling fail: out of order') },
    { source: '{{list (fail)}}', message: at('1:8', 'fail', 'error calling fail: out of order') },
  ])('$source fails as in Go', ({ source, message }) => {
    expect(failureOf(source, { s: 'x', none: null }, {}, functions).message).toBe(message)
  })

  it('prefers the functions of the render', () => {
    const template = compile('{{f}}{{g}}', { functions: { f: () => 1, g: () => 2 } })
    expect(template.renderSync({}, { functions: new Map([['f', () => 3]]) })).toBe('32')
    expect(template.renderSync({})).toBe('12')
  })

  it('takes a record of functions named has and get for a record', () => {
    const record = { has: () => 'H', get: () => 'G', other: () => 'O' }
    expect(compile('{{has}}{{get}}{{other}}', { functions: record }).renderSync({})).toBe('HGO')
  })

  it('asks a lookup', () => {
    const lookup = { has: (name: string) => name === 'f', get: () => () => 'found' }
    expect(compile('{{f}}', { functions: lookup }).renderSync({})).toBe('found')
    expect(() => compile('{{g}}', { functions: lookup })).toThrow('function "g" not defined')
  })

  it('evaluates a piped value before the arguments', () => {
    const seen: string[] = []
    const note = (name: string) => {
      seen.push(name)
      return name
    }
    compile('{{note "a" | list (note "b")}}', { functions: { note, list: functions.list } }).renderSync({})
    expect(seen).toEqual(['a', 'b'])
  })
})

describe('renders in a row', () => {
  it('know nothing of each other', () => {
    const template = compile('{{range .}}{{.a.b}}{{end}}')
    expect(() => template.renderSync([{ a: 1 }])).toThrow("can't evaluate field b")
    for (let i = 0; i < 3; i++) expect(template.renderSync([{ a: { b: i } }])).toBe(String(i))
    const long = Array.from({ length: 1000 }, () => ({ a: { b: 'x'.repeat(100) } }))
    for (let i = 0; i < 2; i++) expect(template.renderSync(long)).toHaveLength(100_000)
  })

  it('may be inside one another', () => {
    const outer = compile('{{if .}}<{{again}}>{{end}}!', { functions: { again: () => outer.renderSync(0) } })
    for (let i = 0; i < 2; i++) expect(outer.renderSync(1)).toBe('<!>!')
  })

  it('count steps each for itself', () => {
    const template = compile('{{range .}}{{end}}', { limits: { maxSteps: 1000 } })
    for (let i = 0; i < 5; i++) expect(template.renderSync(new Array(900).fill(0))).toBe('')
  })
})

describe('partials', () => {
  const partials = new Map([
    [
      'greet',
      compile('Hello {{.name}}{{template "mark" .}}', {
        name: 'greet',
        partials: new Map([['mark', compile('!')]]),
      }),
    ],
    ['self', compile('{{template "self" .}}', { name: 'self' })],
  ])

  it('finds definitions of the text first, then registered templates', () => {
    const template = compile('{{define "a"}}local{{end}}{{template "a"}} {{template "greet" .}}', {
      partials,
    })
    expect(template.renderSync({ name: 'Ann' })).toBe('local Hello Ann!')
    expect(template.execute({ name: '"' }, { output: 'json' })).toBe('local Hello \\"!')
  })

  it('reports a failure in the partial with its own name', () => {
    const inner = new Map([['p', compile('x{{len 1}}', { name: 'p' })]])
    const error = failureOf('a{{template "p"}}', {}, { partials: inner })
    expect(error.message).toBe(
      'template: p:1:3: executing "p" at <len 1>: error calling len: len of type int',
    )
    expect(error.partial).toBe('ax')
  })

  it('bounds recursion through partials', () => {
    const template = compile('{{template "self" .}}', { partials })
    expect(() => template.renderSync({}, { partials })).toThrow('exceeded maximum template depth (1000)')
  })
})
