import { describe, expect, it } from 'vitest'
import { compile, functionLibrary, TemplateError } from '../../../src/template/index.js'

const DATA = { variables: { s: ['a'], users: [{ n: 1 }] }, l: ['a'], o: [{}] }

function hintOf(source: string, dialect: 'go' | 'handlebars' = 'go'): string | undefined {
  try {
    compile(source, { dialect, functions: functionLibrary, variablesIn: 'variables' }).renderSync(DATA, {
      missingKey: 'guarded',
    })
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    expect((error.details as { hint?: string }).hint).toBe(error.hint)
    return error.hint
  }
  throw new Error(`${source} does not fail`)
}

describe('what a beginner meant', () => {
  it.each([
    ['{{s}}', 'did you mean .variables.s?'],
    ['{{uper .variables.s}}', 'did you mean upper?'],
    ['{{uper}}', 'did you mean upper?'],
    ['{{name}}', 'did you mean .variables.name?'],
    ['{{user.name}}', 'did you mean .variables.user?'],
    ['{{variables.s}}', 'did you mean .variables.s?'],
    ['{{args.s}}', 'did you mean .args.s?'],
    ['{{if .a == 1}}{{end}}', 'use eq: {{if eq .a .b}}'],
    ['{{if .a != 1}}{{end}}', 'use ne: {{if ne .a .b}}'],
    ['{{if .a && .b}}{{end}}', 'use and: {{if and .a .b}}'],
    ['{{if .a || .b}}{{end}}', 'use or: {{if or .a .b}}'],
    ['{{if .a >= 1}}{{end}}', 'use ge: {{if ge .a .b}}'],
    ['{{if !.a}}{{end}}', 'use not: {{if not .a}}'],
    ["{{eq .a 'abc'}}", 'use double quotes: "abc"'],
    ['{{.s[0]}}', 'use index: {{index .s 0}}'],
    ['{{.user.first-name}}', 'use index: {{index .user "first-name"}}'],
    ['{{.first-name}}', 'use index: {{index . "first-name"}}'],
    ['{{strlen .variables.s}}', 'did you mean len?'],
    ['{{.variables.s | capitalize}}', 'did you mean title?'],
    ['{{.variables.s | uper}}', 'did you mean upper?'],
    [
      '{{.variables.s | frobnicate}}',
      'no function has this name: use a builtin, a function of the library, or a tool of the catalog',
    ],
    ['{{include "x" .}}', 'use template: {{template "name" .}}'],
    [
      '{{range .l}}{{.variables.p}}{{end}}',
      'use $.variables: inside range and with the dot is something else',
    ],
    ['{{range .o}}{{.variables.p}}{{end}}', 'use $.variables.p: here the dot is something else'],
    ['{{range .l}}{{this.n}}{{end}}', 'use .n: the dot is the element'],
    ['{{range .l}}{{@index}}{{end}}', 'use range with two variables: {{range $index, $item := .list}}'],
    ['{{if .a}}x', '{{if …}} of line 1 has no {{end}}'],
    ['a\n{{range .l}}\n{{if .a}}x{{end}}\nb', '{{range …}} of line 2 has no {{end}}'],
    ['{{with .a}}{{else}}{{if .b}}', '{{if …}} of line 1 has no {{end}}'],
    ['{{define "x"}}a', '{{define …}} of line 1 has no {{end}}'],
    ['\n{{block "x" .}}a', '{{block …}} of line 2 has no {{end}}'],
    ['{{end}}', 'no {{if}}, {{range}} or {{with}} is open here: this {{end}} is one too many'],
    ['{{else}}', 'no {{if}}, {{range}} or {{with}} is open here: this {{else}} is one too many'],
    ['{{.a', 'end the action with }}'],
    ['{{if .a}a{{end}}', 'end the action with }}: one brace is missing'],
    ['{{(upper "a").b}}', 'a text has no field b: print it as it is'],
    ['{{$x := len .l}}{{$x.b}}', 'a number has no field b: print it as it is'],
    [
      '{{range upper "a"}}{{end}}',
      'range takes a list, an object or a whole number; of a text, range splitList ", " .text takes the parts',
    ],
    ['{{/* a', 'end the comment with */}}'],
    ['{{ "a }}', 'end the text with " on the same line, or write it between backquotes'],
    ['{{$x}}', 'assign it first: {{$x := …}}; it is known up to the {{end}} of the block it is assigned in'],
    ['{{if .a}}{{elseif .b}}{{end}}', 'use {{else if …}}'],
    ['{{if .a}}{{endif}}', 'use {{end}}'],
    ['{{foreach .l}}{{end}}', 'use range: {{range .list}}…{{end}}'],
    ['{{#if a}}{{/if}}', 'use {{if …}}…{{end}}, {{range …}}…{{end}} or {{template "name" .}}'],
    ['{{- .variables.s-}}', 'write a blank before -}}'],
    ['{{ /* c */ }}', 'a comment is {{/* … */}}, without blanks inside of the braces'],
    ['{{# c}}', 'a comment is {{/* … */}}, without blanks inside of the braces'],
    ['{{! c}}', 'a comment is {{/* … */}}, without blanks inside of the braces'],
    ['{{{.variables.s}}}', 'write two braces: nothing is escaped here'],
    ['{{.s | default "x" }', 'end the action with }}: one brace is missing'],
    ['{{.variables.n + 1}}', 'use add: {{add .a .b}}'],
    ['{{.variables.n+1}}', 'use add: {{add .a .b}}'],
    ['{{.variables.n - 1}}', 'use sub: {{sub .a .b}}'],
    ['{{.variables.n * 2}}', 'use mul: {{mul .a .b}}'],
    ['{{.variables.n / 2}}', 'use div: {{div .a .b}}'],
    ['{{"a" + "b"}}', 'use print: {{print "a" "b"}}'],
    ['{{eq 3 "3"}}', 'a number and a text: write 3 without quotes, or compare the text of toString'],
    ['{{lt "a" 3}}', 'only values of one type can be compared: toString makes a text of any'],
    [
      '{{env "HOME"}}',
      'no function has this name: use a builtin, a function of the library, or a tool of the catalog',
    ],
    [
      '{{tpl .x}}',
      'no function has this name: use a builtin, a function of the library, or a tool of the catalog',
    ],
    [
      '{{lookup "x"}}',
      'no function has this name: use a builtin, a function of the library, or a tool of the catalog',
    ],
    ['{{内容}}', 'did you mean .variables.内容?'],
  ])('%s', (source, hint) => {
    expect(hintOf(source)).toBe(hint)
  })

  it.each([
    ['{{#each l}}{{this}}{{/each}}', 'use item'],
    ['{{#each variables.users}}{{this.n}}{{/each}}', 'use item.n'],
    ['{{#each l}}{{@index}}{{/each}}', 'use item: there is the element, but no index'],
    ['{{.s}}', 'write {{s}} without the dot, or take engine: go'],
    ['{{#if n > 2}}a{{/if}}', 'conditions need engine: go, such as {{if gt .variables.n 2}}…{{end}}'],
    ['{{#if (eq a b)}}a{{/if}}', 'conditions need engine: go, such as {{if gt .variables.n 2}}…{{end}}'],
    ['{{#each l as |x|}}{{/each}}', 'write {{#each list}}…{{item}}…{{/each}}'],
    ['{{#if a}}x{{else if b}}y{{/if}}', 'write {{else}}{{#if b}}…{{/if}}{{/if}}; engine: go has {{else if}}'],
    ['{{#unless a}}x{{/unless}}', 'write {{#if x}}{{else}}…{{/if}}'],
    ['{{#with a}}x{{/with}}', 'write whole paths: {{a.b}}; engine: go has {{with}}'],
    ['{{upper x}}', 'functions need engine: go, such as {{upper .variables.x}}'],
    ['{{x | upper}}', 'functions need engine: go, such as {{upper .variables.x}}'],
    ['{{! c }}', 'there are no comments here; engine: go has {{/* … */}}'],
    ['{{../x}}', 'write {{x}}: outer variables are read by their names'],
  ])('handlebars %s', (source, hint) => {
    expect(hintOf(source, 'handlebars')).toBe(hint)
  })

  it.each(['{{range}}', '{{.variables.missing}}', '{{fail "no"}}'])('%s has none', (source) => {
    expect(hintOf(source)).toBeUndefined()
  })
})

it.each([
  ['{{name}}', 'did you mean .name?'],
  ['{{user.name}}', 'did you mean .user?'],
  [
    '{{shuot .x}}',
    'no function has this name: use a builtin, a function of the library, or a tool of the catalog',
  ],
])('%s in a program, whose data has no variables below another entry', (source, hint) => {
  expect(() => compile(source)).toThrow(expect.objectContaining({ hint }))
})

it('knows tools by their ids', () => {
  const functions = { ...Object.fromEntries(functionLibrary), code_lookup_ref: () => 'x' }
  const failure = () => compile('{{code.lookup_ref "x"}}', { functions })
  expect(failure).toThrow(
    expect.objectContaining({ hint: 'a tool is called with underscores: code_lookup_ref' }),
  )
})

it('says where the block begins that has no end, beside where the text ends', () => {
  try {
    compile('a\n  {{with .a}}b\n{{.c}}')
    expect.unreachable()
  } catch (error) {
    expect(error).toMatchObject({
      message: 'template: t:3: unexpected EOF',
      opened: { line: 2, column: 3 },
    })
  }
})

describe('the default name', () => {
  it.each([
    '{{define "t"}}a{{end}}x{{template "t"}}',
    '{{define `t`}}a{{end}}x{{template `t`}}',
    '{{define "\\x74"}}a{{end}}x{{template "t"}}',
  ])('is not taken by %s', (source) => expect(compile(source).renderSync({})).toBe('xa'))
})
