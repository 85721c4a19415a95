import { describe, expect, it } from 'vitest'
import { markedBranches, mutantsOf } from '../../../src/template/variants.js'

/** Changes and what becomes of the text. */
const MUTANTS: readonly {
  readonly source: string
  readonly found: readonly (readonly [string, number, string])[]
}[] = [
  {
    source: 'one\n\n  two {{.a}}!',
    found: [
      ['removed the text "one"', 0, '\n\n  two {{.a}}!'],
      ['removed the text "two"', 5, 'one\n\n{{.a}}!'],
      ['removed {{.a}}', 13, 'one\n\n  two !'],
    ],
  },
  {
    source: '{{if .a}}{{.b}}{{else}}{{.c}}{{end}}',
    found: [
      ['never took {{if .a}}', 5, '{{.c}}'],
      ['always took {{if .a}}', 5, '{{.b}}'],
      ['removed {{.b}}', 11, '{{if .a}}{{else}}{{.c}}{{end}}'],
      ['removed {{.c}}', 25, '{{if .a}}{{.b}}{{else}}{{end}}'],
    ],
  },
  {
    source: '{{range $i, $x := .a}}{{template "t" .}}{{else}}{{end}}{{$y := 1}}',
    found: [
      ['never took {{range $i, $x := .a}}', 8, '{{$y := 1}}'],
      [
        'removed the {{else}} of {{range $i, $x := .a}}',
        8,
        '{{range $i, $x := .a}}{{template "t" .}}{{end}}{{$y := 1}}',
      ],
      ['removed {{template "t" .}}', 33, '{{range $i, $x := .a}}{{else}}{{end}}{{$y := 1}}'],
    ],
  },
  {
    source: '{{define "d"}}{{.}}{{end}}{{template "d" .a}}',
    found: [
      ['removed {{template "d" .a}}', 37, '{{define "d"}}{{.}}{{end}}'],
      ['removed {{.}}', 16, '{{template "d" .a}}{{define "d"}}{{end}}'],
    ],
  },
]

describe('mutants', () => {
  it.each(MUTANTS)('of $source differ in one thing each', ({ source, found }) => {
    expect(mutantsOf(source).map(({ change, position, text }) => [change, position, text])).toEqual(found)
  })
})

describe('marked branches', () => {
  it('mark the whole, each body and each else, and count their lines without those inside', () => {
    const { branches, text } = markedBranches(
      'a\n{{if .x}}b{{else}}{{.c}}\nd{{end}}',
      (index) => `<${index}>`,
    )
    expect(text).toBe('<0>a\n{{if .x}}<1>b{{else}}<2>{{.c}}\nd{{end}}')
    expect(branches.map(({ name, places }) => [name, places.length])).toEqual([
      ['', 2],
      ['{{if .x}}', 1],
      ['{{else}} of {{if .x}}', 2],
    ])
  })
})
