import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/template/index.js'

const partial = compile('é', { name: 'p' })
const partials = { get: (name: string) => (name === 'p' ? partial : undefined) }
const functions = { soon: async (value: string) => value }

describe('the inside of a JSON string', () => {
  it.each([
    { source: 'a {{.x}}\n', data: { x: 'b "c"' }, json: 'a b \\"c\\"\\n' },
    { source: '{{.x}}', data: { x: `${'a'.repeat(500)}"` }, json: `${'a'.repeat(500)}\\"` },
    {
      source: '{{.x}}',
      data: { x: [1, 2.5, true, null] },
      json: '[1 2.5 true <nil>]',
    },
    { source: 'é {{.x}}', data: { x: 'b' }, json: 'é b' },
    { source: '{{if .x}}{{range .x}}é{{end}}{{end}}', data: { x: [1] }, json: 'é' },
    { source: '{{define "d"}}é{{end}}{{template "d"}}', data: {}, json: 'é' },
    { source: '{{.x}}', data: { x: '编程' }, json: '编程' },
    { source: '{{.x}}', data: { x: `${'a'.repeat(500)}é` }, json: `${'a'.repeat(500)}é` },
    { source: '{{.x}}', data: { x: ['é'] }, json: '[é]' },
    { source: '{{"\\u00e9"}}', data: {}, json: 'é' },
    { source: '{{slice .x 0 1}}', data: { x: 'é' }, json: '\ufffd' },
    { source: '{{template "p"}}', data: {}, json: 'é' },
    { source: '{{soon .x}}!', data: { x: 'é' }, json: 'é!' },
    { source: '{{soon .x}}!', data: { x: 'a' }, json: 'a!' },
  ])('$source with $data', async ({ source, data, json }) => {
    const template = compile(source, { partials, functions })
    expect(await template.execute(data, { output: 'json' })).toBe(json)
  })

  it('is the same of folded templates', async () => {
    const template = compile('{{.x}}{{.y}}').fold({ x: 'é"' }, { open: new Set(['y']) })
    expect(await template.execute({ x: 'é"', y: 'b' }, { output: 'json' })).toBe('é\\"b')
  })
})
