import { describe, expect, it } from 'vitest'
import { compile, type Template } from '../../../src/template/index.js'
import type { CompiledTemplate } from '../../../src/template/template.js'
import { failureOf } from '../../support/template-failure.js'

/** After so many renders a template has code of its own. */
const RENDERS_TO_SETTLE = 100

function settled(source: string, data: unknown = {}, options = {}): Template {
  const template = compile(source, options)
  for (let i = 0; i < RENDERS_TO_SETTLE; i++) template.renderSync(data)
  return template
}

function isStraight(source: string): boolean {
  const template = compile(source, { functions: { upper: String } }) as CompiledTemplate
  return template.straightSource() !== null
}

function bytesOf(template: Template, data: unknown): string {
  const target = Buffer.alloc(1000)
  return target.toString('latin1', 0, template.renderInto(data, target))
}

describe('straight templates', () => {
  it.each([
    '',
    'text',
    '{{.}}{{.a.b}}{{$}}{{$.a}}',
    '{{1}}{{"x"}}{{true}}',
    '{{if .a}}{{.b}}{{else if .c}}c{{else}}d{{end}}',
    '{{with .a}}{{.b}}{{else}}{{$x := .c}}{{$x.d}}{{end}}',
    '{{$x := .a}}{{$x = .b}}{{$x}}',
  ])('has %s', (source) => {
    expect(isStraight(source)).toBe(true)
  })

  it.each([
    '{{range .a}}{{end}}',
    '{{if .a}}{{range .b}}{{end}}{{end}}',
    '{{with .a}}{{else}}{{range .b}}{{end}}{{end}}',
    '{{define "t"}}{{end}}{{template "t"}}',
    '{{block "t" .}}{{end}}',
    '{{upper .a}}',
    '{{.a | upper}}',
    '{{if and .a .b}}{{end}}',
    '{{(upper .a).b}}',
    '{{.a.b 1}}',
    '{{.a}}'.repeat(2000),
  ])('does not have %s', (source) => {
    expect(isStraight(source)).toBe(false)
  })

  it('prints whatever the data is, as before', () => {
    const source = '<{{.a}}|{{.b.c}}|{{if .d}}{{.d}}{{else}}none{{end}}>'
    const template = settled(source, { a: 'x', b: { c: 'y' } })
    const values = [
      '',
      'é',
      '漢字 😀',
      0,
      -0,
      1.5,
      1e21,
      2 ** 53,
      3n,
      true,
      null,
      undefined,
      [1, 'a'],
      { k: 1 },
    ]
    for (const a of values) {
      for (const c of values) {
        const data = { a, b: { c }, d: a }
        const fresh = compile(source)
        expect(template.renderSync(data)).toBe(fresh.renderSync(data))
        expect(bytesOf(template, data)).toBe(bytesOf(fresh, data))
      }
    }
    for (const data of [null, undefined, 1, 'text', []]) {
      const outcome = (subject: Template) => {
        try {
          return subject.renderSync(data)
        } catch (error) {
          return error
        }
      }
      expect(outcome(template)).toEqual(outcome(compile(source)))
    }
  })

  it('fails as before, with what was printed before, and again in the next render', () => {
    const source = 'a{{.x.y}}b{{.x.y.z}}c'
    const template = settled(source, { x: { y: { z: 1 } } })
    const expected = failureOf(() => compile(source).renderSync({ x: { y: 'é' } }))
    expect(expected.partial).toBe('aéb')
    for (let i = 0; i < 3; i++) {
      const error = failureOf(() => template.renderSync({ x: { y: 'é' } }))
      expect(error).toEqual(expected)
      expect(error.partial).toBe(expected.partial)
      expect(failureOf(() => template.renderInto({ x: { y: 'é' } }, new Uint8Array(100)))).toEqual(expected)
      expect(template.renderSync({ x: { y: { z: i } } })).toBe(`amap[z:${i}]b${i}c`)
    }
  })

  it('gives well-formed strings', () => {
    const template = settled('a{{.x}}b')
    expect(template.renderSync({ x: '\ud800' })).toBe('a\ufffdb')
    expect(template.renderSync({ x: '\udcff' })).toBe('a\ufffdb')
    expect(template.renderSync({ x: '\udcc3\udca9' })).toBe('aéb')
    expect(bytesOf(template, { x: '\udcff' })).toBe('a\xffb')
    expect(template.renderSync({ x: '😀' })).toBe('a😀b')
  })

  it('holds the limit of the output', () => {
    const template = settled('{{.}}', 'x', { limits: { maxOutputBytes: 6 } })
    for (const fits of ['', 'ab', 'abcdef', 'ééé', '漢字']) {
      expect(template.renderSync(fits)).toBe(fits)
      expect(template.renderInto(fits, new Uint8Array(6))).toBe(Buffer.byteLength(fits))
    }
    for (const tooLong of ['abcdefg', 'éééé', '漢字!']) {
      for (const render of [
        () => template.renderSync(tooLong),
        () => template.renderInto(tooLong, new Uint8Array(20)),
      ]) {
        const error = failureOf(render)
        expect(error).toMatchObject({ code: 'render_limit', reason: 'output', partial: tooLong })
      }
    }
    const error = failureOf(() => template.renderInto('ééé', new Uint8Array(5)))
    expect(error.message).toContain("output of 6 bytes exceeds the target's 5")
  })

  it('still obeys options', () => {
    const template = settled('a{{.x}}')
    expect(template.renderSync({}, { missingKey: 'zero' })).toBe('a<no value>')
    expect(failureOf(() => template.renderSync({}, { missingKey: 'error' })).message).toContain('no entry')
    expect(template.renderSync({ x: '"' }, { output: 'json' })).toBe('a\\"')
    expect(template.renderInto({ x: '"' }, new Uint8Array(9), { output: 'json' })).toBe(3)
    expect(failureOf(() => template.renderSync({ x: 'yz' }, { limits: { maxOutputBytes: 2 } })).reason).toBe(
      'output',
    )
  })

  it('counts what methods make in each render alone', () => {
    const when = new Date(0)
    const template = settled('{{.when.String}}', { when }, { limits: { maxMade: 1000 } })
    for (let i = 0; i < RENDERS_TO_SETTLE; i++) {
      expect(template.renderSync({ when })).toBe('1970-01-01 00:00:00 +0000 UTC')
    }
  })

  it('may be rendered by its own data', () => {
    const template = settled('[{{.x}}{{.y}}]')
    const inner = () => template.renderSync({ x: 'in', y: 'ner' })
    const data = Object.defineProperty({ y: '!' }, 'x', { get: inner, enumerable: true })
    expect(template.renderSync(data)).toBe('[[inner]!]')
  })

  it('copies long texts to bytes and joins them to strings, in turns', () => {
    const long = 'long text '.repeat(500)
    const template = compile(`${long}{{.x}}${long}`)
    const target = Buffer.alloc(20_000)
    for (let i = 0; i < 2 * RENDERS_TO_SETTLE; i++) {
      const expected = `${long}${i}${long}`
      expect(template.renderSync({ x: i })).toBe(expected)
      expect(target.toString('latin1', 0, template.renderInto({ x: i }, target))).toBe(expected)
      const error = failureOf(() => template.renderInto({ x: i }, target.subarray(0, 50)))
      expect(error.partial).toBe(expected)
    }
  })
})
