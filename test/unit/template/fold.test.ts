import { describe, expect, it } from 'vitest'
import { compile, type TemplateError } from '../../../src/template/index.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'

const open = new Set(['variables'])
/** Short as text, and too many elements to print in one go. */
const many = new Array(25_000).fill(1)
const fixed = { many, name: 'Ada', list: ['a', 'b'], repo: { url: 'u', tags: ['x'] } }
const isPure = (name: string) => functionLibrary.has(name)

function folded(source: string, data: unknown = fixed) {
  const template = compile(source, { functions: functionLibrary })
  return template.fold(data, { open, isPure, missingKey: 'guarded' })
}

describe('folding', () => {
  it.each([
    { source: '{{.name}}', into: 'Ada' },
    { source: 'a {{.name}} b {{.variables.x}} c', into: 'a Ada b {{.variables.x}} c' },
    { source: '{{$.name}}{{$.variables.x}}', into: 'Ada{{$.variables.x}}' },
    { source: '{{range .list}}-{{.}}{{end}}', into: '-a-b' },
    { source: '{{range $i, $x := .list}}{{$i}}{{$x}}{{end}}', into: '0a1b' },
    { source: '{{with .repo}}{{.url}}{{range .tags}}{{.}}{{end}}{{end}}', into: 'ux' },
    { source: '{{if .gone}}x{{else}}y{{end}}', into: 'y' },
    { source: '{{join ", " .list | upper}}', into: 'A, B' },
    { source: '{{printf "%q" .name}}{{len .list}}', into: '"Ada"2' },
    { source: '{{with .list}}{{$l := .}}{{range $l}}{{break}}{{end}}{{len $l}}{{end}}', into: '2' },
  ])('$source becomes $into', ({ source, into }) => {
    expect(folded(source).toString()).toBe(into)
  })

  it.each([
    { why: 'the data itself', source: '{{.}}{{$}}{{with .}}{{.name}}{{end}}' },
    { why: 'an open entry inside a fixed loop', source: '{{range .list}}{{$.variables.x}}{{end}}' },
    { why: 'an open condition', source: '{{if .variables.x}}{{.name}}{{end}}' },
    { why: 'a declaration', source: '{{$x := .name}}{{$x}}' },
    { why: 'a declaration in parentheses', source: '{{print ($x := .name)}}{{$x}}' },
    { why: 'an assignment to the outside', source: '{{$x := 1}}{{if .name}}{{$x = 2}}{{end}}{{$x}}' },
    { why: 'a variable with the name of the data', source: '{{$ := 0}}{{$.name}}' },
    { why: 'the data under another name', source: '{{if .variables.x}}{{$ = .variables}}{{end}}{{$.name}}' },
    { why: 'a variable in parentheses', source: '{{print ($ := .variables)}}{{$.name}}' },
    { why: 'another template', source: '{{define "t1"}}x{{end}}{{template "t1" .name}}' },
    {
      why: 'itself, with other data',
      source: '{{.name}}{{if .variables.x}}{{template "t" .variables}}{{end}}',
    },
    { why: 'the time', source: '{{now | date "2006"}}' },
    { why: 'a failure', source: '{{index .list 7}}' },
    { why: 'very much text', source: '{{range until 9000}}{{$.repo.url}}12345678{{end}}' },
    { why: 'very many steps', source: '{{range until 20000}}{{end}}' },
    { why: 'a value that is printed slowly', source: '{{.many}}' },
  ])('leaves what depends on $why', ({ source }) => {
    const template = compile(source, { name: 't', functions: functionLibrary })
    expect(template.fold(fixed, { open, isPure, missingKey: 'guarded' })).toBe(template)
  })

  it('folds the rest by builtins when a function asks for the time', () => {
    const source = '{{.name}}{{upper .name}}{{now | date "2006"}}'
    expect(folded(source).toString()).toBe('Ada{{upper .name}}{{now | date "2006"}}')
  })

  it('calls no function that is not said to be pure', () => {
    let calls = 0
    const functions = { tool: () => ++calls }
    const template = compile('{{.name}} {{tool}}', { functions })
    const result = template.fold(fixed, { open })
    expect([result.toString(), calls]).toEqual(['Ada {{tool}}', 0])
    expect(result.renderSync(fixed)).toBe('Ada 1')
  })

  it('prints as before, in text and in JSON, with bytes that are no UTF-8', () => {
    const source = '{{slice .euro 0 2}}|{{.quote}}|{{.variables.x}}'
    const data = { euro: '€', quote: 'a "b"\n' }
    const all = { ...data, variables: { x: '"' } }
    const template = compile(source)
    const result = template.fold(data, { open })
    expect(result).not.toBe(template)
    expect(result.renderSync(all)).toBe(template.renderSync(all))
    expect(result.renderSync(all, { output: 'json' })).toBe(template.renderSync(all, { output: 'json' }))
  })

  it('keeps the position of errors in what is left', () => {
    const source = '{{.name}}\n{{.name}} {{index .variables.x 3}}'
    const render = (template: { renderSync(data: unknown): string }) => {
      try {
        return template.renderSync({ ...fixed, variables: { x: [] } })
      } catch (error) {
        const { message, line, column, partial } = error as TemplateError
        return { message, line, column, partial }
      }
    }
    expect(render(folded(source))).toEqual(render(compile(source)))
    expect(render(folded(source))).toMatchObject({ line: 2, partial: 'Ada\nAda ' })
  })

  it('leaves entries of prototypes alone', () => {
    const data = JSON.parse('{"__proto__":{"x":1},"constructor":"c"}')
    expect(folded('{{.__proto__.x}}{{.constructor}}', data).toString()).toBe('1c')
    expect(folded('{{if .toString}}x{{end}}', data).toString()).toBe('')
  })
})
