import { describe, expect, it } from 'vitest'
import type { Snapshot } from '../../../src/registry/snapshot.js'
import { TemplateCache } from '../../../src/registry/template-cache.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { documentsOf } from '../../support/documents.js'
import { createRandom } from '../../support/random.js'
import { slowIt } from '../../support/slow-it.js'
import { createWatchedEngine, type WatchedEngine } from '../../support/watched-engine.js'

let sequence = 0

/** A later snapshot of one registry. */
function snapshotOf(catalog: Record<string, unknown>): Snapshot {
  sequence += 1
  return { ...createSnapshot(documentsOf(catalog), createWatchedEngine()), sequence }
}

function open(size = 10): {
  cache: TemplateCache
  engine: WatchedEngine
  text: (from: Snapshot, id: string) => string
} {
  const engine = createWatchedEngine()
  const cache = new TemplateCache(engine, size, createRandom(1).chance)
  const text = (snapshot: Snapshot, id: string) => {
    const compiled = cache.compiled(snapshot, snapshot.prompts.get(id) as never)
    return compiled.kind === 'prompt' ? compiled.template.renderSync({}) : compiled.kind
  }
  return { cache, engine, text }
}

const prompt = (userPrompt: string) => ({ userPrompt })
const CATALOG = {
  'templates:a': prompt('[{{template "b"}}]'),
  'templates:b': prompt('({{template "c"}})'),
  'templates:c': prompt('one'),
  'templates:d': prompt('alone'),
}

describe('the template cache', () => {
  it('compiles a prompt once, however often the catalog changes elsewhere', () => {
    const { cache, engine, text } = open()
    for (let round = 0; round < 5; round += 1) {
      const snapshot = snapshotOf({
        ...CATALOG,
        'environs:x': String(round),
        'templates:e': prompt(String(round)),
      })
      expect(text(snapshot, 'a')).toBe('[(one)]')
    }
    expect(engine.compiled).toEqual(['a', 'b', 'c'])
    expect(cache.status).toMatchObject({ hits: 4, misses: 1, evictions: 0 })
  })

  it('asks a prompt for its revision once, which may have to be decoded', () => {
    const { cache } = open()
    const snapshot = snapshotOf(CATALOG)
    const entry = snapshot.prompts.get('d')
    if (entry === undefined) throw new Error('no prompt d')
    let asked = 0
    const counted = Object.defineProperty({ ...entry, definition: entry.definition }, 'revision', {
      get: () => {
        asked += 1
        return entry.revision
      },
    })
    const first = cache.compiled(snapshot, counted)
    const before = asked
    expect(before).toBeGreaterThan(0)
    expect(cache.compiled(snapshot, counted)).toBe(first)
    expect(first.revision).toBe(entry.revision)
    expect(asked).toBe(before)
    expect(cache.status).toMatchObject({ hits: 1, misses: 1 })
  })

  it('never serves a changed prompt or partial stale, and leaves the others alone', () => {
    const { engine, text } = open()
    const before = snapshotOf(CATALOG)
    text(before, 'a')
    text(before, 'd')
    engine.compiled.length = 0
    const after = snapshotOf({ ...CATALOG, 'templates:c': prompt('two') })
    expect(text(after, 'a')).toBe('[(two)]')
    expect(text(after, 'd')).toBe('alone')
    expect(engine.compiled.sort()).toEqual(['a', 'b', 'c'])
    // A request that began before the change continues with what it had.
    expect(text(before, 'a')).toBe('[(one)]')
    expect(text(after, 'a')).toBe('[(two)]')
  })

  it('forgets a prompt that was interrupted, those that it includes and those that include them, and nobody else', () => {
    const { cache, engine, text } = open()
    const snapshot = snapshotOf({ ...CATALOG, 'templates:e': prompt('{{template "c"}}!') })
    for (const id of ['a', 'd', 'e']) text(snapshot, id)
    engine.compiled.length = 0
    cache.forget({ id: 'a', revision: 'another' })
    expect(text(snapshot, 'a')).toBe('[(one)]')
    expect(engine.compiled).toEqual([])
    cache.forget({ id: 'a', revision: snapshot.prompts.get('a')?.revision ?? '' })
    expect([text(snapshot, 'd'), engine.compiled]).toEqual(['alone', []])
    expect([text(snapshot, 'a'), text(snapshot, 'e')]).toEqual(['[(one)]', 'one!'])
    expect(engine.compiled.sort()).toEqual(['a', 'b', 'c', 'e'])
  })

  it('follows partials that go and come back', () => {
    const { text } = open()
    const { 'templates:c': _gone, ...rest } = CATALOG
    expect(text(snapshotOf(CATALOG), 'a')).toBe('[(one)]')
    expect(() => text(snapshotOf(rest), 'a')).toThrow('template "c" not defined')
    expect(text(snapshotOf(CATALOG), 'a')).toBe('[(one)]')
  })

  it('compiles again when a tool that a template calls comes or goes', () => {
    const { engine, text } = open()
    const calling = { 'templates:a': prompt('{{if .never}}{{find}}{{end}}{{upper "x"}}') }
    const tool = { 'tools:find': { url: '/find' } }
    expect(() => text(snapshotOf(calling), 'a')).toThrow(/"find" not defined/)
    expect(text(snapshotOf({ ...calling, ...tool }), 'a')).toBe('X')
    engine.compiled.length = 0
    expect(text(snapshotOf({ ...calling, ...tool, 'tools:other': { url: '/x' } }), 'a')).toBe('X')
    expect(text(snapshotOf({ ...calling, 'tools:find': { url: '/elsewhere' } }), 'a')).toBe('X')
    expect(engine.compiled).toEqual([])
    expect(() => text(snapshotOf(calling), 'a')).toThrow(/"find" not defined/)
  })

  it('compiles prompts that call each other in a circle', () => {
    const { cache, engine } = open()
    const circle = { 'templates:a': prompt('{{template "b"}}'), 'templates:b': prompt('{{template "a"}}') }
    for (let round = 0; round < 3; round += 1) {
      const snapshot = snapshotOf(circle)
      cache.compiled(snapshot, snapshot.prompts.get('a') as never)
    }
    expect(engine.compiled).toEqual(['a', 'b'])
  })

  it('drops what was used least recently, for what is asked for a second time', () => {
    const { cache, engine, text } = open(2)
    const snapshot = snapshotOf({
      'templates:a': prompt('a'),
      'templates:b': prompt('b'),
      'templates:c': prompt('c'),
    })
    for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) text(snapshot, id)
    expect(engine.compiled).toEqual(['a', 'b', 'c'])
    for (const id of ['c', 'c', 'b', 'a']) text(snapshot, id)
    expect(engine.compiled).toEqual(['a', 'b', 'c', 'c', 'a'])
    expect(cache.status).toEqual({ size: 2, hits: 5, misses: 5, evictions: 1 })
  })

  it('says of what it does not keep that nobody does', () => {
    const { cache } = open(1)
    const snapshot = snapshotOf({ 'templates:a': prompt('a'), 'templates:b': prompt('b') })
    const isPassing = (id: string) => cache.compiled(snapshot, snapshot.prompts.get(id) as never).isPassing
    expect(['a', 'b', 'a', 'b', 'b'].map(isPassing)).toEqual([false, true, false, false, false])
  })

  slowIt(
    'takes few in where most are asked for seldom, and hits nearly as often as one that knows how often',
    () => {
      const size = 500
      const many = 20_000
      const { cache, text } = open(size)
      const snapshot = snapshotOf(
        Object.fromEntries(Array.from({ length: many }, (_, index) => [`templates:p${index}`, prompt('p')])),
      )
      const random = createRandom(7)
      // The n-th is asked for an n-th as often as the first.
      const ask = () => text(snapshot, `p${Math.floor(many ** random.chance()) - 1}`)
      for (let warm = 0; warm < 10_000; warm += 1) ask()
      const before = cache.status
      const asked = 10_000
      for (let one = 0; one < asked; one += 1) ask()
      const { hits, evictions } = cache.status
      expect((evictions - before.evictions) / asked).toBeLessThan(0.016)
      const best = Math.log(size) / Math.log(many)
      expect((hits - before.hits) / asked).toBeGreaterThan(0.88 * best)
    },
  )

  it('is taken over by others in some rounds, as soon as they alone are asked for', () => {
    const { cache, text } = open(100)
    const snapshot = snapshotOf(
      Object.fromEntries(Array.from({ length: 180 }, (_, index) => [`templates:p${index}`, prompt('p')])),
    )
    const askAll = (from: number, to: number) => {
      for (let index = from; index < to; index += 1) text(snapshot, `p${index}`)
    }
    askAll(0, 100)
    for (let round = 0; round < 40; round += 1) askAll(100, 180)
    const { misses } = cache.status
    askAll(100, 180)
    expect(cache.status.misses).toBe(misses)
  })

  it('takes a changed prompt in the place of what it was compiled with before', () => {
    const { cache, text } = open(2)
    const caller = { 'templates:a': prompt('[{{template "b"}}]') }
    for (const [round, word] of ['one', 'two', 'three'].entries()) {
      expect(text(snapshotOf({ ...caller, 'templates:b': prompt(word) }), 'a')).toBe(`[${word}]`)
      expect(cache.status).toMatchObject({ size: 2, misses: round + 1 })
    }
  })

  it('compiles the templated fields of content parts', () => {
    const { cache } = open()
    const parts = [
      { type: 'text', text: 'see {{.a}}' },
      { type: 'image_url', image_url: { url: 'https://x/{{.a}}', detail: 'low' } },
      { type: 'input_audio', input_audio: { data: '{{.a}}', format: 'wav' } },
      { type: 'file', file: { file_id: 'f{{.a}}', filename: 'n{{.a}}' } },
    ]
    const snapshot = snapshotOf({ 'templates:a': { messages: [{ role: 'user', content: parts }] } })
    const compiled = cache.compiled(snapshot, snapshot.prompts.get('a') as never)
    if (compiled.kind !== 'messages') throw new Error(compiled.kind)
    const content = compiled.messages[0]?.content
    if (!Array.isArray(content)) throw new Error('no parts')
    expect(
      content.map(({ fields }) => fields.map(([path, template]: never[]) => [path, String(template)])),
    ).toEqual([
      [[['text'], 'see {{.a}}']],
      [[['image_url', 'url'], 'https://x/{{.a}}']],
      [[['input_audio', 'data'], '{{.a}}']],
      [
        [['file', 'file_id'], 'f{{.a}}'],
        [['file', 'filename'], 'n{{.a}}'],
      ],
    ])
  })
})
