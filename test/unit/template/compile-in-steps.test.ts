import { describe, expect, it } from 'vitest'
import { analyze, analyzeInSteps } from '../../../src/template/analysis.js'
import type { CompileOptions } from '../../../src/template/api.js'
import { compileForHost, compileInSteps } from '../../../src/template/compile.js'
import { PARSERS, parsed } from '../../../src/template/dialects/dialects.js'
import { prefixParts } from '../../../src/template/prefix.js'
import { readTemplateUsage } from '../../../src/template/usage.js'
import { runNow, type Sliced } from '../../../src/util/slices/sliced.js'

const ACTIONS = 1_700
const flat = '{{.variables.a}} xxxxx'.repeat(ACTIONS)
const plain = '{{variables.a}} xxxxx'.repeat(ACTIONS)
/** Parsed without others getting a turn: some thousand characters, and the action that they end in. */
const LONGEST_PIECE = 3_000

const TEXTS: readonly {
  readonly name: string
  readonly source: string
  readonly options?: CompileOptions
}[] = [
  { name: 'one action after the other', source: flat },
  { name: 'actions in a branch', source: `{{if .a}}${flat}{{end}}` },
  { name: 'actions in an else', source: `{{if .a}}a{{else if .b}}b{{else}}${flat}{{end}}` },
  {
    name: 'actions in 200 loops inside of each other',
    source: `${'{{range .a}}'.repeat(200)}${flat}${'{{end}}'.repeat(200)}`,
  },
  { name: 'actions in a definition', source: `{{define "d"}}${flat}{{end}}{{template "d" .}}` },
  { name: 'actions in a block', source: `{{with .a}}{{block "d" .}}${flat}{{end}}{{end}}` },
  {
    name: 'many definitions',
    source: numbered((index) => `{{define "d${index}"}}{{.a}}{{end}}{{template "d${index}" .}}`, 1_200),
  },
  { name: 'calls with many operands', source: `{{print${' .a'.repeat(600)}}}`.repeat(12) },
  { name: 'one tag after the other', source: plain, options: { dialect: 'handlebars' } },
  {
    name: 'tags in a block',
    source: `{{#each a}}{{#if item}}${plain}{{/if}}{{/each}}`,
    options: { dialect: 'handlebars' },
  },
]

function numbered(text: (index: number) => string, count: number): string {
  return Array.from({ length: count }, (_, index) => text(index)).join('')
}

describe('a long text that is compiled in steps', () => {
  it.each(TEXTS)('gives way in stretches: $name', ({ source, options }) => {
    expect([...compileInSteps(source, options)].length).toBeGreaterThan(source.length / LONGEST_PIECE - 2)
  })

  it.each(TEXTS)('is what it is in one go: $name', ({ source, options }) => {
    const template = runNow(compileInSteps(source, options))
    expect(template.toString()).toBe(compileForHost(source, options).toString())
    expect(template.references).toEqual(compileForHost(source, options).references)
  })

  it('fails where it is wrong, after it gave way', () => {
    const steps = compileInSteps(`${flat}\n{{if .a}}`)
    let count = 0
    const finish = () => {
      while (steps.next().done !== true) count += 1
    }
    expect(finish).toThrow('template: t:2: unexpected EOF')
    expect(count).toBeGreaterThan(10)
  })
})

/** Items that are looked at without others getting a turn; each text has at least thousands. */
const LOOKED_AT = 300

describe('a long text that is looked through', () => {
  const rules = { entries: new Set(['variables']), isTool: () => false, partial: () => undefined }
  it.each(TEXTS)('gives way in stretches: $name', ({ source, options = {} }) => {
    const { dialect = 'go' } = options
    const program = parsed(
      PARSERS[dialect](source, {
        ...{ name: 't', delimiters: ['{{', '}}'], hasFunction: () => true },
        ...{ maxParseDepth: 500, numbers: 'adaptive' },
      }),
    )
    expect(runNow(analyzeInSteps(program))).toEqual(analyze(program))
    const parsing = source.length / LONGEST_PIECE
    expect(stopsOf(analyzeInSteps(program))).toBeGreaterThan(1_600 / LOOKED_AT)
    expect(stopsOf(readTemplateUsage(source, dialect))).toBeGreaterThan(parsing + 1_600 / LOOKED_AT)
    expect(stopsOf(prefixParts(source, dialect, rules))).toBeGreaterThan(parsing + 1_600 / LOOKED_AT)
  })

  it('is read with what it includes, which gives way too', () => {
    const partial = () => prefixParts(flat, 'go', { ...rules, partial: () => undefined })
    const alone = stopsOf(partial())
    const including = prefixParts('a{{template "p" .}}', 'go', { ...rules, partial })
    expect(stopsOf(including)).toBeGreaterThanOrEqual(alone)
    expect(runNow(prefixParts('a{{template "p" .}}', 'go', { ...rules, partial }))).toEqual([
      { position: 0, characters: 1, volatile: undefined },
      { position: 12, characters: 0, volatile: '.variables.a' },
    ])
  })
})

function stopsOf(work: Sliced<unknown>): number {
  return [...work].length
}

it('a short text is compiled in one piece', () => {
  expect([...compileInSteps('{{range .a}}{{if .b}}{{.c}}{{else}}d{{end}}{{end}}')]).toEqual([])
})
