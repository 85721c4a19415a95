import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TemplateError } from '../../../src/template/api.js'
import { compileForHost } from '../../../src/template/compile.js'
import { fromBytes } from '../../../src/template/format/from-bytes.js'
import { functionLibrary, LIBRARY_FUNCTIONS } from '../../../src/template/library/function-library.js'
import { parseJson } from '../../../src/util/json/json.js'

interface Row {
  readonly template: string
  readonly output: string
  readonly hex?: string
  readonly error?: string
}

/** Sprig has no such functions; test/unit/template/library has rows for them. */
const OURS = [
  'toYaml',
  'tokens',
  'truncateTokens',
  'codeBlock',
  'truncRunes',
  'substrRunes',
  'abbrevRunes',
  'lenRunes',
]

const here = import.meta.dirname
const data = parseJson(readFileSync(join(here, 'data.json'), 'utf8'))
const rows = readFileSync(join(here, 'expected.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)

function render(template: string): { readonly output: string; readonly error: string } {
  try {
    return {
      output: compileForHost(template, { functions: functionLibrary, numbers: 'go' }).renderSync(data),
      error: '',
    }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { output: error.partial, error: error.message }
  }
}

function expected({ output, hex, error = '' }: Row) {
  return { output: hex === undefined ? output : fromBytes(Buffer.from(hex, 'hex')), error }
}

describe('the function library is Sprig', () => {
  it.each(rows)('$template', (row) => {
    expect(render(row.template)).toEqual(expected(row))
  })

  it('has a row for every function and every alias', () => {
    const templates = rows.map(({ template }) => template).join('\n')
    const untested = [...functionLibrary.keys()].filter(
      (name) => !OURS.includes(name) && !new RegExp(`[({| ]${name}\\b`).test(templates),
    )
    expect(untested).toEqual([])
  })

  it('names no function twice', () => {
    const names = LIBRARY_FUNCTIONS.flatMap(({ name, aliases }) => [name, ...aliases])
    expect(names.length).toBe(new Set(names).size)
  })
})
