import { describe, expect, it } from 'vitest'
import { createTemplateEngine } from '../../../src/prompts/create-template-engine.js'
import type { AheadDocument } from '../../../src/registry/ahead-document.js'
import { Catalog } from '../../../src/registry/catalog.js'
import { Stamp } from '../../../src/registry/stamp.js'

const good = (index: number) => ({ name: `p${index}`, userPrompt: `hello ${index}` })

function extension(prompts: readonly unknown[]): AheadDocument {
  const text = JSON.stringify({ name: 'many', version: '1.0.0', contributes: { prompts } })
  const content = { kind: 'text', text, format: 'json' } as const
  return { kind: 'extensions', path: ['many'], location: 'many', content }
}

function createCatalog(): Catalog {
  return new Catalog(createTemplateEngine(1_000))
}

describe('an extension that is put into a catalog in pieces', () => {
  it('stops after each of its prompts, and comes whole', () => {
    const catalog = createCatalog()
    const pieces = catalog.putInPieces(extension([0, 1, 2, 3].map(good)), new Stamp(1))
    let count = 0
    while (pieces.next().done !== true) count += 1
    expect(count).toBe(4)
    expect(catalog.commit()?.snapshot.prompts.ids()).toEqual(['many.p0', 'many.p1', 'many.p2', 'many.p3'])
  })

  it('stops many times while YAML is read, and again while the places of mistakes are looked for', () => {
    const catalog = createCatalog()
    const lines = Array.from({ length: 300 }, (_, index) => `  - {name: p${index}, userPrompt: "{{if}}"}`)
    const text = `name: many\nversion: 1.0.0\ncontributes:\n prompts:\n${lines.join('\n')}\n`
    const content = { kind: 'text', text, format: 'yaml' } as const
    const document = { kind: 'extensions', path: ['many'], location: 'many', content } as const
    const count = [...catalog.putInPieces(document, new Stamp(1))].length
    expect(count).toBeGreaterThan(lines.length + 15)
    const places = catalog.commit()?.snapshot.diagnostics.map(({ line }) => line)
    expect(places).toEqual(lines.map((_, index) => index + 5))
  })

  it('gives way to a newer answer that came meanwhile', () => {
    const catalog = createCatalog()
    const first = extension([good(0)])
    catalog.put(first, new Stamp(1))
    const pieces = catalog.putInPieces(extension([good(1)]), new Stamp(2))
    pieces.next()
    const text = first.content.kind === 'text' ? first.content.text : ''
    expect(catalog.confirm('extensions:many', Buffer.from(text), new Stamp(3))).toBe(true)
    expect(pieces.next()).toEqual({ done: true, value: false })
    expect(catalog.commit()?.snapshot.prompts.ids()).toEqual(['many.p0'])
  })

  it('keeps the entries of prompts that did not change', () => {
    const catalog = createCatalog()
    catalog.put(extension([good(0), good(1)]), new Stamp(1))
    const before = catalog.commit()?.snapshot.prompts
    catalog.put(extension([good(0), { ...good(1), userPrompt: 'other' }]), new Stamp(2))
    const after = catalog.commit()?.snapshot.prompts
    expect(after?.get('many.p0')).toBe(before?.get('many.p0'))
    expect(after?.get('many.p1')).not.toBe(before?.get('many.p1'))
  })

  it('has no more prompts than can come at once', () => {
    const catalog = createCatalog()
    catalog.put(extension([good(0)]), new Stamp(1))
    catalog.put(extension(Array.from({ length: 5_001 }, (_, index) => good(index))), new Stamp(2))
    const { prompts, diagnostics } = catalog.commit()?.snapshot ?? {}
    expect(prompts?.ids()).toEqual(['many.p0'])
    expect(diagnostics).toMatchObject([
      { code: 'invalid_extension', message: 'an extension contributes at most 5000 prompts' },
    ])
  })
})
