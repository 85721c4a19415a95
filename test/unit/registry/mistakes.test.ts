import { describe, expect, it } from 'vitest'
import { createTemplateEngine } from '../../../src/prompts/create-template-engine.js'
import { Catalog } from '../../../src/registry/catalog.js'
import { createCatalogCheck } from '../../../src/registry/rules/check-catalog.js'
import type { Diagnostic } from '../../../src/registry/snapshot.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { documentOf } from '../../support/documents.js'

/** A document with a mistake, and what its author reads: `line:column severity code: message; hint`. */
interface Row {
  readonly name: string
  readonly text: string
  readonly said: readonly string[]
}

function said({ line, column, severity, code, message, hint }: Diagnostic): string {
  const words = hint === undefined ? message : `${message}; ${hint}`
  return `${line ?? '-'}:${column ?? '-'} ${severity} ${code}: ${words}`
}

/** What `check` says of a prompt that is written in YAML. */
function saidOf(text: string): readonly string[] {
  const documents = [documentOf('templates:t', text, 'yaml'), documentOf('environs:flag', '"on"')]
  const snapshot = createSnapshot(documents, createTemplateEngine(262_144))
  return [...snapshot.diagnostics, ...[...createCatalogCheck(functionLibrary)(snapshot)].flat()].map(said)
}

const LOOPS: readonly Row[] = [
  {
    name: 'break and continue in a loop are none',
    text: "userPrompt: '{{range .variables.l}}{{if gt . 2}}{{break}}{{else}}{{continue}}{{end}}{{.}}{{end}}'",
    said: [],
  },
  {
    name: 'break outside a loop',
    text: "userPrompt: 'bad {{break}}'",
    said: [
      '1:25 error template_syntax: template: t:1: {{break}} outside {{range}}; write it between {{range …}} and its {{end}}',
    ],
  },
  {
    name: 'continue outside a loop, beside one',
    text: "userPrompt: '{{range .variables.l}}{{.}}{{end}}{{continue}}'",
    said: [
      '1:58 error template_syntax: template: t:1: {{continue}} outside {{range}}; write it between {{range …}} and its {{end}}',
    ],
  },
  {
    name: 'break with an argument',
    text: 'userPrompt: \'{{range .variables.l}}{{break "x"}}{{end}}\'',
    said: [
      '1:44 error template_syntax: template: t:1: unexpected "\\"x\\"" in {{break}}; write {{break}} and nothing more',
    ],
  },
]

describe.each([{ title: 'loops', rows: LOOPS }])('mistakes of $title', ({ rows }) => {
  it.each(rows)('$name', ({ text, said: expected }) => expect(saidOf(text)).toEqual(expected))
})

it('never take the place of a good version', () => {
  const catalog = new Catalog(createTemplateEngine(262_144))
  catalog.put(documentOf('templates:t', 'userPrompt: good', 'yaml'), 1, 1)
  catalog.commit()
  catalog.put(documentOf('templates:t', "userPrompt: 'bad {{break}}'", 'yaml'), 2, 1)
  const { prompts, diagnostics } = catalog.commit()?.snapshot ?? {}
  expect(prompts?.get('t')?.definition.body).toMatchObject({ text: 'good' })
  expect(diagnostics).toMatchObject([{ code: 'template_syntax', servingLastGood: true }])
})
