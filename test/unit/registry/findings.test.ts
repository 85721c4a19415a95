import { describe, expect, it } from 'vitest'
import { Catalog } from '../../../src/registry/catalog.js'
import { StampClock } from '../../../src/registry/stamp.js'
import { documentOf } from '../../support/documents.js'
import { HAS_TIME } from '../../support/has-time.js'
import { release, version } from '../../support/lives.js'
import { createRandom, type Random } from '../../support/random.js'
import { createWatchedEngine } from '../../support/watched-engine.js'

const SEED = Number(process.env.FINDINGS_SEED ?? Math.floor(Math.random() * 1_000_000))
const STEPS = Number(process.env.FINDINGS_STEPS ?? (HAS_TIME ? 150 : 40))
const MAX_TOGETHER = 3
/** Every mistake that a catalog finds by itself. */
const CODES = [
  'alias_conflict',
  'ambiguous_key',
  'duplicate_id',
  'environ_conflict',
  'orphan_version',
  'release_unusable',
]

const one = version('a.b.c', 1, { userPrompt: 'one' })
const two = version('a.b.c', 2, { userPrompt: 'two' })
const other = version('p.q', 1, { userPrompt: 'other' })
const aliases = [{ id: 'old' }]

/** Whatever a key may hold, none of which anything is remembered of: one id spelled in two ways, and contests. */
const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  'templates:a:b.c': [{ userPrompt: 'head' }, { userPrompt: 'edited' }],
  'templates:a.b:c': [{ userPrompt: 'head, spelled otherwise' }],
  'templates:a:b.c@1': [one.document],
  'templates:a.b:c@1': [one.document],
  'templates:a.b:c@2': [two.document],
  'releases:a:b.c:production': [
    release(one),
    release(two),
    release([
      [one, 40],
      [two, 60],
    ]),
  ],
  'releases:a.b:c:production': [release(two)],
  'releases:a.b:c:staging': [release(one)],
  'releases:a:b.c:broken': [release({ number: 7, digest: one.digest })],
  'templates:p:q': [{ userPrompt: 'has an alias', aliases }, { userPrompt: 'has none' }],
  'templates:p:r': [{ userPrompt: 'has it, too', aliases }],
  'templates:p:q@1': [other.document],
  'releases:p:q:production': [release(other)],
  'environs:x': ['a text', { y: 1 }],
  'environs:x:y': [2],
  'tools:t:u': [{ url: 'http://127.0.0.1/', description: 'a tool' }],
  'tools:t_u': [{ url: 'http://127.0.0.1/', description: 'of the same function' }],
}

/** What a catalog of these documents says of them when it gets all at once. */
function saidAtOnce(documents: ReadonlyMap<string, unknown>): readonly string[] | undefined {
  const catalog = new Catalog(createWatchedEngine())
  const stamp = new StampClock().next()
  for (const [key, value] of documents) catalog.put(documentOf(key, value), stamp)
  return said(catalog)
}

/** Undefined where nothing changed. */
function said(catalog: Catalog): readonly string[] | undefined {
  return catalog
    .commit()
    ?.snapshot.diagnostics.map(({ code, location, message }) => `${code} ${location}: ${message}`)
}

function change(random: Random, documents: Map<string, unknown>): string {
  const key = random.pick(Object.keys(CHOICES))
  const choices = CHOICES[key] ?? []
  if (random.below(3) === 0) documents.delete(key)
  else documents.set(key, random.pick(choices))
  return key
}

describe('what a catalog says of its documents', () => {
  it(`after each change is what it says when it gets them at once (seed ${SEED})`, () => {
    const random = createRandom(SEED)
    const catalog = new Catalog(createWatchedEngine())
    const stamps = new StampClock()
    const documents = new Map<string, unknown>()
    let last = said(catalog) ?? []
    const codes = new Set<string>()
    // By chance one may come late.
    for (let step = 0; step < STEPS || (codes.size < CODES.length && step < 50 * STEPS); step += 1) {
      for (let count = 1 + random.below(MAX_TOGETHER); count > 0; count -= 1) {
        const key = change(random, documents)
        const document = documentOf(key, documents.get(key) ?? '')
        if (documents.has(key)) catalog.put(document, stamps.next())
        else catalog.remove(document, stamps.next())
      }
      last = said(catalog) ?? last
      expect(last, `step ${step}`).toEqual(saidAtOnce(documents))
      for (const each of last) codes.add(each.split(' ', 1)[0] ?? '')
    }
    expect([...codes].sort()).toEqual(CODES)
  })
})
