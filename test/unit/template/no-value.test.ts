import { describe, expect, it } from 'vitest'
import type { TemplateWarning } from '../../../src/template/api.js'
import { compileForHost } from '../../../src/template/compile.js'

const FUNCTIONS = {
  nothing: () => null,
  later: async () => null,
  giveFunction: () => () => 1,
}

async function warningsOf(source: string, data: object, dialect: 'go' | 'handlebars' = 'go') {
  const warnings: TemplateWarning[] = []
  const template = compileForHost(source, { name: 'p', functions: FUNCTIONS, dialect })
  const text = await template.render(data, {
    missingKey: dialect === 'go' ? 'guarded' : 'default',
    onWarning: (warning) => warnings.push(warning),
  })
  return { text, warnings }
}

describe('an action without a value', () => {
  it.each([
    ['{{index .m "zz"}}', 'index .m "zz"'],
    ['{{.n}}', '.n'],
    ['{{range .l}}{{.}}{{end}}', '.'],
    ['{{nothing}}', 'nothing'],
    ['{{$x := .n}}{{$x}}', '$x'],
    ['{{template "x"}}{{define "x"}}{{.}}{{end}}', '.'],
    ['{{later}}', 'later'],
    ['{{if nothing}}{{else}}{{later}}{{end}}', 'later'],
  ])('%s is a warning', async (source, written) => {
    const { text, warnings } = await warningsOf(source, { m: {}, n: null, l: [null] })
    expect(text).toBe('<no value>')
    expect(warnings).toEqual([
      {
        code: 'no_value',
        message: `{{${written}}} printed <no value>: test it with {{with}}, or give it a default`,
        template: expect.stringMatching(/^[px]$/),
        line: 1,
        column: source.indexOf(`{{${written}}}`) + 3,
      },
    ])
  })

  it('is a warning for a function that prints as an address', async () => {
    const { warnings } = await warningsOf('{{.f}}{{giveFunction}}', { f: () => 1 })
    expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'no_value: {{.f}} printed a function: call it',
      'no_value: {{giveFunction}} printed a function: call it',
    ])
  })

  it('is a warning of a traced render, and of each place once', async () => {
    const warnings: TemplateWarning[] = []
    const template = compileForHost('{{range .l}}{{.}}{{end}}{{later}}', { functions: FUNCTIONS })
    await template.trace({ l: [null, null] }, { onWarning: (warning) => warnings.push(warning) })
    expect(warnings).toHaveLength(2)
  })

  it('is none where the text was written so, the value is tested, or null prints nothing', async () => {
    const source = '<no value>{{"<no value>"}}{{with .n}}{{.}}{{end}}{{.n | printf "%v"}}'
    expect((await warningsOf(source, { n: null })).warnings).toEqual([])
    expect(await warningsOf('{{ n }}', { n: null }, 'handlebars')).toEqual({ text: '', warnings: [] })
  })
})
