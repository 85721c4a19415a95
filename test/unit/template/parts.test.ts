import { describe, expect, it, vi } from 'vitest'
import { compile, TemplateError } from '../../../src/template/index.js'

const MANY = 300

/** A template that is large enough to be compiled in parts. */
function many(action: (index: number) => string): string {
  return Array.from({ length: MANY }, (_, index) => action(index)).join('')
}

function numbers(print: (index: number) => string = String): string {
  return many(print)
}

/** The sources that are compiled while something runs. */
function compiledSources(run: () => void): string[] {
  const sources: string[] = []
  const Original = globalThis.Function
  vi.stubGlobal(
    'Function',
    class extends Original {
      constructor(...parts: string[]) {
        super(...parts)
        sources.push(parts.at(-1) as string)
      }
    },
  )
  try {
    run()
  } finally {
    vi.unstubAllGlobals()
  }
  return sources
}

describe('large templates', () => {
  const rows = [
    {
      name: 'variables of other parts',
      source: many((i) => `{{$v${i} := ${i}}}`) + many((i) => `{{$v${i}}}`),
      text: numbers(),
    },
    {
      name: 'assignments in nested lists',
      source: `{{$x := 0}}{{if .yes}}${many((i) => `{{$x = ${i}}}{{if $.yes}}{{$x}}{{end}}`)}{{end}}{{$x}}`,
      text: numbers() + (MANY - 1),
    },
    {
      name: 'break out of a part',
      source: `{{range .list}}<${many((i) => `{{if eq . ${i}}}{{break}}{{end}}${i === 250 ? '{{.}}' : ''}`)}>{{end}}!`,
      text: '<777><280!',
    },
    {
      name: 'continue from a part',
      source: `{{range $i, $e := .list}}${many((i) => `{{if eq $e ${i}}}{{continue}}{{end}}`)}[{{$i}}{{$e}}]{{end}}!`,
      text: '[0777]!',
    },
    {
      name: 'an else inside a loop',
      source: `{{range .list}}{{range $.none}}{{else}}${many((i) => `{{if eq . ${i}}}{{continue}}{{end}}`)}{{end}}{{.}}{{end}}`,
      text: '777',
    },
    {
      name: 'many definitions',
      source: many((i) => `{{define "d${i}"}}{{.}}{{end}}`) + many((i) => `{{template "d${i}" ${i}}}`),
      text: numbers(),
    },
    {
      name: 'dot and dollar',
      source: `{{with .one}}${many(() => '{{.}}{{$.one}}')}{{end}}`,
      text: '11'.repeat(MANY),
    },
  ]
  const data = { yes: true, list: [777, 280], none: [], one: 1 }

  it.each(rows)('keep $name', async ({ source, text }) => {
    const template = compile(source)
    expect(template.renderSync(data)).toBe(text)
    expect(await template.render(data)).toBe(text)
    expect(template.renderSync(data, { output: 'json' })).toBe(JSON.stringify(text).slice(1, -1))
  })

  it('wait for functions', async () => {
    const functions = { later: async (value: unknown) => value }
    const source = many((i) => `{{if later true}}{{later ${i}}}{{end}}`)
    expect(await compile(source, { functions }).render({})).toBe(numbers())
  })

  it('find templates from outside', () => {
    const partials = new Map([['p', compile('{{.}}', { name: 'p' })]])
    const source = many((i) => `{{template "p" ${i}}}`)
    expect(compile(source, { partials }).renderSync({})).toBe(numbers())
  })

  it('tell where they fail and what was printed before', () => {
    const source = `${many((i) => `{{${i}}}`)}{{index .list 9}}`
    let failure: unknown
    try {
      compile(source).renderSync(data)
    } catch (error) {
      failure = error
    }
    expect(failure).toBeInstanceOf(TemplateError)
    expect(failure).toMatchObject({ partial: numbers(), column: source.indexOf('index') + 1 })
  })

  it('compile what a render reaches, from nothing but their shape', () => {
    const shape = (name: string, text: string) =>
      `{{if .${name}}}${many(() => `${text}{{.${name}}}{{printf "${text}" 1}}`)}{{end}}${many(() => `{{.${name}}}`)}`
    const [first, second] = ['`+k1+`', '*/x/*'].map((text, i) => {
      const template = compile(shape(['constructor', 'then'][i] as string, text))
      const without = compiledSources(() => template.renderSync({}))
      const rest = compiledSources(() => template.renderSync(JSON.parse('{"constructor":1,"then":1}')))
      return { without, rest }
    })
    expect(first?.without.length).toBeGreaterThan(1)
    expect(first?.rest.length).toBeGreaterThan(1)
    // What the first template compiled is known when the second comes, as its sources are the same.
    expect([second?.without, second?.rest]).toEqual([[], []])
  })

  it('have bounds', () => {
    const actions = (count: number) => '{{.}}'.repeat(count)
    expect(() => compile(actions(11), { limits: { maxActions: 10 } })).toThrow('t:1: more than 10 actions')
    expect(() => compile(`{{print${' 1'.repeat(1000)}}}`)).toThrow('more than 1000 operands in one action')
    expect(compile(`{{and${' .'.repeat(990)}}}{{or${' 0'.repeat(990)}}}`).renderSync(1)).toBe('10')
    expect(compile(actions(10), { limits: { maxActions: 10 } }).renderSync(1)).toBe('1'.repeat(10))
  })
})
