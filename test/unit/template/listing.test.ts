import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseAst } from 'vitest/node'
import { compile } from '../../../src/template/index.js'
import { CompiledTemplate } from '../../../src/template/template.js'

const functions = { f: (value: unknown) => value }
const SOURCES = [
  'Hi {{.name}}',
  '{{range $k, $v := .a}}{{if .b}}x{{else}}{{break}}{{end}}{{$k}}{{else}}none{{end}}',
  '{{define "d"}}{{.}}{{end}}{{template "d" .x}}{{with .y}}{{$z := .w}}{{$z = 3}}{{end}}',
  '{{if and .a (or .b 1)}}{{f 1 .b | print}}{{len .x | printf "%d %d" 1}}{{end}}{{(index .a 1).b}}{{ne .a "x"}}',
  '{{if and .a (or .b .c) (eq .d "x" "y") (not .e)}}{{$x := index .k 1}}{{f (f .aaaaaaaaaaaa.bbbbbbbbb) .c.d.e.f .g}}{{end}}',
]

function compiled(source: string): CompiledTemplate {
  const template = compile(source, { functions })
  if (template instanceof CompiledTemplate) return template
  throw new Error('not a compiled template')
}

function codeOf(source: string): string {
  return compiled(source).generatedSource()
}

/** A program's tree without what only its text has: places, and parentheses. */
function treeOf(source: string): unknown {
  return bare(parseAst(`function program() {${source}}`, { lang: 'js' }))
}

function bare(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(bare)
  if (typeof node !== 'object' || node === null) return node
  if ('type' in node && node.type === 'ParenthesizedExpression' && 'expression' in node) {
    return bare(node.expression)
  }
  const members = Object.entries(node).filter(
    ([name]) => name !== 'start' && name !== 'end' && name !== 'raw',
  )
  return Object.fromEntries(members.map(([name, member]) => [name, bare(member)]))
}

describe('generated code, as people read it', () => {
  it.each([
    { source: 'Hi', line: 'out += text0; // "Hi"' },
    {
      source: '\n{{.name}}',
      line: 'value = (value = dot?.[name1]) !== undefined ? value : run.field(fieldSite2, dot); // "name", 2:3 .name',
    },
    { source: '{{len "x"}}', line: 'value = call1(run, builtinSite1, constant0); // 1:3 len "x", "x"' },
    { source: '{{if true}}a{{end}}', line: 'if (value === true || value !== false && isTrue(value)) {' },
    { source: '{{define "d"}}{{end}}{{template "d"}}', line: '}, function (run, out, dot) { // "t"' },
    { source: '{{range .a}}{{.}}{{end}}', line: 'loop0: for (index2 = 0; index2 < length3; index2++) {' },
  ])('of $source has $line', ({ source, line }) => {
    const lines = codeOf(source).split('\n')
    expect(lines.map((each) => each.trim())).toContain(line)
  })

  it.each(SOURCES)('says what runs: %s', (source) => {
    const template = compiled(source)
    for (const asynchronous of [false, true]) {
      const source = template.code.source({ json: false, asynchronous })
      const program = source.replace(/^.*?"use strict";(.*)\}$/s, '$1')
      expect(treeOf(template.code.listing({ json: false, asynchronous }))).toEqual(treeOf(program))
    }
  })

  it('indents blocks, and lets none open', () => {
    const lines = codeOf('{{range .a}}{{if .b}}x{{else}}y{{end}}{{end}}').split('\n')
    const ends = (line: string) => line.trim().startsWith('}')
    expect(lines.filter((line) => / \{( \/\/.*)?$/.test(line)).length).toBe(lines.filter(ends).length)
    expect(lines.some((line) => line.startsWith('          '))).toBe(true)
  })

  it('breaks long lines at the operators that bind least, and opens the longest brackets', () => {
    const lines = codeOf('{{if and .first (or .second .third) .fourth}}x{{end}}').split('\n')
    const code = lines.map((line) => line.replace(/ \/\/.*/, '').trim())
    expect(code.filter((line) => line.length > 120)).toEqual([])
    expect(code.filter((line) => line.startsWith('|| (')).length).toBeGreaterThan(1)
    expect(code.filter((line) => line.endsWith('(')).length).toBe(
      code.filter((line) => line.startsWith(')')).length,
    )
  })

  it('says nothing but in comments what stands in the text', () => {
    const code = codeOf('*/ {{.x}}\n;alert(1)//')
    expect(code.split('\n').filter((line) => line.replace(/\/\/.*/, '').includes('alert'))).toEqual([])
  })

  it('is what the decision record shows', () => {
    const path = new URL('../../../docs/explain/decisions/0014-how-generated-code-reads.md', import.meta.url)
    const record = readFileSync(path, 'utf8')
    const source = /^For `(.*)`:$/m.exec(record)?.[1]
    const shown = /```js\n([\s\S]*?)\n```/.exec(record)?.[1]
    expect(shown).toBe(codeOf(source ?? ''))
  })
})
