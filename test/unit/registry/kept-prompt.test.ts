import { describe, expect, it } from 'vitest'
import { Catalog } from '../../../src/registry/catalog.js'
import { normalisePrompt } from '../../../src/registry/normalise-prompt.js'
import type { PromptEntry } from '../../../src/registry/snapshot.js'
import { parseJson } from '../../../src/util/json.js'
import { documentOf } from '../../support/documents.js'
import { createWatchedEngine } from '../../support/watched-engine.js'

const KEY = 'templates:a:b'

/** A catalog with one prompt, and what serves it. */
function catalogOf(document: object | string) {
  const catalog = new Catalog(createWatchedEngine())
  let asOf = 0
  const put = (value: object | string) => {
    asOf += 1
    catalog.put(documentOf(KEY, value), asOf, asOf)
    return served()
  }
  const served = (): PromptEntry => {
    entry = catalog.commit()?.snapshot.prompts.get('a.b') ?? entry
    if (entry === undefined) throw new Error('the prompt is not served')
    return entry
  }
  let entry: PromptEntry | undefined
  return { catalog, put, entry: put(document) }
}

describe('a prompt whose texts are read again', () => {
  it.each([
    ['a text', { name: 'n', userPrompt: 'Hello {{.x}} 提示', tools: ['t'] }],
    ['its other name', { prompt: 'Hello', userPrompt: '' }],
    [
      'messages',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'user', content: [{ type: 'text', text: 'b' }] },
        ],
      },
    ],
    [
      'what other programs write',
      { messages: [{ role: 'user', content: 'a', name: '' }], userPrompt: null, engine: '' },
    ],
    ['a large number', { userPrompt: 'x', options: '$seed' }],
  ])('is the one that was read: %s', (_name, document) => {
    const text = JSON.stringify(document).replace('"$seed"', '{ "seed": 12345678901234567890 }')
    const { entry } = catalogOf(text)
    const plain = normalisePrompt(entry.document, 'b')
    expect(entry.document).toEqual(parseJson(text))
    expect(textsOf(entry)).toEqual(textsOf({ definition: plain }))
    expect({ ...entry.definition, body: plain.body }).toEqual(plain)
  })

  it('stays readable for who holds it, and while its document is broken', () => {
    const { entry, put } = catalogOf({ userPrompt: 'first' })
    expect(textsOf(put('{'))).toEqual(['userPrompt', 'first'])
    expect(textsOf(put({ userPrompt: 'second' }))).toEqual(['userPrompt', 'second'])
    expect(textsOf(entry)).toEqual(['userPrompt', 'first'])
  })

  it('is known by its bytes, and by no others', () => {
    const { catalog } = catalogOf({ userPrompt: 'first' })
    const knows = (text: string) => catalog.confirm(KEY, Buffer.from(text), 9, 9)
    expect(knows('{"userPrompt":"first"}')).toBe(true)
    expect(knows('{"userPrompt":"First"}')).toBe(false)
    expect(knows('{"userPrompt":"first"} ')).toBe(false)
  })
})

function textsOf({ definition: { body } }: Pick<PromptEntry, 'definition'>) {
  return body.kind === 'prompt' ? [body.field, body.text] : body.messages
}
