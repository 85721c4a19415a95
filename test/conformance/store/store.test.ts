import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { createRegistry } from '../../../src/registry/create-registry.js'
import type { Registry } from '../../../src/registry/registry.js'
import { createDirectoryStore } from '../../../src/store/directory-store.js'
import { documentKey } from '../../../src/store/document-key.js'
import { createRedisStore } from '../../../src/store/redis-store.js'
import type { Store } from '../../../src/store/store.js'
import { waitUntil } from '../../support/wait-until.js'
import { createWatchedEngine } from '../../support/watched-engine.js'

/** The means to change a catalog from outside, the same for every store. Keys are without prefix. */
interface Bench {
  readonly store: Store
  put(key: string, text: string | Buffer): Promise<void>
  remove(key: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Makes the document something that cannot be read. */
  spoil(key: string): Promise<void>
  wipe(): Promise<void>
  end(): Promise<void>
}

function directoryBench(): Bench {
  const directory = mkdtempSync(join(tmpdir(), 'aps-store-'))
  for (const kind of ['extensions', 'templates', 'environs', 'tools']) mkdirSync(join(directory, kind))
  const file = (key: string) => join(directory, `${key.replaceAll(':', '/')}.json`)
  const prepare = (key: string) => mkdirSync(dirname(file(key)), { recursive: true })
  return {
    store: createDirectoryStore(directory),
    async put(key, text) {
      prepare(key)
      writeFileSync(file(key), text)
    },
    remove: async (key) => rmSync(file(key)),
    async rename(from, to) {
      prepare(to)
      renameSync(file(from), file(to))
    },
    async spoil(key) {
      prepare(key)
      writeFileSync(file(key), Buffer.from([0xff, 0xfe, 0xfd]))
    },
    async wipe() {
      for (const kind of ['extensions', 'templates', 'environs', 'tools'])
        rmSync(join(directory, kind), { recursive: true, force: true })
    },
    end: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

function redisBench(): Bench {
  const prefix = `conformance-${Math.random().toString(36).slice(2)}`
  const redis = new Redis(inject('redisUrl'))
  const wipe = async () => {
    const keys = await redis.keys(`${prefix}:*`)
    if (keys.length > 0) await redis.del(...keys)
  }
  return {
    store: createRedisStore({ url: inject('redisUrl'), keyPrefix: prefix }),
    put: async (key, text) => void (await redis.set(`${prefix}:${key}`, text)),
    remove: async (key) => void (await redis.del(`${prefix}:${key}`)),
    rename: async (from, to) => void (await redis.rename(`${prefix}:${from}`, `${prefix}:${to}`)),
    async spoil(key) {
      await redis.del(`${prefix}:${key}`)
      await redis.lpush(`${prefix}:${key}`, 'a list')
    },
    wipe,
    async end() {
      await wipe()
      redis.disconnect()
    },
  }
}

describe.each([
  { name: 'directory', open: directoryBench },
  { name: 'redis', open: redisBench },
])('$name store', ({ open }) => {
  let bench: Bench
  let registry: Registry | undefined

  beforeEach(() => {
    bench = open()
  })

  afterEach(async () => {
    await (registry ?? bench.store).close()
    registry = undefined
    await bench.end()
  })

  async function start(): Promise<Registry> {
    const log = { info: () => {}, warn: () => {} }
    registry = createRegistry({ store: bench.store, engine: createWatchedEngine(), log })
    await registry.whenReady()
    return registry
  }

  const valueAt = (id: string) => registry?.current.environs.get(id)?.value

  it('loads every document once, with its address, and says where it is', async () => {
    await bench.put('environs:a:b', '1')
    await bench.put('templates:x', '{"userPrompt":"hi"}')
    await bench.store.watch({ onChange: () => {}, onHealth: () => {} })
    const found: string[] = []
    for await (const batch of bench.store.load({})) found.push(...batch.map(documentKey))
    expect(found.sort()).toEqual(['environs:a:b', 'templates:x'])
    expect(bench.store.health()).toMatchObject({ connected: true })
    expect(bench.store.location).not.toBe('')
  })

  it('loads what is not known, and asks with the key and the bytes', async () => {
    const texts: Record<string, string> = { 'environs:a:b': '1', 'environs:ä': '"ö"', 'tools:x': '{}' }
    for (const [key, text] of Object.entries(texts)) await bench.put(key, text)
    await bench.store.watch({ onChange: () => {}, onHealth: () => {} })
    const isKnown = (key: string, bytes: Uint8Array) => {
      expect([key, Buffer.from(bytes).toString()]).toEqual([key, texts[key]])
      return key !== 'environs:a:b'
    }
    const found: string[] = []
    for await (const batch of bench.store.load({ isKnown })) found.push(...batch.map(documentKey))
    expect(found).toContain('environs:a:b')
    if (bench.store.kind === 'redis') expect(found).toEqual(['environs:a:b'])
  })

  it('gets the documents that exist and leaves the others out', async () => {
    await bench.put('environs:a', '1')
    await bench.store.watch({ onChange: () => {}, onHealth: () => {} })
    for await (const _ of bench.store.load({}));
    const documents = await bench.store.get(
      [
        { kind: 'environs', path: ['a'] },
        { kind: 'environs', path: ['b'] },
      ],
      {},
    )
    expect(documents).toMatchObject([{ kind: 'environs', path: ['a'], content: { kind: 'text', text: '1' } }])
  })

  it('notices additions, edits, renames, deletions and the end of everything', async () => {
    await start()
    await bench.put('environs:a', '1')
    await waitUntil(() => valueAt('a') === 1, 'the addition')
    await bench.put('environs:a', '2')
    await waitUntil(() => valueAt('a') === 2, 'the edit')
    await bench.rename('environs:a', 'environs:b:c')
    await waitUntil(() => valueAt('a') === undefined && valueAt('b.c') === 2, 'the rename')
    await bench.put('environs:d', '"x"')
    await bench.remove('environs:b:c')
    await waitUntil(() => valueAt('b.c') === undefined && valueAt('d') === 'x', 'the deletion')
    await bench.wipe()
    await waitUntil(() => registry?.current.environs.size === 0, 'the wipe')
  })

  it('tells a change as what changed', async () => {
    await bench.put('environs:a', '1')
    const mirrored = await start()
    const told: string[] = []
    mirrored.subscribe(
      (changes) => void told.push(...changes.map(({ kind, id, change }) => `${kind} ${id} ${change}`)),
    )
    await bench.put('environs:a', '2')
    await waitUntil(() => told.length === 1, 'the change')
    await bench.put('templates:p:q', '{"userPrompt":""}')
    await waitUntil(() => told.length === 2, 'the addition')
    await bench.remove('environs:a')
    await waitUntil(() => told.length === 3, 'the removal')
    expect(told).toEqual(['environ a changed', 'prompt p.q added', 'environ a removed'])
  })

  it('keeps serving the last good version of a document that breaks', async () => {
    await bench.put('templates:p:q', '{"userPrompt":"good"}')
    await bench.put('templates:p:other', '{"userPrompt":"fine"}')
    const live = await start()
    const revision = live.current.prompts.get('p.q')?.revision
    for (const breaking of ['{"userPrompt":', '{}', '{"userPrompt":"{{!"}']) {
      await bench.put('templates:p:q', breaking)
      await waitUntil(() => live.current.diagnostics.length === 1, breaking)
      expect(live.current.diagnostics[0]).toMatchObject({
        id: 'p.q',
        severity: 'error',
        servingLastGood: true,
      })
      expect(live.current.prompts.get('p.q')?.revision).toBe(revision)
      await bench.put('templates:p:q', '{"userPrompt":"good"}')
      await waitUntil(() => live.current.diagnostics.length === 0, 'the repair')
    }
    await bench.spoil('templates:p:q')
    await waitUntil(() => live.current.diagnostics.length === 1, 'what cannot be read')
    expect(live.current.prompts.get('p.q')?.revision).toBe(revision)
    await bench.remove('templates:p:q')
    await waitUntil(() => !live.current.prompts.has('p.q'), 'the removal of a broken document')
    expect(live.current.diagnostics).toEqual([])
    expect(live.current.prompts.ids()).toEqual(['p.other'])
  })

  it('refuses documents over the limit', async () => {
    await bench.put('environs:large', `"${'x'.repeat(10 * 1024 * 1024)}"`)
    await bench.put('environs:small', '1')
    const live = await start()
    expect(live.current.environs.ids()).toEqual(['small'])
    expect(live.current.diagnostics).toMatchObject([{ id: 'large', code: 'unreadable' }])
  })

  it('keeps every byte of UTF-8, and names that mean something to JavaScript or to globs', async () => {
    const names = ['提示', '__proto__', 'constructor', 'a,b', 'sp ace', 'star*[x]?', '😀']
    for (const name of names) await bench.put(`environs:dir:${name}`, JSON.stringify(`${name} 😀`))
    const live = await start()
    expect(live.current.environs.ids()).toEqual(names.map((name) => `dir.${name}`).sort())
    await bench.put('environs:dir:a,b', '"changed"')
    await waitUntil(() => valueAt('dir.a,b') === 'changed', 'the name with a comma')
    await bench.put('environs:dir:提示', '"变了"')
    await waitUntil(() => valueAt('dir.提示') === '变了', 'the Chinese name')
    const directory = live.current.context['dir'] as Record<string, unknown>
    expect(Object.getOwnPropertyDescriptor(directory, '__proto__')?.value).toBe('__proto__ 😀')
  })

  it('does not stop at bytes that are no text', async () => {
    await bench.put('environs:bad', Buffer.from([0x22, 0xc3, 0x28, 0x22]))
    await bench.put('environs:good', '1')
    const live = await start()
    expect(live.current.environs.ids()).toEqual(['good'])
    expect(live.current.diagnostics).toMatchObject([{ id: 'bad', code: 'unreadable' }])
  })

  it('brings back the prompt of an extension when the direct one goes', async () => {
    await bench.put(
      'extensions:e',
      '{"name":"e","contributes":{"prompts":[{"name":"p","userPrompt":"extension"}]}}',
    )
    await bench.put('templates:e:p', '{"userPrompt":"direct"}')
    const live = await start()
    expect(live.current.prompts.get('e.p')?.origin).toBe('direct')
    await bench.remove('templates:e:p')
    await waitUntil(() => live.current.prompts.get('e.p')?.origin === 'extension', 'the fall-back')
    await bench.put('extensions:e', '{"name":"e","contributes":{"prompts":[]}}')
    await waitUntil(() => live.current.prompts.size === 0, 'the end of the contribution')
  })

  it('two registries over one content have one revision', async () => {
    await bench.put('environs:a', '1')
    await bench.put('environs:b', '2')
    const live = await start()
    const first = live.current.revision
    await bench.put('environs:a', '3')
    await waitUntil(() => live.current.revision !== first, 'another revision')
    await bench.put('environs:a', '1')
    await waitUntil(() => live.current.revision === first, 'the first revision again')
  })
})
