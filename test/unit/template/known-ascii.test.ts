import { describe, expect, it } from 'vitest'
import type { DeclaredFunction, HostTemplate, TemplateFunction } from '../../../src/template/api.js'
import { compileForHost } from '../../../src/template/compile.js'
import type { JsonText } from '../../../src/template/json-text.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { getOrCreate } from '../../../src/util/get-or-create.js'
import { createRandom } from '../../support/random.js'
import { someRuns } from '../../support/some-runs.js'

const LONG = 'long '.repeat(200)
/** More actions than are compiled at once. */
const MANY = 300
/** More elements than are printed in one go. */
const LARGE = 20_010

const ASCII = ['', 'plain', '"\\\n\x00\x7f', LONG, `${LONG}"`]
const BEYOND = ['é', '\x80', '中', '😀', '\udc80', '\ud800', `é${LONG}`, `${LONG}"é`, `${LONG}\udcff`]

/** A template by its text, which stands where `@` does: in the text itself, and in templates from outside. */
type Make = (text: string) => string

/** Every way of a value to the output, which is field `x` of the data. */
const WAYS = [
  '{{.x}}',
  '{{if .x}}{{.x}}{{else}}{{.x}}{{end}}',
  '{{with .}}{{.x}}{{end}}',
  '{{range .list}}{{$.x}}{{.}}{{end}}',
  '{{range $i, $v := .list}}{{$i}}{{$v}}{{end}}{{.x}}',
  '{{printf "%s" .x}}',
  '{{printf "%5s|%v|%d" .x .x 3}}',
  '{{printf .format .x}}',
  '{{print .x 1 2.5}}',
  '{{toJson .}}',
  '{{upper .x}}{{join "," .list}}',
  '{{.list}}',
  '{{.keys}}{{range $key, $value := .keys}}{{$key}}{{end}}',
  '{{soon .x}}',
  '{{soon .x | printf "%s"}}{{soon .list}}',
  '{{if soon true}}{{.x}}{{end}}',
  '{{if soon true}}{{.large}}{{end}}',
  '{{soon .large}}',
  '{{define "inner"}}{{.}}{{end}}{{template "inner" .x}}',
  '{{template "value" .x}}',
  '{{if soon true}}{{template "value" .x}}{{end}}',
  '{{template "outer" .x}}',
  `{{.x}}${'{{if .none}}{{.none}}{{end}}'.repeat(MANY)}`,
  `{{if soon true}}{{.x}}{{end}}${'{{if .none}}{{.none}}{{end}}'.repeat(MANY)}`,
]

/** Every place of static text in what is rendered. */
const PLACES: readonly Make[] = [
  (text) => text,
  (text) => `{{.none}}${text}`,
  (text) => `{{if .list}}a${text}{{else}}b{{end}}`,
  (text) => `{{range .list}}${text}{{.}}{{end}}`,
  (text) => `{{define "inner"}}${text}{{end}}{{template "inner"}}`,
  (text) => `{{if soon true}}${text}{{end}}`,
  (text) => `${'{{if .list}}{{end}}'.repeat(MANY)}${text}`,
  (text) => `{{template "text"}}{{/*${text}*/}}`,
  (text) => `{{if soon true}}{{template "text"}}{{end}}{{/*${text}*/}}`,
  (text) => `{{range .list}}{{template "outer text"}}{{end}}{{/*${text}*/}}`,
]

const OPTIONS = { output: 'json' } as const

describe('what is known to be ASCII', () => {
  describe.each(WAYS.map((source) => ({ source, name: source.slice(0, 60) })))('by $name', ({ source }) => {
    const template = compiled(source)

    it('tells of its values', async () => {
      for (const x of ASCII) expect(await known(template, dataOf(x))).toBe(true)
      const others = await Promise.all(BEYOND.map((x) => exactlyKnown(template, dataOf(x))))
      expect(others).toContain(false)
    })

    it('tells of values that are folded into its text', async () => {
      expect(await known(fixed(template, 'a'), dataOf('a'))).toBe(true)
      expect(await exactlyKnown(fixed(template, 'é'), dataOf('é'))).toBe(false)
    })
  })

  it.each(PLACES.map((place) => ({ place, name: place('@').slice(0, 60) })))(
    'tells of text at $name',
    async ({ place }) => {
      for (const text of BEYOND) expect(await known(compiled(place(text), text), dataOf('x'))).toBe(false)
      for (const text of ASCII) expect(await known(compiled(place(text), text), dataOf('x'))).toBe(true)
    },
  )

  it('is that of a render alone: others that went before change nothing', async () => {
    const template = compiled('{{.x}}{{soon .x}}')
    for (const x of ['a', 'é', 'a', '中', 'a']) expect(await known(template, dataOf(x))).toBe(x === 'a')
  })

  it('is nothing of texts that are no JSON', () => {
    expect(compileForHost('a').executeJson({}, {})).toEqual({ text: 'a', isAscii: false })
  })

  it('is so in Handlebars', async () => {
    for (const x of [...ASCII, ...BEYOND]) {
      const partials = new Map([['p', compileForHost('{{x}}', { name: 'p', dialect: 'handlebars' })]])
      const template = compileForHost('a{{x}}{{#each list}}{{item}}{{/each}}{{> p}}', {
        dialect: 'handlebars',
        partials,
      })
      expect(await known(template, dataOf(x))).toBe(ASCII.includes(x))
    }
  })

  it('is never wrong, whatever comes together', async () => {
    const random = createRandom(20_26)
    for (let round = 0; round < someRuns(60); round++) {
      const parts = Array.from({ length: 1 + random.below(4) }, () =>
        random.below(2) === 0 ? random.pick(WAYS) : random.pick(PLACES)(random.pick([...ASCII, ...BEYOND])),
      )
      // A name is defined once in a text.
      const source = parts.map((part, i) => part.replaceAll('"inner"', `"inner${i}"`)).join('')
      const x = random.pick([...ASCII, ...BEYOND])
      const template = compiled(source, random.pick([...ASCII, ...BEYOND]))
      for (const each of [template, fixed(template, x)]) await known(each, dataOf(x))
    }
  })
})

async function soon(value: unknown): Promise<unknown> {
  return value
}

/** Long lists by their last element. */
const lists = new Map<string, readonly string[]>()

function dataOf(x: string): object {
  const create = () => Array.from({ length: LARGE }, (_, i) => (i === LARGE - 1 ? x : 'a'))
  const large = getOrCreate(lists, x, create)
  return { x, list: [x, 'b'], keys: { [x]: 1 }, large, format: '%s', none: '' }
}

function fixed(template: HostTemplate, x: string): HostTemplate {
  return template.fold(dataOf(x), { open: new Set(['list']), isPure: (name) => name !== 'soon' })
}

/** A template with others around it, of which some hold this text. */
function compiled(source: string, text = 'text'): HostTemplate {
  const functions = new Map<string, TemplateFunction | DeclaredFunction>([...functionLibrary, ['soon', soon]])
  const partials = new Map<string, HostTemplate>()
  const sources = {
    value: 'v{{.}}',
    outer: '{{template "value" .}}',
    text,
    'outer text': '{{template "text"}}',
  }
  for (const [name, each] of Object.entries(sources))
    partials.set(name, compileForHost(each, { name, functions, partials }))
  return compileForHost(source, { functions, partials })
}

/** Whether the output is known to be ASCII, which it then is; it is that of `execute`. */
async function known(template: HostTemplate, data: object): Promise<boolean> {
  const { text, isAscii }: JsonText = await template.executeJson(data, OPTIONS)
  if (isAscii) expect(text).toMatch(/^[\0-\x7f]*$/)
  expect(text === (await template.execute(data, OPTIONS))).toBe(true)
  return isAscii
}

/** The same of a template all of whose texts and values are printed. */
async function exactlyKnown(template: HostTemplate, data: object): Promise<boolean> {
  const isAscii = await known(template, data)
  const text = await template.execute(data, OPTIONS)
  expect(isAscii).toBe(/^[\0-\x7f]*$/.test(text))
  return isAscii
}
