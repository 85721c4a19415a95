import { describe, expect, it } from 'vitest'
import { createTemplateEngine } from '../../../src/prompts/create-template-engine.js'
import { createCatalogCheck } from '../../../src/registry/rules/check-catalog.js'
import { RULES, type RuleId } from '../../../src/registry/rules/rules.js'
import type { FunctionLookup } from '../../../src/template/api.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { documentsOf } from '../../support/documents.js'

/** What is found in a catalog, without positions: `code: message; hint`. */
function findingsIn(
  catalog: Record<string, unknown>,
  library: Pick<FunctionLookup, 'has'> = functionLibrary,
  renderTimeoutMs = Number.POSITIVE_INFINITY,
): string[] {
  const snapshot = createSnapshot(documentsOf(catalog), createTemplateEngine(262_144))
  expect(snapshot.diagnostics).toEqual([])
  return [...createCatalogCheck(library, () => [], renderTimeoutMs)(snapshot)]
    .flat()
    .map(({ code, message, hint }) => `${code}: ${message}${hint === undefined ? '' : `; ${hint}`}`)
}

describe('a check', () => {
  it('stops while it reads what one template does', () => {
    const catalog = { 'templates:t': { userPrompt: '{{.flag}}' } }
    const snapshot = createSnapshot(documentsOf(catalog), createTemplateEngine(262_144))
    const check = createCatalogCheck(functionLibrary)
    const stops = () => [...check(snapshot)].length
    // After it is parsed, and after it is analysed: what is known is not read again.
    expect(stops() - stops()).toBe(2)
  })
})

const CONTEXT = {
  'environs:vscode': { rules: ['a', 'b'], language: 'go', motto: '今天天气' },
  'environs:flag': '"x"',
}
const NAMED = [{ name: 'name', type: 'string' }]

interface Row {
  readonly name: string
  readonly prompt: object
  readonly found: readonly string[]
}

const LONG = 'Be concrete. '.repeat(80)

const PROMPTS: Readonly<Partial<Record<RuleId, readonly Row[]>>> = {
  volatile_prefix: [
    {
      name: 'a variable, or the time, before long fixed text, also of the next message',
      prompt: {
        messages: [
          { role: 'system', content: 'You are {{.variables.name}}. ' },
          { role: 'user', content: LONG },
        ],
        parameters: NAMED,
      },
      found: [
        'volatile_prefix: .variables.name may differ in every request, and 1042 characters of fixed text follow: no prefix cache keeps them; move .variables.name after the fixed text; ?explain=tokens shows what that saves',
      ],
    },
    {
      name: 'what was assigned counts where it is printed, and the time changes, too',
      prompt: {
        userPrompt: `{{$x := now}}{{if .flag}}a{{end}}{{$x.Year}}${LONG}`,
      },
      found: [
        'volatile_prefix: now may differ in every request, and 1040 characters of fixed text follow: no prefix cache keeps them; move now after the fixed text; ?explain=tokens shows what that saves',
      ],
    },
    {
      name: 'nothing where shared context alone comes first, or where little follows',
      prompt: { userPrompt: `{{.vscode.language}}${LONG}{{.variables.name}} x`, parameters: NAMED },
      found: [],
    },
  ],
  unknown_field: [
    {
      name: 'near names, values for options, and other names of the body',
      prompt: { userPrompt: 'x', paramters: [], temperature: 1, template: 'x', 'x-mine': 1, $schema: '' },
      found: [
        'unknown_field: unknown field paramters; did you mean parameters?',
        'unknown_field: unknown field temperature; write it under options: { temperature: … }',
        'unknown_field: unknown field template; the text of a prompt is userPrompt, or messages',
      ],
    },
    {
      name: 'in messages',
      prompt: { messages: [{ role: 'user', content: 'x', nmae: 'y' }] },
      found: ['unknown_field: unknown field nmae in messages[0]; did you mean name?'],
    },
  ],
  unfit_example: [
    {
      name: 'values, missing variables, unknown names, and what is no set of variables',
      prompt: {
        userPrompt: '{{.variables.count}}{{.variables.name}}',
        parameters: [
          { name: 'count', type: 'integer' },
          { name: 'name', type: 'string', default: 'x' },
        ],
        examples: { good: { count: 1 }, bad: { count: 'many' }, near: { cuont: 1 }, text: 'x' },
      },
      found: [
        'unfit_example: example bad: variables.count must be an integer',
        'unfit_example: example near: variables must have the property "count"; rename "cuont" to "count"',
        'unfit_example: example near sets cuont, which parameters does not declare; did you mean count?',
        'unfit_example: example text is not an object of variables; write examples: { <name>: { <variable>: <value> } }',
      ],
    },
    {
      name: 'a list',
      prompt: { userPrompt: 'x', examples: [{ name: 'a' }] },
      found: [
        'unfit_example: examples is not an object of named sets of variables; write examples: { <name>: { <variable>: <value> } }',
      ],
    },
  ],
  unknown_type: [
    {
      name: 'hints',
      prompt: {
        userPrompt: '{{.variables.a}}{{.variables.b}}{{.variables.c}}',
        parameters: [
          { name: 'a', type: 'string[]' },
          { name: 'b', type: 'enum' },
          { name: 'c', type: 'strnig' },
        ],
      },
      found: [
        'unknown_type: parameters[0] has the unknown type string[]: every value is taken; write type: array, items: { type: string }',
        'unknown_type: parameters[1] has the unknown type enum: every value is taken; write type: string, enum: [one, other]',
        'unknown_type: parameters[2] has the unknown type strnig: every value is taken; did you mean string?',
      ],
    },
  ],
  undeclared_variable: [
    {
      name: 'once, with a near name',
      prompt: { userPrompt: '{{.variables.nmae}}{{.args.nmae}}{{.variables.name}}', parameters: NAMED },
      found: [
        'undeclared_variable: the template reads .variables.nmae, and parameters does not declare nmae; did you mean name?',
      ],
    },
    {
      name: 'in conditions too',
      prompt: { userPrompt: '{{.variables.name}}{{if .variables.verbose}}x{{end}}', parameters: NAMED },
      found: [
        'undeclared_variable: the template reads .variables.verbose, and parameters does not declare verbose; add { name: verbose, type: string } to parameters',
      ],
    },
    { name: 'not where nothing is declared', prompt: { userPrompt: '{{.variables.any}}' }, found: [] },
    {
      name: 'not where more is allowed',
      prompt: {
        userPrompt: '{{.variables.any}}{{.variables.a}}',
        parameters: { type: 'object', properties: { a: {} }, additionalProperties: true },
      },
      found: [],
    },
    {
      name: 'in handlebars',
      prompt: {
        engine: 'handlebars',
        userPrompt: '{{ variables.nmae }}{{ variables.name }}',
        parameters: NAMED,
      },
      found: [
        'undeclared_variable: the template reads .variables.nmae, and parameters does not declare nmae; did you mean name?',
      ],
    },
  ],
  unguarded_variable: [
    {
      name: 'once, where it is optional',
      prompt: {
        userPrompt: '{{.variables.v}}{{.variables.v}}{{.variables.w}}{{with .variables.x}}{{.}}{{end}}',
        parameters: [
          { name: 'v', required: false },
          { name: 'w', required: false, default: 'a' },
          { name: 'x', required: false },
        ],
      },
      found: [
        'unguarded_variable: "v" is optional, and the template fails without it; give it a default, or write {{with .variables.v}}…{{end}}',
      ],
    },
  ],
  extra_braces: [
    {
      name: 'in Handlebars only',
      prompt: { engine: 'handlebars', userPrompt: 'a {{{variables.x}}}' },
      found: ['extra_braces: {{{x}}} prints the value in braces; write {{x}}: nothing is escaped here'],
    },
  ],
  unused_parameter: [
    {
      name: 'is told',
      prompt: { userPrompt: 'x', parameters: NAMED },
      found: [
        'unused_parameter: parameters declares name, and no template reads it; print it with {{.variables.name}}, or leave it out',
      ],
    },
    {
      name: 'not where all is passed on',
      prompt: { userPrompt: '{{toJson .variables}}', parameters: NAMED },
      found: [],
    },
    {
      name: 'not where all data is passed on',
      prompt: { userPrompt: '{{toJson .}}', parameters: NAMED },
      found: [],
    },
    {
      name: 'not inside with',
      prompt: { userPrompt: '{{with .variables}}{{.name}}{{end}}', parameters: NAMED },
      found: [],
    },
    {
      name: 'not where a partial reads it',
      prompt: { userPrompt: '{{template "p.part" .}}', parameters: NAMED },
      found: [],
    },
    {
      name: 'nor where it gets the variables',
      prompt: { userPrompt: '{{template "p.own" .variables}}', parameters: NAMED },
      found: [],
    },
    {
      name: 'nor in a define',
      prompt: { userPrompt: '{{define "x"}}{{.variables.name}}{{end}}{{template "x" .}}', parameters: NAMED },
      found: [],
    },
  ],
  unknown_context: [
    {
      name: 'with near names, also for variables',
      prompt: {
        userPrompt: '{{.vscode.rulez}}{{.variabels.x}}{{.name}}{{.variables.name}}{{.nothing}}',
        parameters: NAMED,
      },
      found: [
        'unknown_context: the context has no .vscode.rulez; did you mean .vscode.rules?',
        'unknown_context: the context has no .variabels.x; did you mean .variables?',
        'unknown_context: the context has no .name; did you mean .variables.name?',
        'unknown_context: the context has no .nothing',
      ],
    },
    {
      name: 'in conditions only what looks like a mistake',
      prompt: { userPrompt: '{{if .vscode.ruels}}x{{end}}{{if .optional}}{{.optional}}{{end}}' },
      found: ['unknown_context: the context has no .vscode.ruels; did you mean .vscode.rules?'],
    },
    {
      name: 'inside a text',
      prompt: { userPrompt: '{{.flag.deep}}' },
      found: ['unknown_context: .flag is a text, so there is no .flag.deep'],
    },
  ],
  unknown_function: [
    {
      name: 'once, also as an argument',
      prompt: {
        userPrompt: '{{upperr "x"}}{{upper (my_tool)}}{{print other_tool}}{{upperr "y"}}{{code_refs}}',
      },
      found: [
        'unknown_function: the function "upperr" is not defined; did you mean upper?',
        'unknown_function: the function "my_tool" is not defined',
        'unknown_function: the function "other_tool" is not defined',
      ],
    },
    {
      name: 'of which a field is read, as of a tool by its id',
      prompt: { userPrompt: '{{code.refs "x"}}{{if other.tool}}a{{end}}{{print (upperr.x)}}' },
      found: [
        'unknown_function: the function "code" is not defined; did you mean code_refs?',
        'unknown_function: the function "other" is not defined',
        'unknown_function: the function "upperr" is not defined; did you mean upper?',
      ],
    },
  ],
  unknown_partial: [
    {
      name: 'with a near name',
      prompt: { userPrompt: '{{template "p.prat" .}}{{template "p.chat"}}' },
      found: [
        'unknown_partial: template p.prat is neither defined in the text nor a prompt with a userPrompt; did you mean p.part?',
        'unknown_partial: template p.chat is neither defined in the text nor a prompt with a userPrompt; p.chat has messages: only a prompt with a userPrompt can be included',
      ],
    },
  ],
  bare_object: [
    {
      name: 'of the context and of parameters',
      prompt: {
        userPrompt:
          '{{.vscode.rules}}{{.variables.o}}{{toYaml .vscode}}{{join ", " .vscode.rules}}{{with .vscode}}{{.rules}}{{end}}',
        parameters: [{ name: 'o', type: 'object' }],
      },
      found: [
        'bare_object: .vscode.rules is a list, and prints as [a b]; write {{toYaml .vscode.rules}} or {{toPrettyJson .vscode.rules}}',
        'bare_object: .variables.o is an object, and prints as map[a:1 b:2]; write {{toYaml .variables.o}} or {{toPrettyJson .variables.o}}',
      ],
    },
    {
      name: 'not in handlebars, which prints JSON',
      prompt: { engine: 'handlebars', userPrompt: '{{ vscode.rules }}' },
      found: [],
    },
  ],
  no_value: [
    {
      name: 'entries that may be missing, and variables that may be null',
      prompt: {
        userPrompt:
          '{{index .variables.m "zz"}}{{index .vscode "language"}}{{index .vscode "nope"}}{{.variables.n}}' +
          '{{index .variables.m "zz" | default ""}}{{with index .variables.m "zz"}}{{.}}{{end}}' +
          '{{if .variables.n}}{{.variables.n}}{{end}}{{index .variables.s "here"}}{{index .variables.m .variables.n}}',
        parameters: {
          type: 'object',
          required: ['m', 'n', 's'],
          properties: {
            m: { type: 'object' },
            n: { type: ['string', 'null'] },
            s: { type: 'object', required: ['here'], properties: { here: { type: 'string' } } },
          },
        },
      },
      found: [
        'no_value: {{index .variables.m "zz"}} prints <no value> where the entry is missing; write {{index .variables.m "zz" | default "…"}} or {{with index .variables.m "zz"}}{{.}}{{end}}',
        'no_value: {{index .vscode "nope"}} prints <no value> where the entry is missing; write {{index .vscode "nope" | default "…"}} or {{with index .vscode "nope"}}{{.}}{{end}}',
        'no_value: .variables.n may be null, and null prints as <no value>; write {{.variables.n | default "…"}} or {{with .variables.n}}{{.}}{{end}}',
      ],
    },
    {
      name: 'not in handlebars, where null prints nothing',
      prompt: { engine: 'handlebars', userPrompt: '{{ vscode.language }}' },
      found: [],
    },
  ],
  byte_function: [
    {
      name: 'on constants, the context, and variables of a prompt in another script',
      prompt: {
        userPrompt:
          '翻译{{trunc 5 "今天"}}{{.vscode.motto | substr 0 2}}{{len .variables.name}}{{trunc 3 .vscode.language}}{{trunc 3 "abc"}}',
        parameters: NAMED,
      },
      found: ['trunc', 'substr', 'len'].map(
        (name) =>
          `byte_function: ${name} counts bytes, and this text is not ASCII: a character may be cut in two; use ${name}Runes`,
      ),
    },
  ],
  constant_date: [
    {
      name: 'as an argument and through a pipe',
      prompt: {
        userPrompt:
          '{{date "2006" "2020-05-06"}}{{"2020-05-06" | htmlDate}}{{date "2006" now}}{{toDate "2006-01-02" "2020-05-06" | date "2006"}}',
      },
      found: [
        'constant_date: date takes a time, and "2020-05-06" is a text: it uses the time of the render; write (toDate "2006-01-02" "2020-05-06")',
        'constant_date: htmlDate takes a time, and "2020-05-06" is a text: it uses the time of the render; write (toDate "2006-01-02" "2020-05-06")',
      ],
    },
  ],
}

describe('rules of prompts', () => {
  const rows = Object.entries(PROMPTS).flatMap(([rule, cases]) => cases.map((each) => ({ rule, ...each })))
  it.each(rows)('$rule: $name', ({ prompt, found }) => {
    const catalog = {
      ...CONTEXT,
      'templates:p:part': { userPrompt: '{{.variables.name}}' },
      'templates:p:own': { userPrompt: '{{.name}}' },
      'templates:p:user': { userPrompt: '{{template "p.part" .}}{{template "p.own" .variables}}' },
      'templates:p:chat': { messages: [{ role: 'user', content: 'x' }] },
      'tools:code:refs': { url: '/refs' },
    }
    expect(findingsIn({ ...catalog, 'templates:a:b': prompt })).toEqual(found)
    // The same inside an extension.
    const extension = { name: 'e', contributes: { prompts: [{ name: 'b', ...prompt }] } }
    expect(findingsIn({ ...catalog, 'extensions:e': extension })).toEqual(found)
  })

  it('name the functions for other scripts where there are some', () => {
    const library = { has: (name: string) => name === 'truncRunes' || functionLibrary.has(name) }
    const found = findingsIn({ 'templates:a:b': { userPrompt: '{{trunc 5 "今天"}}' } }, library)
    expect(found).toEqual([expect.stringContaining('; use truncRunes')])
  })

  it('stop after so much about one document', () => {
    const reads = Array.from({ length: 100 }, (_, index) => `{{.missing${index}}}`).join('')
    expect(findingsIn({ 'templates:a:b': { userPrompt: reads } })).toHaveLength(50)
  })
})

describe('rules of tools and extensions', () => {
  it('unknown_field and unknown_type of tools', () => {
    const tool = {
      url: '/x',
      tiemoutMs: 5,
      restful: { metod: 'GET', retries: 3 },
      parameters: [{ name: 'a', type: 'flot' }],
    }
    expect(findingsIn({ 'tools:a': tool })).toEqual([
      'unknown_field: unknown field tiemoutMs; did you mean timeoutMs?',
      'unknown_field: unknown field metod in restful; did you mean method?',
      'unknown_field: unknown field retries in restful; it takes url, method',
      'unknown_type: parameters[0] has the unknown type flot: every value is taken; did you mean float?',
    ])
  })

  it('slow_tool of tools that templates call', () => {
    const tool = (timeoutMs: number) => ({ url: '/x', timeoutMs, parameters: [] })
    const catalog = {
      'tools:slow': tool(500),
      'tools:quick': tool(499),
      'tools:other': tool(5_000),
      'templates:t': { userPrompt: '{{slow}}{{quick}}' },
    }
    expect(findingsIn(catalog, functionLibrary, 500)).toEqual([
      'slow_tool: timeoutMs is 500, and a render that calls the tool has 500 (RENDER_TIMEOUT_MS); set timeoutMs below 500, or raise RENDER_TIMEOUT_MS',
    ])
  })

  it('unknown_field, engine_version, missing_dependence and invalid_version of extensions', () => {
    const extension = {
      name: 'e',
      version: 'one',
      licence: 'MIT',
      dependences: [],
      engines: { name: 'ai-prompt-shell', version: '>=9.0.0' },
      contributes: {
        promts: [],
        dependences: [
          { name: 'other', version: '^1.0.0' },
          { name: 'old', version: '^1.0.0' },
          { name: 'good', version: '^1.0.0' },
          { name: 'code' },
          { name: 'good', version: 'new' },
        ],
      },
    }
    const found = findingsIn({
      'extensions:e': extension,
      'extensions:old': { name: 'old', version: '0.9.0' },
      'extensions:good': { name: 'good', version: '1.4.0', engines: { name: 'vscode', version: '>=99' } },
      'tools:code:refs': { url: '/refs' },
    })
    expect(found.map((line) => line.replace(/this is [\d.]+/, 'this is …')).sort()).toEqual([
      'engine_version: the extension asks for ai-prompt-shell >=9.0.0, and this is …: it is served all the same',
      'invalid_version: "new" asks for no version; a version is 1.2.0; ^1.2.0, >=1.2.0 and 1.2 - 1.4 ask for one',
      'invalid_version: "one" is not a valid version; a version is 1.2.0; ^1.2.0, >=1.2.0 and 1.2 - 1.4 ask for one',
      'missing_dependence: the extension needs "old" ^1.0.0: the catalog has it in 0.9.0',
      'missing_dependence: the extension needs "other": the catalog has neither an extension nor a module of tools with this name',
      'unknown_field: unknown field dependences; write it under contributes: { dependences: … }',
      'unknown_field: unknown field licence; did you mean license?',
      'unknown_field: unknown field promts in contributes; did you mean prompts?',
    ])
  })
})

/** Those of agents stand in agents.test.ts. */
const AGENT_RULES = ['unknown_tool', 'unknown_prompt', 'unknown_model'] as const satisfies readonly RuleId[]

it('has a test for every rule', () => {
  const tested = [
    ...Object.keys(PROMPTS),
    ...AGENT_RULES,
    'engine_version',
    'missing_dependence',
    'invalid_version',
    'slow_tool',
  ]
  expect(tested.sort()).toEqual(Object.keys(RULES).sort())
})
