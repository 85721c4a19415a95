import { describe, expect, it } from 'vitest'
import { createTemplateEngine } from '../../../src/prompts/create-template-engine.js'
import { Catalog } from '../../../src/registry/catalog.js'
import { createCatalogCheck } from '../../../src/registry/rules/check-catalog.js'
import type { Diagnostic } from '../../../src/registry/snapshot.js'
import { Stamp } from '../../../src/registry/stamp.js'
import type { TextFormat } from '../../../src/store/store.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { documentOf } from '../../support/documents.js'

/** A document with a mistake, and what its author reads: `line:column severity code: message; hint`. */
interface Row {
  readonly name: string
  /** YAML of a prompt, or what `key` and `format` say. */
  readonly text: string
  readonly key?: string
  readonly format?: TextFormat
  readonly said: readonly string[]
}

function said({ line, column, severity, code, message, hint }: Diagnostic): string {
  const words = hint === undefined ? message : `${message}; ${hint}`
  return `${line ?? '-'}:${column ?? '-'} ${severity} ${code}: ${words}`
}

/** What `check` says of a document. */
function saidOf({
  text,
  key = 'templates:t',
  format = 'yaml',
}: Omit<Row, 'name' | 'said'>): readonly string[] {
  const documents = [documentOf(key, text, format), documentOf('environs:flag', '"on"')]
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
      '3:39 error invalid_prompt: the default of "v" is 1.2: it must be a string; put it in quotes: "1.2"',
    ],
  },
  {
    name: 'a string for a number',
    text: variable('{ name: v, type: integer, default: "5" }'),
    said: [
      '3:40 error invalid_prompt: the default of "v" is "5": it must be an integer; write 5 without quotes',
    ],
  },
  {
    name: 'a word for a boolean',
    text: variable('{ name: v, type: boolean, default: yes }'),
    said: [
      '3:40 error invalid_prompt: the default of "v" is "yes": it must be a boolean; write true or false',
    ],
  },
  {
    name: 'none of the enum',
    text: variable('{ name: v, enum: [a, b], default: c }'),
    said: ['3:39 error invalid_prompt: the default of "v" is "c": it must be one of a, b'],
  },
  {
    name: 'too short',
    text: variable('{ name: v, type: string, minLength: 2, default: a }'),
    said: ['3:53 error invalid_prompt: the default of "v" is "a": it must have at least 2 characters'],
  },
  {
    name: 'inside of a list',
    text: variable(
      '{ name: v, type: array, items: { type: string }, default: [a, 1] }',
      '{{range .variables.v}}{{.}}{{end}}',
    ),
    said: ['3:63 error invalid_prompt: the default of "v" is ["a",1]: something in it must be a string'],
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
    said: ['6:66 error invalid_prompt: the default of "v.a" is "x": it must be a number'],
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

const YAML: readonly Row[] = [
  {
    name: 'a text that begins with braces',
    text: 'userPrompt: {{.variables.x}} hello',
    said: [
      '1:30 error invalid_yaml: a text cannot begin with "{{"; put it in quotes, or write |- after the colon, and the text indented on the next line',
    ],
  },
  {
    name: 'one that is nothing else',
    text: 'userPrompt: {{.variables.x}}',
    said: [
      '1:13 error invalid_yaml: a text cannot begin with "{{"; put it in quotes, or write |- after the colon, and the text indented on the next line',
    ],
  },
  {
    name: 'quotes in quotes',
    text: 'userPrompt: "{{.x | default "y"}}"',
    said: [
      '1:30 error invalid_yaml: the text ends at its second ", and more follows; write \\" for a quote inside, or write |- after the colon, and the text indented on the next line',
    ],
  },
  {
    name: 'an apostrophe in single quotes',
    text: "userPrompt: 'it's'",
    said: [
      `1:17 error invalid_yaml: the text ends at its second ', and more follows; write '' for a quote inside, or write |- after the colon, and the text indented on the next line`,
    ],
  },
  {
    name: 'a colon in a text',
    text: 'userPrompt: Note: this',
    said: [
      '1:13 error invalid_yaml: a text cannot have ": " in it; put it in quotes, or write |- after the colon, and the text indented on the next line',
    ],
  },
  {
    name: 'a text that begins with @',
    text: 'userPrompt: @mention',
    said: [
      '1:13 error invalid_yaml: a text cannot begin with "@"; put it in quotes, or write |- after the colon, and the text indented on the next line',
    ],
  },
  {
    name: 'with a backquote',
    text: 'userPrompt: `code`',
    said: [
      '1:13 error invalid_yaml: a text cannot begin with "`"; put it in quotes, or write |- after the colon, and the text indented on the next line',
    ],
  },
  {
    name: 'with a star',
    text: 'userPrompt: *bold* text',
    said: [
      '1:20 error invalid_yaml: a text cannot begin with "*"; put it in quotes, or write |- after the colon, and the text indented on the next line',
    ],
  },
  {
    name: 'with a bracket',
    text: 'userPrompt: [INST] hi',
    said: [
      '1:20 error invalid_yaml: a text cannot begin with "["; put it in quotes, or write |- after the colon, and the text indented on the next line',
    ],
  },
  {
    name: 'with a dash',
    text: 'userPrompt: - a',
    said: [
      '1:13 error invalid_yaml: a text cannot begin with "-"; put it in quotes, or write |- after the colon, and the text indented on the next line',
    ],
  },
  {
    name: 'a folded text on the line of its mark',
    text: 'userPrompt: > text here\n  b',
    said: ['1:15 error invalid_yaml: the text after ">" begins on the next line'],
  },
  {
    name: 'a second document',
    text: 'userPrompt: a\n---\nuserPrompt: b',
    said: [
      '2:1 error invalid_yaml: a second document begins here, and a file holds one; remove the line ---, or move what follows into a file of its own',
    ],
  },
  {
    name: 'a tab',
    text: 'userPrompt:\n\tx',
    said: ['2:1 error invalid_yaml: this line is indented with a tab; indent it with spaces'],
  },
  {
    name: 'a field twice',
    text: 'userPrompt: a\nuserPrompt: b',
    said: ['2:1 error invalid_yaml: the field "userPrompt" is written twice'],
  },
  {
    name: 'quotes that stay open',
    text: 'userPrompt: "abc\nname: x',
    said: ['2:8 error invalid_yaml: a text in quotes is not closed'],
  },
  {
    name: 'a line too far left',
    text: 'userPrompt: |\n  a\n b\nname: c',
    said: ['3:1 error invalid_yaml: this line is not indented like those that it belongs to'],
  },
  {
    name: 'a bracket that stays open',
    text: 'userPrompt: a\nsupports: [a, b',
    said: ['2:16 error invalid_yaml: "]" is missing'],
  },
  {
    name: 'an unknown escape',
    text: 'userPrompt: "say \\d"',
    said: [
      '1:18 error invalid_yaml: "\\d" means nothing in double quotes; write "\\\\" for a backslash, or write |- after the colon, and the text indented on the next line',
    ],
  },
  {
    name: 'no blank after a colon',
    text: 'userPrompt:hi\nname: b',
    said: ['1:1 error invalid_yaml: a blank is missing after the colon'],
  },
  {
    name: 'a line that goes on deeper',
    text: 'userPrompt: hello\n  there: you',
    said: [
      '1:13 error invalid_yaml: the next line is indented deeper, and this field has a value already; write |- after the colon, and the text indented on the next line',
    ],
  },
  {
    name: 'a comment in a text',
    text: 'userPrompt: Use C# please # now',
    said: [
      '1:26 warning yaml_value: the text ends here: "# now" is a comment of YAML; put it in quotes, or write |- after the colon, and the text indented on the next line',
    ],
  },
  { name: 'comments elsewhere', text: 'name: a # mine\nuserPrompt: |- # mine\n  a # b\n', said: [] },
  {
    name: 'numbers that print otherwise',
    text: 'userPrompt: "{{.variables.v}}{{.variables.w}}"\nparameters:\n  - { name: v, type: number, default: 0123 }\n  - { name: w, type: number, default: 1.20 }\n',
    said: [
      '3:39 warning yaml_value: 0123 is read as the number 123; write "0123" for the text',
      '4:39 warning yaml_value: 1.20 is read as the number 1.2; write "1.20" for the text',
    ],
  },
  {
    name: 'numbers that are only counted',
    text: 'userPrompt: a\noptions: { temperature: 0.70 }\n',
    said: [],
  },
  {
    name: 'merge keys',
    text: 'x-base: &base { model: m }\n<<: *base\nuserPrompt: a\n',
    said: ['2:1 warning yaml_value: "<<" is not read: there are no merge keys; write the fields out'],
  },
  {
    name: 'an empty file',
    text: '',
    said: [
      '-:- error invalid_prompt: the document is empty: a document is an object of fields; begin with userPrompt: …',
    ],
  },
  {
    name: 'a list',
    text: '- userPrompt: a\n',
    said: [
      '-:- error invalid_prompt: the document is a list: a document is an object of fields; begin with userPrompt: …',
    ],
  },
  {
    name: 'a text',
    text: 'hello',
    said: [
      '-:- error invalid_prompt: the document is a string: a document is an object of fields; begin with userPrompt: …',
    ],
  },
  {
    name: 'numbers of environs',
    key: 'environs:e',
    format: 'yaml',
    text: 'a: 1.20\nb: [0123, 5]\n',
    said: [
      '1:4 warning yaml_value: 1.20 is read as the number 1.2; write "1.20" for the text',
      '2:5 warning yaml_value: 0123 is read as the number 123; write "0123" for the text',
    ],
  },
]

const JSON_TEXTS: readonly Row[] = [
  {
    name: 'comments',
    format: 'json',
    text: '{ // mine\n  "userPrompt": "a"\n}',
    said: [
      '1:3 error invalid_json: Unexpected "/", expected a property name in double quotes at line 1, column 3; JSON has no comments',
    ],
  },
  {
    name: 'a comma too many',
    format: 'json',
    text: '{"userPrompt": "a",}',
    said: [
      '1:20 error invalid_json: Unexpected "}", expected a property name in double quotes at line 1, column 20; remove the comma before it',
    ],
  },
  {
    name: 'single quotes',
    format: 'json',
    text: "{'userPrompt': 'a'}",
    said: [
      `1:2 error invalid_json: Unexpected "'", expected a property name in double quotes at line 1, column 2; JSON takes straight double quotes`,
    ],
  },
  {
    name: 'names without quotes',
    format: 'json',
    text: '{userPrompt: "a"}',
    said: [
      '1:2 error invalid_json: Unexpected "u", expected a property name in double quotes at line 1, column 2; names are in double quotes',
    ],
  },
  {
    name: 'YAML',
    format: 'json',
    text: 'userPrompt: a',
    said: [
      '1:1 error invalid_json: Unexpected "u", expected a value at line 1, column 1; this is YAML: documents in Redis and files named .json are JSON',
    ],
  },
  {
    name: 'a line break in a text',
    format: 'json',
    text: '{"userPrompt": "a\nb"}',
    said: [
      '1:16 error invalid_json: Malformed string at line 1, column 16; write \\n for a line break, and \\" and \\\\ in strings',
    ],
  },
  {
    name: 'something open',
    format: 'json',
    text: '{"userPrompt": "a"',
    said: [
      '1:19 error invalid_json: Unexpected end, expected "}" at line 1, column 19; something that was opened is not closed',
    ],
  },
  {
    name: 'a list',
    format: 'json',
    text: '[]',
    said: [
      '-:- error invalid_prompt: the document is a list: a document is an object of fields; begin with userPrompt: …',
    ],
  },
  {
    name: 'the wrong kind of value',
    format: 'json',
    text: '"a"',
    said: [
      '-:- error invalid_prompt: the document is a string: a document is an object of fields; begin with userPrompt: …',
    ],
  },
]

const NAMES: readonly Row[] = [
  {
    name: 'of a message',
    text: 'messages:\n  - { rloe: user, content: a }\n',
    said: ['2:5 error invalid_prompt: messages[0] must have the property "role"; rename "rloe" to "role"'],
  },
  {
    name: 'beside the right one',
    text: 'userPrompt: a\nuserPromtp: b\n',
    said: ['2:1 warning unknown_field: unknown field userPromtp; userPrompt is there already'],
  },
]

describe.each([
  { title: 'names', rows: NAMES },
  { title: 'YAML', rows: YAML },
  { title: 'JSON', rows: JSON_TEXTS },
  { title: 'loops', rows: LOOPS },
  { title: 'defaults', rows: DEFAULTS },
  { title: 'optional variables', rows: OPTIONAL },
])('mistakes of $title', ({ rows }) => {
  it.each(rows)('$name', ({ said: expected, ...row }) => expect(saidOf(row)).toEqual(expected))
})

it('never take the place of a good version', () => {
  const catalog = new Catalog(createTemplateEngine(262_144))
  catalog.put(documentOf('templates:t', 'userPrompt: good', 'yaml'), new Stamp(1))
  catalog.commit()
  catalog.put(documentOf('templates:t', "userPrompt: 'bad {{break}}'", 'yaml'), new Stamp(2))
  const { prompts, diagnostics } = catalog.commit()?.snapshot ?? {}
  expect(prompts?.get('t')?.definition.body).toMatchObject({ text: 'good' })
  expect(diagnostics).toMatchObject([{ code: 'template_syntax', servingLastGood: true }])
})

it.each([
  [
    'parameters:\n  type: object\n  properties:\n    a: { type: strng }\nuserPrompt: x',
    /^4:16 error invalid_prompt: parameters is not a JSON Schema that can be used: properties\.a\.type must be/,
  ],
  [
    'parameters:\n  type: object\n  properties:\n    a: { type: string, pattern: "(" }\nuserPrompt: x',
    /^4:33 error invalid_prompt: .*properties\.a\.pattern/,
  ],
])('a JSON Schema that cannot be used is reported at its place', (text, said) => {
  expect(saidOf({ text })[0]).toMatch(said)
})
