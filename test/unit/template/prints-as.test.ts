import { describe, expect, it } from 'vitest'
import { compile, printsAs } from '../../../src/template/index.js'

const tool = printsAs(
  { Name: 'tide_at', Types: printsAs(['string'], () => 'string') },
  () => '{"name":"tide_at"}',
)
const large = printsAs(
  Array.from({ length: 20_000 }, (_, index) => index),
  () => 'many',
)

describe('a value that prints as a text of its own', () => {
  it.each([
    ['{{ .tool }}', '{"name":"tide_at"}'],
    [
      '{{ .tool.Name }} {{ .tool.Types }} {{ index .tool.Types 0 }} {{ len .tool.Types }}',
      'tide_at string string 1',
    ],
    ['{{ range .tool.Types }}[{{ . }}]{{ end }}{{ with .tool }}{{ .Name }}{{ end }}', '[string]tide_at'],
    ['{{ .list }} {{ print .tool 1 }}', '[{"name":"tide_at"} 1] {"name":"tide_at"} 1'],
    [
      '{{ printf "%v|%s|%q|%x|%6.4s" .tool .tool.Types .tool.Types .tool.Types .tool }}',
      '{"name":"tide_at"}|string|"string"|737472696e67|  {"na',
    ],
    ['{{ printf "%d" .tool.Types }}', '[%!d(string=string)]'],
    ['{{ html .tool }}', '{&#34;name&#34;:&#34;tide_at&#34;}'],
    ['{{ .large }}', 'many'],
    ['{{ if .tool }}yes{{ end }}{{ if .none }}no{{ end }}', 'yes'],
  ])('%s', async (source, text) => {
    const template = compile(source)
    const data = { tool, large, list: [tool, 1], none: printsAs([], () => 'null') }
    expect(template.renderSync(data)).toBe(text)
    expect(await template.render(data, { isJson: true })).toBe(text)
  })

  it('makes its text once, and only when it is printed', () => {
    let made = 0
    const value = printsAs({ a: 1 }, () => {
      made += 1
      return `text ${made}`
    })
    expect(compile('{{ .v.a }}').renderSync({ v: value })).toBe('1')
    expect(made).toBe(0)
    expect(compile('{{ .v }} {{ .v }}').renderSync({ v: value })).toBe('text 1 text 1')
  })
})
