import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DiagnosedRecord } from '../../../src/registry/diagnostics.js'
import { DocumentFaults } from '../../../src/registry/document-faults.js'
import { byPlace, diagnosticsOf } from '../../../src/registry/faults-in-order.js'

interface Fault {
  readonly line: number
  readonly prompt?: string
}

/** A document at a place, with an error in each of these lines. */
function documentAt(place: string, faults: readonly Fault[], brokenText?: string): DiagnosedRecord {
  const key = `extensions:${place}`
  const complete = faults.map((fault) => ({
    code: 'invalid_prompt',
    message: 'no',
    severity: 'error' as const,
    servingLastGood: fault.prompt !== undefined,
    ...fault,
  }))
  return {
    key,
    location: place,
    revision: '1',
    served: undefined,
    faults: diagnosticsOf(key, place, complete),
    brokenText,
  }
}

/** Documents of a catalog by place, replaced one by one. */
function replaceAll(changes: readonly (readonly [place: string, lines: readonly number[]])[]) {
  const faults = new DocumentFaults()
  const now = new Map<string, DiagnosedRecord>()
  for (const [place, lines] of changes) {
    const after = documentAt(
      place,
      lines.map((line) => ({ line })),
    )
    faults.replace(now.get(place), after)
    now.set(place, after)
    if (lines.length === 2) faults.commit()
  }
  return { faults, expected: [...now.values()].flatMap((document) => document.faults).sort(byPlace) }
}

describe('what is wrong with documents', () => {
  it('is told by place, whatever came and went', () => {
    const change = fc.tuple(fc.string({ maxLength: 2 }), fc.array(fc.nat(9), { maxLength: 3 }))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const { faults, expected } = replaceAll(changes)
        expect(faults.commit().faults).toEqual(expected)
      }),
    )
  })

  it('is told by place of more documents than are sorted at once', () => {
    const places = Array.from({ length: 3_000 }, (_, index) => `${(index * 7919) % 3_000}`)
    const { faults, expected } = replaceAll([
      ...places.map((place) => [place, [1]] as const),
      ...places.slice(0, 1_500).map((place) => [place, []] as const),
    ])
    expect(expected).toHaveLength(1_500)
    expect(faults.commit().faults).toEqual(expected)
  })

  it('is the same list where nothing about it changed', () => {
    const { faults } = replaceAll([['a', [1]]])
    const before = faults.commit()
    faults.replace(documentAt('b', []), documentAt('b', []))
    expect(faults.commit()).toEqual(before)
    expect(faults.commit().faults).toBe(before.faults)
  })

  it('names a prompt as stale until the last of its documents is mended', () => {
    const faults = new DocumentFaults()
    const [one, other] = ['one', 'other'].map((place) => documentAt(place, [{ line: 1, prompt: 'p' }]))
    faults.replace(undefined, one)
    faults.replace(undefined, other)
    expect(faults.commit().stalePrompts.get('p')).toMatchObject({ location: 'one' })
    faults.replace(one, documentAt('one', []))
    expect(faults.commit().stalePrompts.get('p')).toMatchObject({ location: 'other' })
    faults.replace(other, undefined)
    expect(faults.commit().stalePrompts.size).toBe(0)
  })

  it('keeps what is written in a broken document until it is mended, and in earlier snapshots for good', () => {
    const faults = new DocumentFaults()
    const broken = documentAt('one', [{ line: 1 }], '{')
    faults.replace(undefined, broken)
    const { brokenTexts } = faults.commit()
    faults.replace(broken, documentAt('one', []))
    expect(brokenTexts.get(broken.key)).toBe('{')
    expect(faults.commit().brokenTexts.size).toBe(0)
  })
})
