import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compile, functionLibrary } from '../../../src/template/index.js'

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/guides/go-templates.md'), 'utf8')
const data: unknown = JSON.parse(/```json\n(.*)\n```/.exec(page)?.[1] ?? '')
const rows = [...page.matchAll(/^\| `(.+)` \| `(.*)` \|$/gm)].map(([, source = '', output = '']) => ({
  source: source.replaceAll('\\|', '|'),
  output,
}))

describe('docs/guides/go-templates.md', () => {
  it('has rows', () => expect(rows.length).toBeGreaterThan(30))

  it.each(rows)('$source', ({ source, output }) => {
    const template = compile(source, { functions: functionLibrary })
    expect(template.renderSync(data, { missingKey: 'guarded' })).toBe(output)
  })

  it('says how braces are printed', () => {
    expect(page).toContain('`{{"{{"}}` prints `{{`')
    expect(compile('{{"{{"}}').renderSync({})).toBe('{{')
  })
})
