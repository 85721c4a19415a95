import { describe, expect, it } from 'vitest'
import { checkSequence } from '../../../src/prompts/check-sequence.js'
import { createTemplateEngine } from '../../../src/prompts/create-template-engine.js'
import type { AheadDocument } from '../../../src/registry/ahead-document.js'
import { Catalog } from '../../../src/registry/catalog.js'
import { takesPieces } from '../../../src/registry/read-document.js'
import { createCatalogCheck } from '../../../src/registry/rules/check-catalog.js'
import { Stamp } from '../../../src/registry/stamp.js'
import { TemplateCache } from '../../../src/registry/template-cache.js'
import type { TemplateEngine } from '../../../src/registry/template-engine.js'
import type { Kind } from '../../../src/store/store.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { runNow } from '../../../src/util/slices/sliced.js'
import { makeVersion } from '../../../src/versions/version-document.js'

const text = '{{.variables.a}} xxxxx'.repeat(4_000)
/** A stretch that is parsed together has some thousand characters. */
const FEWEST_STOPS = text.length / 3_000

function documentOf(kind: Kind, path: readonly string[], value: JsonObject): AheadDocument {
  return {
    kind,
    path,
    location: 'here',
    content: { kind: 'text', text: JSON.stringify(value), format: 'json' },
  }
}

const prompt = { userPrompt: text }
const version = makeVersion({ kind: 'templates', id: 'p', number: 1, document: prompt, partials: new Map() })

const DOCUMENTS: readonly (readonly [string, AheadDocument])[] = [
  ['a prompt', documentOf('templates', ['p'], prompt)],
  ['a message', documentOf('templates', ['p'], { messages: [{ role: 'user', content: text }] })],
  ['instructions', documentOf('agents', ['a'], { instructions: text })],
  ['a contributed prompt', documentOf('extensions', ['e'], extensionOf({ name: 'p', ...prompt }))],
  ['a version', documentOf('templates', ['p@1'], version)],
]

function extensionOf(contributed: JsonObject): JsonObject {
  return { name: 'e', version: '1.0.0', extensionType: 'prompt', contributes: { prompts: [contributed] } }
}

describe('a long template', () => {
  it.each(DOCUMENTS)('of %s is read in pieces', (_name, document) => {
    const catalog = new Catalog(createTemplateEngine(262_144))
    expect(takesPieces(document)).toBe(true)
    expect([...catalog.putInPieces(document, new Stamp(1))].length).toBeGreaterThan(FEWEST_STOPS)
    expect(catalog.commit()?.snapshot.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('is checked in slices, rule by rule', () => {
    const engine = createTemplateEngine(262_144)
    const catalog = new Catalog(engine)
    catalog.put(documentOf('templates', ['p'], prompt), new Stamp(1))
    const snapshot = catalog.commit()?.snapshot
    if (snapshot === undefined) throw new Error('no snapshot')
    const check = createCatalogCheck(engine.functions)
    const steps = [...check(snapshot)]
    expect(steps.flat().map(({ code }) => code)).toEqual(['volatile_prefix'])
    // The second time all is known but what the last rule reads.
    const rules = [...check(snapshot)]
    expect(rules.length).toBeGreaterThan(FEWEST_STOPS + 1_000)
    expect(steps.length).toBeGreaterThan(rules.length + FEWEST_STOPS)
  })

  it('is compiled in slices where others have their turn meanwhile', async () => {
    const engine = createTemplateEngine(262_144)
    const catalog = new Catalog(engine)
    catalog.put(documentOf('templates', ['p'], prompt), new Stamp(1))
    const snapshot = catalog.commit()?.snapshot
    const entry = snapshot?.prompts.get('p')
    if (snapshot === undefined || entry === undefined) throw new Error('no prompt p')
    let stops = 0
    function* counted(...given: Parameters<TemplateEngine['compileToRenderInSlices']>) {
      const steps = engine.compileToRenderInSlices(...given)
      for (;;) {
        const step = steps.next()
        if (step.done === true) return step.value
        stops += 1
        yield
      }
    }
    const cache = new TemplateCache({ ...engine, compileToRenderInSlices: counted }, 10, () => 0)
    const compiled = await cache.compiledInTurns(snapshot, entry, () => Promise.resolve())
    expect(compiled.kind).toBe('prompt')
    expect(stops).toBeGreaterThan(FEWEST_STOPS)
  })
})

it('many messages that are wrong are checked one by one', () => {
  const catalog = new Catalog(createTemplateEngine(262_144))
  const messages = Array.from({ length: 1_900 }, () => ({ role: 'user', content: 'x' }))
  catalog.put(documentOf('templates', ['p'], { messages }), new Stamp(1))
  const snapshot = catalog.commit()?.snapshot
  const entry = snapshot?.prompts.get('p')
  if (snapshot === undefined || entry === undefined) throw new Error('no prompt p')
  expect([...checkSequence(entry, snapshot)]).toHaveLength(50)
  const found = runNow(checkSequence(entry, snapshot))
  expect(found.map(({ message }) => message.split(':')[0])).toEqual(
    Array.from({ length: 50 }, (_, index) => `messages[${index + 1}]`),
  )
})

it('a short document is read in one piece', () => {
  expect(takesPieces(documentOf('templates', ['p'], { userPrompt: '{{.a}}' }))).toBe(false)
})
