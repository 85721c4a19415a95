import { expect, it } from 'vitest'
import { createTemplateEngine, SHORT_TEMPLATE } from '../../src/prompts/create-template-engine.js'
import { runNow } from '../../src/util/slices/sliced.js'

/** What nobody else waits for longer than. */
const MAX_MS = 20
/** The least of so many counts: a collection or another process is not the text's. */
const ATTEMPTS = 5

const GO = [
  ...[
    '{',
    '{{',
    '{{.a',
    '{{.a}}',
    '{{if .a}}',
    '{{range .a}}',
    '{{with .a}}',
    '{{(',
    '(',
    '((.a',
    '{{"',
    '{{`',
  ],
  ...[
    '{{.a.b.c.d',
    '.a',
    '{{.a|',
    '|print',
    '{{$x:=1}}',
    '{{$x:=',
    '{{$x}}',
    '{{/*',
    '{{- ',
    '{{- -}}',
    ' -}}',
  ],
  ...[
    '{{template "x"}}',
    '{{print ',
    '{{print 1 ',
    '{{eq 1 1}}',
    '{{and ',
    '{{1',
    '1',
    '{{0x',
    '{{1e9',
    '{{1.',
    '_',
  ],
  ...[
    '\\',
    '{{"\\',
    '{{"\\u',
    '{{else}}',
    '{{end}}',
    '{{if .a}}{{else if .a}}',
    '{{break}}',
    '\n',
    '{{\n',
    '€',
  ],
  ...[
    '{{.€',
    '\ud800',
    '{{range $i,$e:=.a}}',
    '{{printf "%d" .a}}',
    '{{printf "%',
    '%',
    '{{not (',
    '{{if eq (len (',
  ],
  ...['{{nosuch}}', '{{.a $', '$a', '{{$a = ', '{{with $x := .a}}', '{{slice .a 1 2}}', '{{index .a ', '\t'],
]
const HANDLEBARS = [
  ...[
    '{{#each a}}',
    '{{#if a}}',
    '{{/each}}',
    '{{#a}}',
    '{{^}}',
    '{{a.[',
    '{{../',
    '{{this.',
    '{{@index}}',
    '{{>',
  ],
  ...[
    '{{else if a}}',
    '{{~a~}}',
    '{{{a}}}',
    '{{!-- ',
    '{{> a}}',
    '{{a b=1 ',
    '{{lookup a (',
    '{{a.b.c',
    '{',
    '}}',
  ],
]
/** How a piece is repeated: as it is, closed again, as arguments, within one action, and in brackets. */
const FORMS: readonly ((piece: string, length: number) => string)[] = [
  (piece, length) => piece.repeat(length / piece.length),
  (piece, length) => {
    const text = piece.repeat((length * 0.6) / piece.length)
    return text + '{{end}}'.repeat(text.match(/\{\{(?:if|range|with)/g)?.length ?? 0)
  },
  (piece, length) => `{{print ${piece.repeat((length - 20) / piece.length)}}}`,
  (piece, length) => `{{${piece.replaceAll(/[{}]/g, ' ').repeat((length - 20) / piece.length)}}}`,
  (piece, length) => `{{${'('.repeat(length / 4)}${piece}${')'.repeat(length / 4)}}}`,
]

it.each([
  ...GO.map((piece) => ({ dialect: 'go' as const, piece })),
  ...HANDLEBARS.map((piece) => ({ dialect: 'handlebars' as const, piece })),
])('a text that is called short is compiled within 20 ms: $dialect of $piece', ({ dialect, piece }) => {
  const engine = createTemplateEngine(1 << 20)
  const slow = FORMS.map((form) => form(piece, SHORT_TEMPLATE)).filter((text) => {
    const counts = Array.from({ length: ATTEMPTS }, (_, attempt) => {
      const before = process.cpuUsage()
      try {
        runNow(engine.compileToRenderInSlices(`${text}${' '.repeat(attempt)}`, { name: 'short', dialect }))
      } catch {
        // Most of them are no templates at all.
      }
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000
    })
    return Math.min(...counts) > MAX_MS
  })
  expect(slow).toEqual([])
})
