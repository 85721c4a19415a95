import { describe, expect, it } from 'vitest'
import { compile, type RenderOptions } from '../../../src/template/index.js'
import { failureOf } from '../../support/template-failure.js'

const UNTOUCHED = 0xaa

/** What a target of some size holds after a render. */
function into(template: string, data: unknown, size: number, options?: RenderOptions): number[] {
  const target = new Uint8Array(size).fill(UNTOUCHED)
  const compiled = compile(template, { name: 't' })
  const length =
    options === undefined ? compiled.renderInto(data, target) : compiled.renderInto(data, target, options)
  return [...target.subarray(0, length)]
}

describe('renderInto', () => {
  it.each([
    ['nothing', '', {}],
    ['ASCII', 'a{{.x}}c', { x: 'b' }],
    ['two bytes for a character', '{{.x}}', { x: 'naïve é' }],
    ['three and four bytes for a character', '{{.x}}', { x: '漢字 😀' }],
    ['a byte that is not valid UTF-8', '{{slice .x 0 1}}|{{"\\xe9"}}|é', { x: 'é' }],
    ['bytes that together are a character', '{{slice .x 0 1}}{{slice .x 1 2}}', { x: 'é' }],
    ['a lone surrogate', 'a{{.x}}b', { x: '\ud800' }],
    ['what looks like a stray byte', 'a{{.x}}b', { x: '\udcff' }],
  ])('writes the bytes of renderBytes: %s', async (_, template, data) => {
    const bytes = [...(await compile(template).renderBytes(data))]
    expect(into(template, data, 100)).toEqual(bytes)
    expect(into(template, data, 100, {})).toEqual(bytes)
    expect(into(template, data, bytes.length)).toEqual(bytes)
  })

  it('goes on so when the template has settled', () => {
    const twin = compile('<{{.x}}>{{range .list}}{{.}}{{end}}')
    twin.renderSync({})
    const template = compile('[{{.x}}]{{range .list}}{{.}}{{end}}')
    const target = Buffer.alloc(300_000)
    const text = (data: object) => target.toString('latin1', 0, template.renderInto(data, target))
    const long = Array.from({ length: 1000 }, () => 'y'.repeat(200))
    const wide = { x: 'é'.repeat(5 << 20) }
    for (let i = 0; i < 300; i++) {
      expect(text({ x: i })).toBe(`[${i}]`)
      expect(text({ x: 'é\udcff' })).toBe('[\xc3\xa9\xff]')
      if (i % 50 === 0) expect(text({ x: 1, list: long })).toBe(`[1]${long.join('')}`)
      if (i % 50 === 1) {
        const error = failureOf(() => template.renderInto({ x: 'é\udcff' }, target.subarray(0, 4)))
        expect(error.details).toMatchObject({ bytes: 5 })
        expect(failureOf(() => template.renderInto({ list: 'x' }, target)).partial).toBe('[<no value>]')
        expect(failureOf(() => template.renderInto(wide, target)).reason).toBe('output')
      }
    }
  })

  it('writes only the output', () => {
    const target = new Uint8Array(5).fill(UNTOUCHED)
    expect(compile('a{{.}}').renderInto('b', target)).toBe(2)
    expect([...target]).toEqual([0x61, 0x62, UNTOUCHED, UNTOUCHED, UNTOUCHED])
  })

  it.each([
    ['abc', 2, 3],
    ['aéb', 3, 4],
    ['aéé', 3, 5],
    ['{{slice "é" 0 1}}ab', 2, 3],
    ['x', 0, 1],
  ])('says of %s how many bytes a target of %i lacks', (template, size, bytes) => {
    const error = failureOf(() => compile(template).renderInto({}, new Uint8Array(size)))
    expect(error).toMatchObject({ code: 'render_limit', reason: 'output', details: { bytes } })
    expect(error.message).toContain(`output of ${bytes} bytes exceeds the target's ${size}`)
    expect(compile(template).renderInto({}, new Uint8Array(bytes))).toBe(bytes)
  })

  it('counts bytes against the limit', () => {
    const template = compile('{{.}}')
    const target = new Uint8Array(100)
    expect(template.renderInto('ééé', target, { limits: { maxOutputBytes: 6 } })).toBe(6)
    for (const value of ['éééa', 'aaaaaaa']) {
      const error = failureOf(() => template.renderInto(value, target, { limits: { maxOutputBytes: 6 } }))
      expect(error).toMatchObject({ code: 'render_limit', reason: 'output', partial: value })
      expect(error.message).toContain('output exceeds 6 bytes')
    }
  })

  it('holds every other limit, and again in the next render', () => {
    const template = compile('{{range .}}{{end}}', { limits: { maxSteps: 1000 } })
    const target = new Uint8Array(10)
    for (let i = 0; i < 3; i++) {
      expect(failureOf(() => template.renderInto(1001, target)).reason).toBe('steps')
      expect(template.renderInto(999, target)).toBe(0)
    }
  })

  it('fails as renderSync does, with what was printed before', () => {
    const template = compile('a{{.x.y.z}}')
    const target = new Uint8Array(10)
    const error = failureOf(() => template.renderInto({ x: { y: 1 } }, target))
    expect(error.message).toBe(failureOf(() => template.renderSync({ x: { y: 1 } })).message)
    expect(error.partial).toBe('a')
    expect(template.renderInto({ x: { y: { z: 2 } } }, target)).toBe(2)
  })

  it('does not wait', () => {
    const template = compile('a{{later}}', { functions: { later: async () => 'b' } })
    const error = failureOf(() => template.renderInto({}, new Uint8Array(10)))
    expect(error.message).toContain('the function is asynchronous, the render is not')
  })

  it('escapes for JSON', () => {
    expect(into('"{{.}}', '\n', 10, { output: 'json' })).toEqual([...Buffer.from('\\"\\n')])
  })

  it('may be called by a function of the same template', () => {
    const functions = {
      inner: (): string => {
        const target = new Uint8Array(10)
        return Buffer.from(target.subarray(0, template.renderInto({ deep: false }, target))).toString()
      },
    }
    const template = compile('<{{if .deep}}{{inner}}{{end}}>', { functions })
    const target = Buffer.alloc(10)
    for (let i = 0; i < 3; i++) {
      expect(target.toString('utf8', 0, template.renderInto({ deep: true }, target))).toBe('<<>>')
    }
  })

  it('writes long output in one piece', () => {
    const list = Array.from({ length: 50_000 }, (_, i) => i)
    const target = Buffer.alloc(1 << 20)
    const template = compile('{{range .}}{{.}},{{end}}')
    expect(target.toString('utf8', 0, template.renderInto(list, target))).toBe(`${list.join(',')},`)
  })
})

describe('templates of one shape', () => {
  it('keep their own constants when each gets code of its own', () => {
    const shape = (name: string) =>
      compile(
        `${name}{{define "${name}"}}<{{.${name}}}>{{end}}{{range .list}}{{template "${name}" .}}{{end}}`,
      )
    const templates = ['aa', 'bb', 'cc'].map((name) => ({ name, template: shape(name) }))
    for (let i = 0; i < 250; i++) {
      for (const { name, template } of templates) {
        const data = { list: [{ [name]: i }, {}] }
        expect(template.renderSync(data)).toBe(`${name}<${i}><<no value>>`)
      }
    }
  })

  it('may get it while one of them renders', () => {
    const shape = (name: string) => {
      const functions = {
        again: (depth: number): string => (depth === 0 ? '' : template.renderSync({ depth: depth - 1 })),
      }
      const template = compile(`${name}{{again .depth}}{{.depth}}`, { functions })
      return template
    }
    for (const template of [shape('a'), shape('b')]) {
      expect(template.renderSync({ depth: 150 })).toMatch(/^([ab])\1{150}0123/)
    }
  })
})

describe('renderInto with long texts', () => {
  const LONG = 'A long text. '.repeat(80)
  const DATA = {
    x: 'b',
    list: [1, 2],
    é: 'é',
    stray: '\udcc3',
    lone: '\ud800',
    many: Array(2000).fill('y'.repeat(50)),
  }
  const templates = [
    LONG,
    `${LONG}{{.x}}${LONG}`,
    `{{.x}}${LONG}{{.é}}${LONG}{{.x}}`,
    `{{.lone}}${LONG}{{.stray}}${LONG}{{"\\xa9"}}`,
    `{{.stray}}é${LONG}{{slice .é 0 1}}`,
    `${LONG}é{{.x}}`,
    `${LONG}{{range .list}}{{.}}${LONG}{{else}}-{{end}}${LONG}`,
    `{{if .x}}${LONG}{{else}}-{{end}}${LONG}{{with .x}}{{.}}{{end}}`,
    `${LONG}{{range .many}}{{.}}{{end}}${LONG}{{.x}}`,
    `{{define "u"}}${LONG}{{.x}}{{end}}{{template "u" .}}${LONG}{{template "u" .}}`,
    `${LONG}{{if .list}}{{template "t" .list2}}{{end}}${LONG}`,
  ]

  it.each(templates)('writes the bytes of renderBytes: %#', async (template) => {
    const bytes = Buffer.from(await compile(template, { name: 't' }).renderBytes(DATA))
    expect(Buffer.from(into(template, DATA, 1 << 20)).equals(bytes)).toBe(true)
    expect(Buffer.from(into(template, DATA, bytes.length, { deadlineMs: 1000 })).equals(bytes)).toBe(true)
    const json = await compile(template, { name: 't' }).renderBytes(DATA, { output: 'json' })
    expect(Buffer.from(into(template, DATA, 1 << 20, { output: 'json' })).equals(json)).toBe(true)
    for (const size of [0, 1, LONG.length, LONG.length + 1, LONG.length * 2, bytes.length - 1]) {
      if (size >= bytes.length) continue
      const error = failureOf(() => into(template, DATA, size))
      expect(error).toMatchObject({ reason: 'output', details: { bytes: bytes.length } })
    }
  })

  it('renders again after what did not fit or failed', () => {
    const template = compile(`{{.x}}${LONG}{{index .list 1}}${LONG}{{.x}}`)
    const target = new Uint8Array(3000)
    const length = LONG.length * 2 + 3
    for (let i = 0; i < 3; i++) {
      expect(template.renderInto(DATA, target)).toBe(length)
      expect(failureOf(() => template.renderInto(DATA, target.subarray(0, 1500))).details).toMatchObject({
        bytes: length,
      })
      expect(template.renderInto(DATA, target)).toBe(length)
      const error = failureOf(() => template.renderInto({ x: 'é', list: [] }, target))
      expect(error.partial).toBe(`é${LONG}`)
      expect(template.renderInto(DATA, target)).toBe(length)
    }
  })

  it('counts bytes against the limit', () => {
    const template = compile(`{{.x}}${LONG}{{.x}}`)
    const render = (maxOutputBytes: number) =>
      template.renderInto(DATA, new Uint8Array(5000), { limits: { maxOutputBytes } })
    expect(render(LONG.length + 2)).toBe(LONG.length + 2)
    expect(failureOf(() => render(LONG.length + 1)).message).toContain(
      `output exceeds ${LONG.length + 1} bytes`,
    )
  })

  it('takes a render of the same template in between', () => {
    const functions = {
      inner: (): string => {
        const target = new Uint8Array(5000)
        return Buffer.from(target.subarray(0, template.renderInto({}, target))).toString()
      },
    }
    const template = compile(`<${LONG}{{if .deep}}{{inner}}{{end}}${LONG}>`, { functions })
    const target = Buffer.alloc(5000)
    for (let i = 0; i < 3; i++) {
      const text = target.toString('utf8', 0, template.renderInto({ deep: true }, target))
      expect(text).toBe(`<${LONG}<${LONG}${LONG}>${LONG}>`)
    }
  })
})
