import { describe, expect, it } from 'vitest'
import { keptSource } from '../../../src/registry/kept-source.js'
import { isJsonObject, parseJson } from '../../../src/util/json.js'

/** The source that is kept of a text, and whether the text itself is. */
function kept(text: string) {
  const value = parseJson(text)
  if (!isJsonObject(value)) throw new Error(`no object: ${text}`)
  const source = keptSource({ text, format: 'json' }, value)
  return { source, hasText: Object.hasOwn(source, 'text') }
}

describe('the source of a document', () => {
  it.each([
    ['as programs write it', '{"name":"a","userPrompt":"{{.x}}\\n","tools":[1,2]}', false],
    ['with spaces', '{"name": "a"}', true],
    ['with lines', '{\n  "name": "a"\n}', true],
    ['with escapes that nobody needs', '{"name":"\\u0061"}', true],
    ['with a name twice', '{"name":"a","name":"b"}', true],
    ['with numbers of its own', '{"n":1.0}', true],
    ['with integers that no double holds', '{"n":12345678901234567890}', false],
    ['with names that are numbers out of order', '{"2":1,"1":2}', true],
    ['with halves of characters', '{"name":"\\ud800"}', false],
    ['that is long', `{"name":"${'x'.repeat(70_000)}"}`, true],
  ])('%s: the text that was written', (_name, text, hasText) => {
    const { source, hasText: has } = kept(text)
    expect(source.text).toBe(text)
    expect(source.format).toBe('json')
    expect(has).toBe(hasText)
  })
})
