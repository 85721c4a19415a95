import { expect, it } from 'vitest'
import { includedReferences, missingInIncluded } from '../../../src/prompts/included-references.js'
import { compileForHost } from '../../../src/template/compile.js'
import { functionLibrary, type TemplateWarning } from '../../../src/template/index.js'
import { NOTHING } from '../../../src/template/nothing.js'

const failed = { call: () => NOTHING, parameters: [], takes: 'json', lenient: true } as const
const answer = {
  call: () => ({ items: [{ a: 1 }, {}] }),
  parameters: [],
  takes: 'json',
  lenient: true,
} as const
const functions = { ...Object.fromEntries(functionLibrary as ReadonlyMap<string, never>), failed, answer }

it.each([
  ['A{{range failed}}{{.title}}{{end}}B', 'AB'],
  ['{{(failed).result}}{{(failed).a.b}}{{index (failed) 0}}{{index (failed) "k" 1}}{{failed}}|', '|'],
  ['{{len (failed)}} {{eq (failed) nil}} {{empty (failed).x}} {{toJson (failed)}}', '0 true true null'],
  ['{{if failed}}y{{else}}n{{end}}{{with (failed).a}}y{{else}}n{{end}}', 'nn'],
  [
    '{{gt (failed).n 3}} {{lt (failed).n 3}} {{failed | upper}}{{printf "%d%s" (failed) (failed)}}|',
    'false false |',
  ],
  ['{{default "none" (failed)}}', 'none'],
])('%s', (source, expected) => {
  expect(compileForHost(source, { functions }).renderSync({}, { missingKey: 'guarded' })).toBe(expected)
})

it('a field that an answer lacks is nothing, with a warning; one that the data lacks is an error', () => {
  const warnings: TemplateWarning[] = []
  const options = { missingKey: 'guarded', onWarning: (one: TemplateWarning) => warnings.push(one) } as const
  const source = '{{range (answer).items}}[{{.a}}]{{end}}{{(answer).none}}'
  expect(compileForHost(source, { functions }).renderSync({}, options)).toBe('[1][]')
  expect(warnings.map(({ code, message }) => [code, message])).toEqual([
    ['missing_field', 'the answer has no field a'],
    ['missing_field', 'the answer has no field none'],
  ])
  expect(() => compileForHost('{{(answer).items}}{{.x}}', { functions }).renderSync({}, options)).toThrow(
    'missing variable x',
  )
})

it('an included template completes the whole data, and tells what it reads', () => {
  const whenIncluded = (data: unknown) => ({ ...(data as object), b: 2 })
  const part = compileForHost('{{.a}}{{.b}}{{if .c}}{{.d}}{{end}}', { name: 'part', whenIncluded })
  const template = compileForHost('{{template "part" .}}{{with .x}}{{template "part" .}}{{end}}', {
    partials: { get: () => part },
  })
  expect(template.renderSync({ a: 1, x: { a: 5 } })).toBe('125<no value>')
  const included = includedReferences([template], false)
  expect(missingInIncluded(included, {})).toEqual([{ path: 'a', line: 1, column: 3, prompt: 'part' }])
})
