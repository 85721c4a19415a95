import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { Catalog } from '../../../src/registry/catalog.js'
import { normalisePrompt } from '../../../src/registry/normalise-prompt.js'
import type { PromptEntry } from '../../../src/registry/snapshot.js'
import { Stamp, StampClock } from '../../../src/registry/stamp.js'
import { parseJson } from '../../../src/util/json/json.js'
import { documentOf } from '../../support/documents.js'
import { slowIt } from '../../support/slow-it.js'
import { createWatchedEngine } from '../../support/watched-engine.js'

const KEY = 'templates:a:b'

/** A catalog with one prompt, and what serves it. */
function catalogOf(document: object | string) {
  const catalog = new Catalog(createWatchedEngine())
  const stamps = new StampClock()
  const put = (value: object | string) => {
    catalog.put(documentOf(KEY, value), stamps.next())
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
    [
      'all that a prompt may say',
      {
        ...{ name: 'n', description: 'é', engine: 'handlebars', userPrompt: 'x', model: 'm', version: '1' },
        ...{ supports: ['a'], options: { seed: 1 }, tools: ['t'], parameters: [{ name: 'p' }] },
        returns: { type: 'object' },
      },
    ],
    ['a large number', { userPrompt: 'x', options: '$seed' }],
  ])('is the one that was read: %s', (_name, document) => {
    const text = JSON.stringify(document).replace('"$seed"', '{ "seed": 12345678901234567890 }')
    const { entry } = catalogOf(text)
    const plain = normalisePrompt(entry.document, 'b')
    expect(entry.document).toEqual(parseJson(text))
    expect(textsOf(entry)).toEqual(textsOf({ definition: plain }))
    const { body: _texts, ...rest } = plain
    for (const [name, value] of Object.entries(rest)) expect(entry.definition).toHaveProperty(name, value)
  })

  it('stays readable for who holds it, and while its document is broken', () => {
    const { entry, put } = catalogOf({ userPrompt: 'first' })
    expect(textsOf(put('{'))).toEqual(['userPrompt', 'first'])
    expect(textsOf(put({ userPrompt: 'second' }))).toEqual(['userPrompt', 'second'])
    expect(textsOf(entry)).toEqual(['userPrompt', 'first'])
  })

  it('shares with others what it says like them, and nothing else', () => {
    const { catalog } = catalogOf({ userPrompt: 'first' })
    catalog.put(documentOf('templates:a:c', { userPrompt: 'second' }), new Stamp(1))
    catalog.put(documentOf('templates:a:d', { userPrompt: 'third', model: 'm' }), new Stamp(1))
    const { prompts } = catalog.commit()?.snapshot ?? expect.fail()
    const [b, c, d] = ['b', 'c', 'd'].map((name) => prompts.get(`a.${name}`))
    expect(c).toMatchObject({ traits: expect.toSatisfy((traits) => traits === Object(b).traits) })
    expect([b, c, d].map((prompt) => prompt?.definition.model)).toEqual([undefined, undefined, 'm'])
    expect([b, c, d].map((prompt) => prompt?.definition.name)).toEqual(['b', 'c', 'd'])
    expect(d).toMatchObject({ id: 'a.d', origin: 'direct', location: expect.stringContaining('d') })
  })

  slowIt('takes few bytes of the heap, for collections of a large catalog go through all of it', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc')
    const catalog = new Catalog(createWatchedEngine())
    const stamp = new Stamp(1)
    const heapAfter = (from: number, to: number) => {
      for (let index = from; index < to; index += 1) {
        const document = {
          name: `prompt_${index}`,
          description: `Task ${index}`,
          userPrompt: 'x'.repeat(500),
        }
        catalog.put(documentOf(`templates:team:prompt_${index}`, document), stamp)
      }
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = heapAfter(0, 1_000)
    expect((heapAfter(1_000, 11_000) - before) / 10_000).toBeLessThan(650)
    expect(catalog.size).toBe(11_000)
  })

  it('is known by its bytes, and by no others', () => {
    const { catalog } = catalogOf({ userPrompt: 'first' })
    const knows = (text: string) => catalog.confirm(KEY, Buffer.from(text), new Stamp(9))
    expect(knows('{"userPrompt":"first"}')).toBe(true)
    expect(knows('{"userPrompt":"First"}')).toBe(false)
    expect(knows('{"userPrompt":"first"} ')).toBe(false)
  })
})

function textsOf({ definition: { body } }: Pick<PromptEntry, 'definition'>) {
  return body.kind === 'prompt' ? [body.field, body.text] : body.messages
}
