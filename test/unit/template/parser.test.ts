import { describe, expect, it } from 'vitest'
import { type CompileOptions, compile, TemplateError } from '../../../src/template/index.js'

function failureOf(source: string, options: CompileOptions = {}): TemplateError {
  try {
    compile(source, options)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error(`${source} parses`)
}

describe('parser', () => {
  it.each([
    '',
    'text',
    '{{.x}}',
    '{{.x.y.z}}',
    '{{$}}',
    '{{$x := 1}}{{$x = 2}}{{$x.y}}',
    '{{printf "%d" 23}}',
    '{{.x | printf "%d" | print 1}}',
    '{{(.y .x)}}',
    '{{(.y .x).a.b}}',
    '{{if .x}}a{{else}}b{{end}}',
    '{{range $i, $x := .a}}{{break}}{{continue}}{{else}}c{{end}}',
    '{{with $x := .a | len}}{{$x}}{{end}}',
    '{{template "x"}}',
    '{{template "x" .y.z}}',
    "{{true}}{{nil | print}}{{1.5e3}}{{'a'}}{{`raw`}}",
  ])('prints %s back', (source) => {
    const printed = compile(source).toString()
    expect(printed).toBe(source)
    expect(compile(printed).toString()).toBe(printed)
  })

  it.each([
    { source: '{{ .x}}{{- .y -}} z', expected: '{{.x}}{{.y}}z' },
    { source: '{{if .a}}1{{else if .b}}2{{end}}', expected: '{{if .a}}1{{else}}{{if .b}}2{{end}}{{end}}' },
    {
      source: '{{with .a}}1{{else with .b}}2{{end}}',
      expected: '{{with .a}}1{{else}}{{with .b}}2{{end}}{{end}}',
    },
    { source: '{{block "b" .}}x{{end}}', expected: '{{template "b" .}}' },
    { source: 'a{{define "d"}}x{{end}}b', expected: 'ab' },
    { source: 'a{{/* c */}}b', expected: 'ab' },
    { source: '{{template `a"b`}}', expected: '{{template "a\\"b"}}' },
    { source: '{{range .x}}{{end}}', expected: '{{range .x}}{{end}}' },
  ])('prints $source as Go does', ({ source, expected }) => {
    expect(compile(source).toString()).toBe(expected)
  })

  it.each([
    { source: 'a{{x}}b', message: '1: function "x" not defined' },
    { source: '{{$x}}', message: '1: undefined variable "$x"' },
    { source: 'a\n{{if .x}}', message: '2: unexpected EOF' },
    { source: '{{end}}', message: '1: unexpected {{end}}' },
    { source: '{{else}}', message: '1: unexpected {{else}}' },
    { source: '{{if .x}}{{else}}{{else}}{{end}}', message: '1: expected end; found {{else}}' },
    { source: '{{range .x}}{{end}}{{break}}', message: '1: {{break}} outside {{range}}' },
    { source: '{{}}', message: '1: missing value for command' },
    { source: '{{if}}x{{end}}', message: '1: missing value for if' },
    { source: '{{.a | 1}}', message: '1: non executable command in pipeline stage 2' },
    { source: '{{(.a) | "x" | print}}', message: '1: non executable command in pipeline stage 2' },
    { source: '{{1.a}}', message: '1: bad number syntax: "1.a"' },
    { source: '{{"a".b}}', message: '1: unexpected . after term "\\"a\\""' },
    { source: '{{.x,.y}}', message: '1: unexpected "," in operand' },
    { source: '{{$a, $b := 1}}', message: '1: too many declarations in command' },
    { source: '{{range $a, $b, $c := .}}{{end}}', message: '1: too many declarations in range' },
    { source: '{{range $a, 1 := .}}{{end}}', message: '1: range can only initialize variables' },
    { source: '{{template x}}', message: '1: unexpected "x" in template clause' },
    { source: '{{define "a"}}', message: '1: unexpected EOF' },
    {
      source: '{{define "a"}}b{{end}}{{define "a"}}c{{end}}',
      message: '1: template: multiple definition of template "a"',
    },
    { source: '{{if .x}}{{define "a"}}{{end}}{{end}}', message: '1: unexpected <define> in command' },
    { source: '{{08}}', message: '1: integer overflow: "08"' },
    { source: '{{1e400}}', message: '1: illegal number syntax: "1e400"' },
    { source: "{{'ab'}}", message: "1: malformed character constant: 'ab'" },
    { source: '{{"\\z"}}', message: '1: invalid syntax' },
    { source: '{{if .a\n\n', message: '3: unclosed action started at t:1' },
    { source: '{{"a\nb"}}', message: '1: unterminated quoted string' },
    { source: '{{/* a\nb */}}{{foo}}', message: '2: function "foo" not defined' },
  ])('says $message', ({ source, message }) => {
    expect(failureOf(source)).toMatchObject({
      message: `template: t:${message}`,
      stage: 'parse',
      code: 'template_syntax',
    })
  })

  it('lets an empty definition give way', () => {
    const source = '{{define "a"}} {{end}}{{define "a"}}b{{end}}{{define "a"}}\n{{end}}{{template "a"}}'
    expect(compile(source).renderSync({})).toBe('b')
  })

  it('runs a definition that has the name of the text', () => {
    expect(compile('{{define "t"}}x{{end}} ', { name: 't' }).renderSync({})).toBe('x')
  })

  it('shows line, column as editors count them, and the source line', () => {
    const error = failureOf('line one\n日本 {{nope}} end\nlast')
    expect(error).toMatchObject({ line: 2, column: 6 })
    expect(error.details).toMatchObject({ line: 2, column: 6, frame: '日本 {{nope}} end\n     ^' })
  })

  it('suggests near names of functions', () => {
    const functions = new Map([['codebase_lookup_ref', () => '']])
    expect(failureOf('{{codebase_lokup_ref}}', { functions }).details).toMatchObject({
      suggestions: ['codebase_lookup_ref'],
    })
    expect(failureOf('{{prinft "a"}}').details).toMatchObject({ suggestions: ['print', 'printf'] })
  })

  it('names the template in messages', () => {
    expect(failureOf('{{', { name: 'a.b' }).message).toBe('template: a.b:1: unclosed action')
  })

  it.each([
    { name: 'source', source: 'x'.repeat(2000), limits: { maxSourceBytes: 1000 }, reason: 'source' },
    { name: 'source in bytes', source: '日'.repeat(400), limits: { maxSourceBytes: 1000 }, reason: 'source' },
    { name: 'parentheses', source: `{{${'('.repeat(600)}1${')'.repeat(600)}}}`, limits: {}, reason: 'depth' },
    { name: 'blocks', source: '{{if 1}}'.repeat(2000), limits: {}, reason: 'depth' },
    { name: 'pipelines', source: `{{1${' | print'.repeat(20_000)}}}`, limits: {}, reason: 'depth' },
    { name: 'paths', source: `{{${'.a'.repeat(20_000)}}}`, limits: {}, reason: 'depth' },
    { name: 'many parentheses', source: `{{${'('.repeat(100_000)}`, limits: {}, reason: 'depth' },
  ])('limits $name', ({ source, limits, reason }) => {
    expect(failureOf(source, { limits })).toMatchObject({ code: 'render_limit', reason, stage: 'parse' })
  })

  it('parses and runs what is just within the limits', () => {
    const depth = 480
    const nested = `${'{{if 1}}'.repeat(depth)}x${'{{end}}'.repeat(depth)}`
    expect(compile(nested).renderSync({})).toBe('x')
    const chain = `{{if .a}}${'{{else if .b}}'.repeat(depth)}{{else}}y{{end}}`
    expect(compile(chain).renderSync({})).toBe('y')
    expect(compile(`{{${'('.repeat(depth)}1${')'.repeat(depth)}}}`).renderSync({})).toBe('1')
  })

  it('accepts only strings', () => {
    expect(() => compile({ toString: () => '{{1}}' } as unknown as string)).toThrow(TypeError)
  })
})
