import { describe, expect, it } from 'vitest'
import { compile, TemplateError } from '../../../src/template/index.js'

const FUNCTIONS = {
  fail: () => {
    throw new Error('no')
  },
  later: async (value: unknown) => value,
}
const DATA = {
  yes: true,
  no: false,
  list: [1, 2, 3],
  none: [],
  text: 'T',
  people: [{ all: [7, 8] }, { all: [] }],
}

/** Template, what it prints, or with `!` what it had printed when it failed. */
const ROWS = [
  ['a{{if .yes}}b{{else}}c{{end}}d', 'abd'],
  ['a{{if .no}}b{{else}}c{{end}}d', 'acd'],
  ['a{{if .no}}b{{end}}d', 'ad'],
  ['a{{if .yes}}{{.text}}{{end}}d{{.text}}', 'aTdT'],
  ['a{{if .no}}b{{else if .no}}c{{else if .yes}}d{{else}}e{{end}}f{{with .text}}g{{end}}', 'adfg'],
  ['a{{with .text}}b{{.}}{{else}}c{{end}}d', 'abTd'],
  ['a{{if .yes}}b{{if .no}}c{{end}}{{end}}d', 'abd'],
  ['\n{{range .list}}- {{.}}\n{{end}}z', '\n- 1\n- 2\n- 3\nz'],
  ['\n{{range .none}}- {{.}}\n{{end}}z', '\nz'],
  ['a\n{{range .none}}- {{.}}\n{{else}}b{{end}}z', 'a\nbz'],
  ['a\n{{range .list}}- {{.}}\n{{else}}b{{end}}z', 'a\n- 1\n- 2\n- 3\nz'],
  ['a{{range .list}}- {{.}}\n{{end}}z', 'a- 1\n- 2\n- 3\nz'],
  ['\n{{range .list}}{{if eq . 2}}{{break}}{{end}}{{.}}\n{{end}}z', '\n1\nz'],
  ['\n{{range .list}}x{{if eq . 2}}y{{continue}}{{end}}{{.}}\n{{end}}z', '\nx1\nxyx3\nz'],
  ['\n{{range .list}}{{range $.none}}{{.}}{{else}}e{{break}}f{{end}}\n{{end}}z', '\ne\ne\ne\nz'],
  ['\n{{range .people}}q\n{{range .all}}{{.}}\n{{end}}{{end}}z', '\nq\n7\n8\nq\nz'],
  ['\n\n{{range .people}}q\n\n{{range .all}}{{.}}\n\n{{end}}{{end}}z', '\n\nq\n\n7\n\n8\n\nq\n\nz'],
  ['\n{{range .people}}q{{range .all}}{{.}}\n{{end}}{{end}}z', '\nq7\n8\nqz'],
  ['a{{$x := 1}}b{{if .yes}}c{{end}}{{$x}}', 'abc1'],
  ['{{define "u"}}x{{.}}y{{end}}a{{if .yes}}b{{template "u" 1}}{{end}}c', 'abx1yc'],
  ['a{{if fail}}b{{end}}', '!a'],
  ['a{{if .yes}}b{{if fail}}c{{end}}{{end}}', '!ab'],
  ['a{{if .no}}x{{else}}b{{with fail}}c{{end}}{{end}}', '!ab'],
  ['a\n{{range .list}}b{{if eq . 2}}{{fail}}{{end}}c\n{{end}}d', '!a\nbc\nb'],
  ['a\n{{range .list}}{{if eq . 2}}{{fail}}{{end}}c\n{{end}}d', '!a\nc\n'],
  ['a\n{{range .list}}c{{.}}\n{{end}}{{fail}}', '!a\nc1\nc2\nc3\n'],
  ['a\n{{range fail}}c\n{{end}}', '!a\n'],
  ['a{{template "u" .}}{{define "u"}}b{{if .yes}}c{{fail}}{{end}}{{end}}', '!abc'],
  ['a{{if .yes}}b{{template "u" fail}}{{end}}{{define "u"}}{{end}}', '!ab'],
  ['a{{if .yes}}{{printf "%5d" fail}}{{end}}', '!a'],
] as const

function outcome(template: string, data: object): string {
  try {
    return compile(template, { functions: FUNCTIONS }).renderSync(data)
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError)
    return `!${(error as TemplateError).partial}`
  }
}

describe('text that is due', () => {
  it.each(ROWS)('%j prints %j', (template, expected) => {
    expect(outcome(template, DATA)).toBe(expected)
  })

  it.each(ROWS)('%j prints %j where the render waits', async (template, expected) => {
    const waiting = compile(`{{if later true}}{{end}}${template}`, {
      functions: FUNCTIONS,
    })
    const result = waiting.render(DATA).catch((error: TemplateError) => `!${error.partial}`)
    expect(await result).toBe(expected)
  })

  it('escapes joined texts for JSON', () => {
    const template = compile('"\n{{range .list}}"{{.}}"\n{{end}}{{if .yes}}"{{end}}"')
    expect(JSON.parse(`"${template.execute(DATA, { output: 'json' }) as string}"`)).toBe(
      template.renderSync(DATA),
    )
  })

  it('does not copy a long text into every branch', () => {
    const branches = Array.from({ length: 150 }, (_, i) => `{{else if eq .n ${i}}}${i}`).join('')
    const long = 'x'.repeat(200_000)
    const template = compile(`${long}{{if .no}}${branches}{{end}}y`)
    expect(template.renderSync({ no: false, n: 99 })).toBe(`${long}99y`)
  })
})
