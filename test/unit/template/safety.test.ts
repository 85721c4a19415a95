import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile, TemplateError } from '../../../src/template/index.js'
import type { CompiledTemplate } from '../../../src/template/template.js'
import { anyCharacter } from '../../support/any-character.js'
import { someRuns } from '../../support/some-runs.js'

const NAMES = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'length',
  'name',
  '__defineGetter__',
  'then',
]

const HOSTILE_TEXTS = [
  '`${process.exit(1)}`',
  '"; throw 1; "',
  "');throw 1;('",
  '*/throw 1/*',
  '\u2028throw 1',
  '\\u0022;throw 1',
  '</script><script>',
  '${text0}',
  '}};return templates//',
  'long '.repeat(500),
]

function sourcesOf(template: string): string[] {
  const functions = { has: () => true, get: () => () => '' }
  const compiled = compile(template, { functions, dialect: 'go' }) as CompiledTemplate
  const sources = [false, true].flatMap((json) =>
    [false, true].map((asynchronous) => compiled.code.source({ json, asynchronous })),
  )
  return [
    ...sources,
    compiled.code.source({ json: false, asynchronous: false }, { direct: true }),
    compiled.straightSource() ?? '',
  ]
}

describe('safety', () => {
  it.each(NAMES)('reads %s only where the data has it', (name) => {
    const template = compile(`{{.${name}}} {{.a.${name}}} {{range .l}}{{.${name}}}{{end}}`)
    expect(template.renderSync({ a: {}, l: [{}] })).toBe('<no value> <no value> <no value>')
    const own = JSON.parse(`{"${name}": 1}`) as object
    expect(compile(`{{.${name}}}`).renderSync(own)).toBe('1')
  })

  it.each(NAMES)('finds nothing named %s on values that are not maps', (name) => {
    for (const value of ['text', 1, true, [1], 1.5, 2n]) {
      expect(() => compile(`{{.v.${name}}}`).renderSync({ v: value })).toThrow(`can't evaluate field ${name}`)
    }
  })

  it('finds no function that is inherited', () => {
    for (const name of NAMES) {
      expect(() => compile(`{{${name}}}`, { functions: {} })).toThrow(`function "${name}" not defined`)
    }
  })

  it('never parses a value as a template', () => {
    expect(compile('{{.}}{{printf "%s" .}}{{print .}}').renderSync('{{len 3}}')).toBe('{{len 3}}'.repeat(3))
  })

  it('reads proxies by their traps', () => {
    const target = new Map([
      ['a', 1],
      ['b', 2],
    ])
    const proxy = new Proxy(
      {},
      {
        has: (_, key) => target.has(key as string),
        get: (_, key) => target.get(key as string),
        ownKeys: () => [...target.keys()],
        getOwnPropertyDescriptor: (_, key) =>
          target.has(key as string)
            ? { value: target.get(key as string), enumerable: true, configurable: true }
            : undefined,
      },
    )
    const template = compile('{{.a}}{{.c}}{{range $k, $v := .}}{{$k}}{{$v}}{{end}}{{len .}}{{index . "b"}}')
    expect(template.renderSync(proxy)).toBe('1<no value>a1b222')
  })

  it('generates the same source whatever the strings, names and numbers are', () => {
    const shape = (name: string, text: string, number: string) =>
      `${text}{{.${name}.${name}}}{{$${name} := ${number}}}{{$${name}.${name}}}{{if eq .${name} ${JSON.stringify(text)}}}` +
      `{{range $i_${name}, $e_${name} := .${name}}}{{$e_${name}}}${text}{{end}}{{else}}{{f_${name} . ${number} | g_${name}}}{{end}}` +
      `{{define ${JSON.stringify(text)}}}{{.${name}}}{{end}}{{template ${JSON.stringify(text)} .}}{{printf ${JSON.stringify(text)} .${name}}}` +
      `{{(index . ${JSON.stringify(name)}).${name}}}{{with .${name}}}{{.${name} 1}}{{end}}` +
      `${text}{{range .${name}}}{{.}}text{{end}}text{{if .${name}}}${text}{{else}}{{.}}text{{end}}text` +
      `{{printf ${JSON.stringify(`%d${text.replaceAll('%', '')}`)} .${name}}}{{if ne .${name} ${JSON.stringify(text)}}}${text}{{end}}`
    const plain = sourcesOf(shape('a', 'text', '1'))
    for (const name of [...NAMES, 'text0', 'run', 'out', 'items', 'value', 'é']) {
      for (const text of HOSTILE_TEXTS) expect(sourcesOf(shape(name, text, '0x1p4'))).toEqual(plain)
    }
  })

  it('generates the same source for straight templates too', () => {
    const shape = (name: string, text: string, number: string) =>
      `${text}{{.${name}.${name}}}{{$${name} := ${number}}}{{$${name}.${name}}}{{if .${name}}}{{${JSON.stringify(text)}}}` +
      `{{else}}{{${number}}}{{end}}${text}{{with $${name}}}{{.}}${text}{{end}}`
    const plain = sourcesOf(shape('a', 'text', '1'))
    expect(plain.at(-1)).toContain('function(dot)')
    for (const name of [...NAMES, 'text0', 'run', 'out']) {
      for (const text of HOSTILE_TEXTS) expect(sourcesOf(shape(name, text, '0x1p4'))).toEqual(plain)
    }
  })

  it('generates the same source for a template of the text and one from outside', () => {
    const define = '{{define "a"}}x{{end}}'
    expect(sourcesOf(`${define}{{template "a" .}}`)).toEqual(sourcesOf(`${define}{{template "b" .}}`))
  })

  it.each(HOSTILE_TEXTS)('prints %s as it is', (text) => {
    const template = compile(`${text}{{.}}{{${JSON.stringify(text)}}}{{printf "%s" ${JSON.stringify(text)}}}`)
    expect(template.renderSync(text)).toBe(text.repeat(4))
    expect(JSON.parse(`"${template.execute(text, { output: 'json' })}"`)).toBe(text.repeat(4))
  })

  it('never throws anything but a positioned TemplateError on random text', () => {
    const piece = fc.constantFrom(
      ...[
        '{{',
        '}}',
        '{{-',
        '-}}',
        'if ',
        'range ',
        'with ',
        'end',
        'else',
        'define "a"',
        'template "a" ',
        'block "b" .',
      ],
      ...[
        '.',
        '.a',
        '$',
        '$x',
        ':=',
        '=',
        '|',
        '(',
        ')',
        ',',
        '"s"',
        '`r`',
        "'c'",
        '1',
        '-1.5',
        '0x',
        'nil',
        'true',
      ],
      ...[
        'len ',
        'index ',
        'printf "%d" ',
        'eq ',
        'and ',
        'break',
        'continue',
        '/* c */',
        ' ',
        '\n',
        'é',
        '\ud800',
        '\u0000',
      ],
    )
    const text = fc.oneof(
      fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join('')),
      fc.array(piece, { maxLength: 8 }).map((pieces) => `{{${pieces.join(' ')}}}`),
      fc.string({ unit: anyCharacter }),
    )
    fc.assert(
      fc.property(text, (source) => {
        try {
          compile(source).renderSync({ a: { a: [1, 'x', null] } }, { limits: { maxSteps: 1000 } })
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError)
          expect((error as TemplateError).line).toBeGreaterThan(0)
        }
      }),
      { numRuns: someRuns(3_000) },
    )
  })
})
