import { describe, expect, it } from 'vitest'
import type { JsonText } from '../../../src/template/api.js'
import { compile } from '../../../src/template/index.js'

const partial = compile('é', { name: 'p' })
const partials = { get: (name: string) => (name === 'p' ? partial : undefined) }
const functions = { soon: async (value: string) => value }

describe('executeJson', () => {
  it.each([
    { source: 'a {{.x}}\n', data: { x: 'b "c"' }, json: 'a b \\"c\\"\\n', isAscii: true },
    { source: '{{.x}}', data: { x: `${'a'.repeat(500)}"` }, json: `${'a'.repeat(500)}\\"`, isAscii: true },
    {
      source: '{{.x}}',
      data: { x: [1, 2.5, true, null] },
      json: '[1 2.5 true <nil>]',
      isAscii: true,
    },
    { source: 'é {{.x}}', data: { x: 'b' }, json: 'é b', isAscii: false },
    { source: '{{if .x}}{{range .x}}é{{end}}{{end}}', data: { x: [1] }, json: 'é', isAscii: false },
    { source: '{{define "d"}}é{{end}}{{template "d"}}', data: {}, json: 'é', isAscii: false },
    { source: '{{.x}}', data: { x: '编程' }, json: '编程', isAscii: false },
    { source: '{{.x}}', data: { x: `${'a'.repeat(500)}é` }, json: `${'a'.repeat(500)}é`, isAscii: false },
    { source: '{{.x}}', data: { x: ['é'] }, json: '[é]', isAscii: false },
    { source: '{{"\\u00e9"}}', data: {}, json: 'é', isAscii: false },
    { source: '{{slice .x 0 1}}', data: { x: 'é' }, json: '\ufffd', isAscii: false },
    { source: '{{template "p"}}', data: {}, json: 'é', isAscii: false },
    { source: '{{soon .x}}!', data: { x: 'é' }, json: 'é!', isAscii: false },
    { source: '{{soon .x}}!', data: { x: 'a' }, json: 'a!', isAscii: true },
  ])('$source with $data', async ({ source, data, json, isAscii }) => {
    const result: JsonText = await compile(source, { partials, functions }).executeJson(data)
    expect(result).toEqual({ json, isAscii })
  })

  it('knows it of folded templates too', async () => {
    const fold = (x: string) => compile('{{.x}}{{.y}}').fold({ x }, { open: new Set(['y']) })
    expect(await fold('é').executeJson({ x: 'é', y: 'b' })).toEqual({ json: 'éb', isAscii: false })
    expect(await fold('a').executeJson({ x: 'a', y: 'b' })).toEqual({ json: 'ab', isAscii: true })
  })
})
