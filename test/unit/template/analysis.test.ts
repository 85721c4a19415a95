import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/template/index.js'

const functions = { tool: () => '', default: () => '', upper: () => '' }

/** Paths with `?` for conditional and `!` for guarded references. */
function variablesOf(source: string): string[] {
  return compile(source, { functions }).references.variables.map(
    ({ path, conditional, guarded }) => `${path.join('.')}${conditional ? '?' : ''}${guarded ? '!' : ''}`,
  )
}

describe('references', () => {
  it.each([
    { source: '{{.a}}{{.b.c}}{{$.d}}', expected: ['a', 'b.c', 'd'] },
    {
      source: '{{if .a}}{{.b}}{{else if .c}}{{.d}}{{else}}{{.e}}{{end}}',
      expected: ['a!', 'b?', 'c?!', 'd?', 'e?'],
    },
    { source: '{{with .a}}{{.b}}{{$.c}}{{else}}{{.d}}{{end}}', expected: ['a!', 'a.b?', 'c?', 'd?'] },
    { source: '{{with .a.b}}{{with .c}}{{.d}}{{end}}{{end}}', expected: ['a.b!', 'a.b.c?!', 'a.b.c.d?'] },
    { source: '{{range .items}}{{.name}}{{$.x}}{{else}}{{.y}}{{end}}', expected: ['items', 'x?', 'y?'] },
    { source: '{{range $i, $e := .items}}{{$e.name}}{{$i}}{{end}}', expected: ['items'] },
    { source: '{{$x := .a}}{{$x.b}}{{$x = .c}}{{$x.d}}', expected: ['a', 'a.b', 'c'] },
    { source: '{{and .a .b}}{{or .c .d}}{{not .e}}', expected: ['a!', 'b?!', 'c!', 'd?!', 'e!'] },
    { source: '{{default "x" .a}}{{.b | default "x"}}{{upper .c}}', expected: ['a!', 'b!', 'c'] },
    {
      source: '{{if eq .a 1}}{{end}}{{if (.b)}}{{end}}{{if not (and .c .d)}}{{end}}',
      expected: ['a', 'b!', 'c!', 'd?!'],
    },
    { source: '{{(tool .a).b}}{{(.c).d}}', expected: ['a', 'c', 'c.d'] },
    { source: '{{define "p"}}{{.b}}{{$.c}}{{end}}{{template "p" .a}}', expected: ['a', 'a.b?', 'a.c?'] },
    { source: '{{define "p"}}{{.b}}{{template "p" .}}{{end}}{{template "p" .}}', expected: ['b?'] },
    { source: '{{define "p"}}{{.b}}{{end}}', expected: [] },
    { source: '{{block "p" .}}{{.b}}{{end}}', expected: ['b?'] },
    { source: '{{template "other" .a}}', expected: ['a'] },
    { source: '{{.}}{{range .}}{{.x}}{{end}}', expected: [] },
  ])('$source', ({ source, expected }) => {
    expect(variablesOf(source)).toEqual(expected)
  })

  it('lists functions without builtins and partials without definitions', () => {
    const source =
      '{{tool (upper .a)}}{{if len .a}}{{tool 1}}{{end}}{{template "x"}}{{define "y"}}{{end}}{{template "y"}}'
    const { functions: called, partials } = compile(source, { functions }).references
    expect(called.map(({ name, conditional }) => [name, conditional])).toEqual([
      ['tool', false],
      ['upper', false],
      ['tool', true],
    ])
    expect(partials).toEqual([{ name: 'x', conditional: false, getsAll: false, line: 1, column: 61 }])
  })

  it('knows lines and columns as editors count them', () => {
    expect(compile('a\n日{{.x}}').references.variables).toEqual([
      { path: ['x'], conditional: false, guarded: false, line: 2, column: 4 },
    ])
  })
})
