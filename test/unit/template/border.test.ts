import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compile, defineFunctions, functionLibrary } from '../../../src/template/index.js'
import { parseJson } from '../../../src/util/json/json.js'

const DATA = { l: ['a', 'b', 'c'], o: { b: 1, a: 2 }, bytes: 'x' }
const CONFORMANCE = join(import.meta.dirname, '../../conformance/library')

/** What a user function gets for the values of one call. */
function passed(call: string, declared: 'plain' | 'declared' = 'plain'): unknown[] {
  let got: unknown[] = []
  const call_ = (...values: unknown[]) => {
    got = values
    return ''
  }
  const spy = declared === 'plain' ? call_ : { call: call_, parameters: ['any'] as const, variadic: true }
  compile(`{{spy ${call}}}`, { functions: withLibrary({ spy }) }).renderSync(DATA, { now: () => 1_500 })
  return got
}

function withLibrary(functions: object) {
  return { ...Object.fromEntries(functionLibrary as ReadonlyMap<string, never>), ...functions }
}

function render(source: string, data: unknown, functions: object = {}): string {
  return compile(source, { functions: withLibrary(functions) }).renderSync(data)
}

function failureOf(source: string, data: unknown): string {
  try {
    return render(source, data)
  } catch (error) {
    return (error as Error).message
  }
}

describe('a user function gets plain JavaScript', () => {
  it.each([
    ['(add 1 2)', [3]],
    ['1.0', [1]],
    ['3 2.5', [3, 2.5]],
    ['(int64 1)', [1]],
    ['(int64 "9007199254740993")', [9007199254740993n]],
    ['(splitList "," "a,b")', [['a', 'b']]],
    ['(keys .o | sortAlpha)', [['a', 'b']]],
    ['(until 2)', [[0, 1]]],
    ['(slice .l 0 1)', [['a']]],
    ['(list 1 2.0 "x")', [[1, 2, 'x']]],
    ['(dict "a" (list 1.0 (int64 2)))', [{ a: [1, 2] }]],
    ['(split "," "a,b")', [{ _0: 'a', _1: 'b' }]],
    ['(chunk 2 (list 1 2 3))', [[[1, 2], [3]]]],
    ['(semver "1.2.3")', ['1.2.3']],
    ['1i', ['(0+1i)']],
    ['"\\xff"', ['\ufffd']],
    ['(list "\\xff")', [['\ufffd']]],
    ['now', [new Date(1_500)]],
    ['(list now)', [[new Date(1_500)]]],
    ['nil .missing', [null, null]],
  ])('%s', (call, expected) => {
    expect(passed(call)).toEqual(expected)
    expect(passed(call, 'declared')).toEqual(expected)
  })

  const rows = readFileSync(join(CONFORMANCE, 'rows.txt'), 'utf8')
  const calls = [...rows.matchAll(/\{\{\s*([^{}]+)\}\}/g)].map(([, call = '']) => call)

  it('whatever the library makes, and nothing of the engine in it', () => {
    const data = parseJson(readFileSync(join(CONFORMANCE, 'data.json'), 'utf8'))
    const seen: unknown[] = []
    const spy = (...values: unknown[]) => {
      seen.push(...values)
      return ''
    }
    for (const call of calls) {
      try {
        compile(`{{spy (${call})}}`, { functions: withLibrary({ spy }) }).renderSync(data)
      } catch {
        // Rows of failures make nothing.
      }
    }
    expect(seen.length).toBeGreaterThan(150)
    for (const value of seen) {
      expect(structuredClone(value)).toEqual(value)
      expect(classesIn(value)).toEqual([])
    }
  })

  it('and data as it is where there is nothing to change', () => {
    const instance = new URL('https://example.com')
    const data = { list: [1, 'x', { a: [] }], instance }
    const got: unknown[] = []
    const keep = (value: unknown) => {
      got.push(value)
      return ''
    }
    compile('{{keep .list}}{{keep .instance}}', { functions: { keep } }).renderSync(data)
    expect(got[0]).toBe(data.list)
    expect(got[1]).toBe(instance)
  })

  it('but the library’s own functions see the engine’s values, in whatever table they stand', () => {
    const kindOf = functionLibrary.get('kindOf') as never
    const functions = { sort: { ...(functionLibrary.get('typeOf') as object) }, kindOf } as never
    expect(compile('{{sort 1.0}} {{kindOf 1.0}}', { functions }).renderSync({})).toBe('float64 float64')
  })
})

describe('what comes back is a value of Go', () => {
  const date = new Date(Date.UTC(2024, 0, 2, 3, 4, 5))
  it.each([
    ['{{.v}}', date, '2024-01-02 03:04:05 +0000 UTC'],
    ['{{.v.Year}} {{.v.Format "2006-01-02"}}', date, '2024 2024-01-02'],
    ['{{date "2006-01-02" .v}}', date, '2024-01-02'],
    [
      '{{.v}}',
      new Map<unknown, unknown>([
        ['b', 1],
        ['a', new Set([1, 2])],
      ]),
      'map[a:[1 2] b:1]',
    ],
    [
      '{{.v.a}} {{len .v}} {{index .v "a"}} {{range $k, $x := .v}}{{$k}}={{$x}};{{end}}',
      new Map([['a', 1]]),
      '1 1 1 a=1;',
    ],
    ['{{range .v}}{{.}},{{end}}{{len .v}}{{join "+" .v}}', new Set(['a', 'b']), 'a,b,2a+b'],
    ['{{.v}} {{upper .v}} {{printf "%q" .v}}', Buffer.from('héy'), 'héy HÉY "héy"'],
    [
      '{{.v}}',
      new (class {
        readonly a = 1
      })(),
      'map[a:1]',
    ],
    ['{{.v}}', Float64Array.of(1.5, 2.5), '[1.5 2.5]'],
    ['{{if .v}}yes{{else}}no{{end}}', new Map(), 'no'],
    ['{{if .v}}yes{{else}}no{{end}}{{not .v}}', new Set(), 'notrue'],
    ['{{toJson .v}}', [date, new Set(['x'])], '["2024-01-02T03:04:05Z",["x"]]'],
    ['{{printf "%v" .v}}', { d: new Map([['k', 1]]) }, 'map[d:map[k:1]]'],
  ])('%s of %o', (source, value, expected) => {
    expect(render(source, { v: value })).toBe(expected)
    expect(
      render(source.replaceAll('.v', '$v').replace('{{', '{{$v := give}}{{'), {}, { give: () => value }),
    ).toBe(expected)
  })

  it('also after many renders, and after the data changed', () => {
    const template = compile('{{.m}}{{if .m}}!{{end}}')
    const m = new Map([['a', 0]])
    for (let i = 0; i < 250; i++) {
      m.set('a', i)
      expect(template.renderSync({ m })).toBe(`map[a:${i}]!`)
    }
  })

  it.each([
    ['{{.a.v}}', new URL('https://x.y'), ".a.v: can't use an instance of URL"],
    ['{{print .a.v}}', new Error('no'), "can't use an instance of Error"],
    ['{{range .a.v}}{{end}}', /x/, "can't use an instance of RegExp"],
    ['{{toJson .a}}', new Date(Number.NaN), 'instance of Date without a time.v'],
    ['{{upper .a.v}}', new WeakMap(), "can't use an instance of WeakMap"],
  ])('%s of %o is an error that says where', (source, value, message) => {
    expect(failureOf(source, { a: { v: value } })).toContain(message)
    expect(render(`{{if false}}${source}{{end}}ok`, { a: { v: value } })).toBe('ok')
  })

  const results: readonly [Returning, string][] = [
    [{ call: () => 3 }, 'int 3'],
    [{ call: () => 3, parameters: [], returns: 'float64' }, 'float64 3'],
    [{ call: () => 2.5, parameters: [] }, 'float64 2.5'],
    [{ call: () => 2n ** 60n, parameters: [] }, 'int 1152921504606846976'],
    [{ call: () => ['a'], parameters: [], returns: '[]string' }, '[]string [a]'],
    [{ call: (): unknown => null, parameters: [] }, '<nil> <nil>'],
    [
      { call: () => new Date(0), parameters: [], returns: 'time.Time' },
      'time.Time 1970-01-01 00:00:00 +0000 UTC',
    ],
  ]
  it.each(results)('a result of %o', (declared, expected) => {
    const give = 'parameters' in declared ? declared : declared.call
    expect(render('{{printf "%T %v" give give}}', {}, { give })).toBe(expected)
  })

  it('also when it is waited for', async () => {
    const give = async () => new Map([['a', new Date(0)]])
    expect(await compile('{{(give).a.Year}}', { functions: { give } }).render({})).toBe('1970')
  })
})

it('defineFunctions needs no `as const`', () => {
  const functions = defineFunctions({
    repeat: { call: (count: number, text: string) => text.repeat(count), parameters: ['int', 'string'] },
    inc: (n: number) => n + 1,
  })
  expect(compile('{{repeat 2 "ab"}}{{inc 1.0}}', { functions }).renderSync({})).toBe('abab2')
})

it('functions of several tables are found, the first first', () => {
  const mine = { shout: (text: string) => text.toUpperCase(), add: () => 'mine' }
  const functions = defineFunctions(mine, functionLibrary)
  const template = compile('{{shout "ab"}} {{add 1 2}} {{upper "c"}}', { functions })
  expect(template.renderSync({})).toBe('AB mine C')
  expect(() => compile('{{shuot "ab"}}', { functions })).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('shout') }),
  )
})

interface Returning {
  readonly call: () => unknown
  readonly parameters?: readonly never[]
  readonly returns?: string
}

/** Classes of objects in a value that are not JavaScript's own plain ones. */
function classesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || value instanceof Date) return []
  const { name } = value.constructor
  const own = name === 'Object' || name === 'Array' ? [] : [name]
  return [...own, ...Object.values(value).flatMap(classesIn)]
}

describe('a function table without types', () => {
  it.each([
    [
      'no parameters',
      { call: () => 1, returns: 'float64' },
      /"f" is declared without parameters: .*\[\] for none/,
    ],
    ['no function', { parameters: [] }, /"f" is declared without a function/],
  ])('is told what a declaration with %s lacks', (_what, f, message) => {
    const functions = { has: (name: string) => name === 'f', get: () => f }
    expect(() => compile('{{f}}', { functions: functions as never }).renderSync({})).toThrow(message)
    expect(() => compile('{{f}}', { functions: { f } as never }).renderSync({})).toThrow(message)
  })
})
