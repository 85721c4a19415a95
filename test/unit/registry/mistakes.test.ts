import { describe, expect, it } from 'vitest'
import { createTemplateEngine } from '../../../src/prompts/create-template-engine.js'
import { Catalog } from '../../../src/registry/catalog.js'
import { createCatalogCheck } from '../../../src/registry/rules/check-catalog.js'
import type { Diagnostic } from '../../../src/registry/snapshot.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { documentOf } from '../../support/documents.js'

/** A document with a mistake, and what its author reads: `line:column severity code: message; hint`. */
interface Row {
  readonly name: string
  readonly text: string
  readonly said: readonly string[]
}

function said({ line, column, severity, code, message, hint }: Diagnostic): string {
  const words = hint === undefined ? message : `${message}; ${hint}`
  return `${line ?? '-'}:${column ?? '-'} ${severity} ${code}: ${words}`
}

/** What `check` says of a prompt that is written in YAML. */
function saidOf(text: string): readonly string[] {
  const documents = [documentOf('templates:t', text, 'yaml'), documentOf('environs:flag', '"on"')]
  const snapshot = createSnapshot(documents, createTemplateEngine(262_144))
  return [...snapshot.diagnostics, ...[...createCatalogCheck(functionLibrary)(snapshot)].flat()].map(said)
}

const LOOPS: readonly Row[] = [
  {
    name: 'break and continue in a loop are none',
    text: "userPrompt: '{{range .variables.l}}{{if gt . 2}}{{break}}{{else}}{{continue}}{{end}}{{.}}{{end}}'",
    said: [],
  },
  {
    name: 'break outside a loop',
    text: "userPrompt: 'bad {{break}}'",
    said: [
      '1:25 error template_syntax: template: t:1: {{break}} outside {{range}}; write it between {{range …}} and its {{end}}',
    ],
  },
  {
    name: 'continue outside a loop, beside one',
    text: "userPrompt: '{{range .variables.l}}{{.}}{{end}}{{continue}}'",
    said: [
      '1:58 error template_syntax: template: t:1: {{continue}} outside {{range}}; write it between {{range …}} and its {{end}}',
    ],
  },
  {
    name: 'break with an argument',
    text: 'userPrompt: \'{{range .variables.l}}{{break "x"}}{{end}}\'',
    said: [
      '1:44 error template_syntax: template: t:1: unexpected "\\"x\\"" in {{break}}; write {{break}} and nothing more',
    ],
  },
]

const variable = (entry: string, text = '{{.variables.v}}') =>
  `userPrompt: '${text}'\nparameters:\n  - ${entry}\n`

const DEFAULTS: readonly Row[] = [
  {
    name: 'a number for a string',
    text: variable('{ name: v, type: string, default: 1.20 }'),
    said: [
      '3:39 error invalid_prompt: the default of "v" is 1.2: it must be string; put it in quotes: "1.2"',
    ],
  },
  {
    name: 'a string for a number',
    text: variable('{ name: v, type: integer, default: "5" }'),
    said: [
      '3:40 error invalid_prompt: the default of "v" is "5": it must be integer; write 5 without quotes',
    ],
  },
  {
    name: 'a word for a boolean',
    text: variable('{ name: v, type: boolean, default: yes }'),
    said: ['3:40 error invalid_prompt: the default of "v" is "yes": it must be boolean; write true or false'],
  },
  {
    name: 'none of the enum',
    text: variable('{ name: v, enum: [a, b], default: c }'),
    said: ['3:39 error invalid_prompt: the default of "v" is "c": it must be one of ["a","b"]'],
  },
  {
    name: 'too short',
    text: variable('{ name: v, type: string, minLength: 2, default: a }'),
    said: ['3:53 error invalid_prompt: the default of "v" is "a": it must NOT have fewer than 2 characters'],
  },
  {
    name: 'inside of a list',
    text: variable(
      '{ name: v, type: array, items: { type: string }, default: [a, 1] }',
      '{{range .variables.v}}{{.}}{{end}}',
    ),
    said: ['3:63 error invalid_prompt: the default of "v" is ["a",1]: something in it must be string'],
  },
  {
    name: 'in a schema, deep',
    text: [
      "userPrompt: '{{.variables.v.a}}'",
      'parameters:',
      '  type: object',
      '  required: [v]',
      '  properties:',
      '    v: { type: object, properties: { a: { type: number, default: x } } }',
    ].join('\n'),
    said: ['6:66 error invalid_prompt: the default of "v.a" is "x": it must be number'],
  },
  {
    name: 'what fits, null, and a nested default in an object that is not given',
    text: [
      "userPrompt: '{{.variables.v}}{{if .variables.w}}x{{end}}{{if .variables.o}}x{{end}}'",
      'parameters:',
      '  - { name: v, type: string, default: "1.20" }',
      '  - { name: w, type: string, default: null }',
      '  - { name: o, type: object, required: false, properties: { a: { default: 1 } } }',
    ].join('\n'),
    said: [],
  },
]

const OPTIONAL: readonly Row[] = [
  {
    name: 'read without a guard',
    text: variable('{ name: v, type: string, required: false }'),
    said: [
      '1:16 warning unguarded_variable: "v" is optional, and the template fails without it; give it a default, or write {{with .variables.v}}…{{end}}',
    ],
  },
  {
    name: 'with a default of null',
    text: variable('{ name: v, type: string, default: null }'),
    said: [
      '1:16 warning unguarded_variable: "v" is optional, and the template fails without it; give it a default, or write {{with .variables.v}}…{{end}}',
    ],
  },
  {
    name: 'in a condition, with, and default',
    text: variable(
      '{ name: v, type: string, required: false }',
      '{{if .variables.v}}a{{end}}{{with .variables.v}}{{.}}{{end}}',
    ),
    said: [],
  },
  {
    name: 'with a default',
    text: variable('{ name: v, type: string, required: false, default: a }'),
    said: [],
  },
  {
    name: 'in a schema that says what is required, but not in one that does not',
    text: [
      "userPrompt: '{{.variables.v}}{{.variables.w}}'",
      'parameters: { type: object, required: [w], properties: { v: {}, w: {} } }',
    ].join('\n'),
    said: [
      '1:16 warning unguarded_variable: "v" is optional, and the template fails without it; give it a default, or write {{with .variables.v}}…{{end}}',
    ],
  },
  {
    name: 'in a schema that says nothing of that',
    text: "userPrompt: '{{.variables.v}}'\nparameters: { type: object, properties: { v: {} } }",
    said: [],
  },
]

describe.each([
  { title: 'loops', rows: LOOPS },
  { title: 'defaults', rows: DEFAULTS },
  { title: 'optional variables', rows: OPTIONAL },
])('mistakes of $title', ({ rows }) => {
  it.each(rows)('$name', ({ text, said: expected }) => expect(saidOf(text)).toEqual(expected))
})

it('never take the place of a good version', () => {
  const catalog = new Catalog(createTemplateEngine(262_144))
  catalog.put(documentOf('templates:t', 'userPrompt: good', 'yaml'), 1, 1)
  catalog.commit()
  catalog.put(documentOf('templates:t', "userPrompt: 'bad {{break}}'", 'yaml'), 2, 1)
  const { prompts, diagnostics } = catalog.commit()?.snapshot ?? {}
  expect(prompts?.get('t')?.definition.body).toMatchObject({ text: 'good' })
  expect(diagnostics).toMatchObject([{ code: 'template_syntax', servingLastGood: true }])
})
