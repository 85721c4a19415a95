import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const NAMES = 90_000
const dict = (name: (at: number) => string) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: NAMES }, (_, at) => [name(at), at])))

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({
    'environs/words.json': dict((at) => `name ${at}`),
    'environs/numbers.json': dict((at) => String(NAMES - at)),
  })
})
afterAll(() => service.close())

/** What an author does with a dict without going through it, and what comes out: `K` is a name. */
const USES: readonly (readonly [action: string, output: string])[] = [
  ['{{len .big}}', `${NAMES}`],
  [`{{if eq (len .big) ${NAMES}}}all{{end}}`, 'all'],
  ['{{.big | len | add 1}}', `${NAMES + 1}`],
  ['{{range until 50}}{{if gt (len $.big) .}}.{{end}}{{end}}', '.'.repeat(50)],
  ['{{index .big "K"}}', '7'],
  ['{{index .big "absent"}}', '<no value>'],
  ['{{hasKey .big "K"}} {{hasKey .big "absent"}}', 'true false'],
  ['{{get .big "K"}}', '7'],
  ['{{dig "K" "none" .big}} {{dig "absent" "none" .big}}', '7 none'],
  ['{{pluck "K" .big}}', '[7]'],
  ['{{pick .big "K"}}', 'map[K:7]'],
  ['{{if .big}}some{{end}}', 'some'],
  ['{{with .big}}{{index . "K"}}{{end}}', '7'],
  ['{{not .big}} {{and .big 1}} {{empty .big}}', 'false 1 false'],
  ['{{index (or .big 1) "K"}} {{index (default 1 .big) "K"}}', '7 7'],
  ['{{index (coalesce .big 1) "K"}} {{index (ternary .big 1 true) "K"}}', '7 7'],
  ['{{kindOf .big}} {{kindIs "map" .big}} {{typeOf .big}}', 'map true map[string]interface {}'],
  ['{{$d := .big}}{{define "t"}}{{len .}}{{end}}{{template "t" $d}}', `${NAMES}`],
  ['{{len (list .big .big)}} {{index (first (list .big)) "K"}}', '2 7'],
]

describe.each([
  { name: 'words', key: `name ${7}`, first: 'name 0' },
  { name: 'numbers', key: String(NAMES - 7), first: '1' },
])('a shared dict of very many $name', ({ name, key }) => {
  it.each(USES)('%s', async (action, output) => {
    const userPrompt = action.replaceAll('.big', `.${name}`).replaceAll('"K"', `"${key}"`)
    const { body } = await service.post('/api/render', { prompt: { userPrompt } })
    expect(body.error ?? body.rendered_prompt).toEqual(output.replace('K:', `${key}:`))
  })
})
