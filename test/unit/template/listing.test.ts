import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/template/index.js'

function codeOf(source: string): string {
  return compile(source).generatedSource()
}

describe('generated code, as people read it', () => {
  it.each([
    { source: 'Hi', line: 'out+=text0; // "Hi"' },
    {
      source: '\n{{.name}}',
      line: 'value=((value=dot?.[name1])!==undefined?value:run.field(fieldSite2,dot)); // "name", 2:2 .name',
    },
    { source: '{{len "x"}}', line: 'value=call1(run,builtinSite1,constant0); // 1:2 len "x", "x"' },
    { source: '{{if true}}a{{end}}', line: 'if((value===true||value!==false&&isTrue(value))){' },
  ])('of $source has $line', ({ source, line }) => {
    expect(
      codeOf(source)
        .split('\n')
        .map((each) => each.trim()),
    ).toContain(line)
  })

  it('indents blocks, and lets none open', () => {
    const lines = codeOf('{{range .a}}{{if .b}}x{{else}}y{{end}}{{end}}').split('\n')
    expect(lines.filter((line) => line.endsWith('{')).length).toBe(
      lines.filter((line) => line.trim().startsWith('}')).length,
    )
    expect(lines.some((line) => line.startsWith('          '))).toBe(true)
  })

  it('says nothing but in comments what stands in the text', () => {
    const code = codeOf('*/ {{.x}}\n;alert(1)//')
    expect(code.split('\n').filter((line) => line.replace(/\/\/.*/, '').includes('alert'))).toEqual([])
  })
})
