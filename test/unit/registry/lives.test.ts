import { afterEach, describe, expect, it } from 'vitest'
import { findPrompt, type PromptAsked } from '../../../src/prompts/find-prompt.js'
import type { RegistryOptions } from '../../../src/registry/create-registry.js'
import type { Registry } from '../../../src/registry/registry.js'
import type { Release } from '../../../src/versions/release-document.js'
import { createSigner, openRegistryOver, release, releaseOf, version } from '../../support/lives.js'
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.js'

const one = version('a.b', 1, { userPrompt: 'one' })
const two = version('a.b', 2, { userPrompt: 'two' })
const HEAD = { 'templates:a:b': { userPrompt: 'head' } }
const VERSIONS = { 'templates:a:b@1': one.document, 'templates:a:b@2': two.document }

const open: Registry[] = []

async function over(
  catalog: Readonly<Record<string, unknown>>,
  options: Partial<RegistryOptions> = {},
  now?: () => number,
): Promise<{ registry: Registry; store: MemoryStore }> {
  const store = createMemoryStore(catalog)
  const registry = await openRegistryOver(store, options, now)
  open.push(registry)
  return { registry, store }
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((registry) => registry.close()))
})

/** The text that a request would be rendered from, or the code of its failure. */
async function textOf(registry: Registry, id: string, asked?: PromptAsked): Promise<string> {
  try {
    const { prompt } = await findPrompt(registry, id, asked)
    return prompt.definition.body.kind === 'prompt' ? prompt.definition.body.text : 'messages'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

function codesOf(registry: Registry): readonly string[] {
  return registry.current.diagnostics.map(({ code, id }) => `${code} ${id}`)
}

describe('what serves an id', () => {
  it('is the version, else the label, else the label of the caller, else that of the process, else the head', async () => {
    const catalog = {
      ...HEAD,
      ...VERSIONS,
      'releases:a:b:production': release(two, { previous: { version: 1, digest: one.digest } }),
      'releases:a:b:staging': release(one),
      'templates:c': { userPrompt: 'only a draft' },
    }
    const { registry } = await over(catalog)
    const plain: readonly [string, PromptAsked | undefined, string][] = [
      ['a.b', undefined, 'head'],
      ['a.b@1', undefined, 'one'],
      ['a.b@production', undefined, 'two'],
      ['a.b', { version: 2 }, 'two'],
      ['a.b', { label: 'staging' }, 'one'],
      ['a.b@3', undefined, 'version_not_found'],
      ['a.b@qa', undefined, 'label_not_found'],
      ['c@production', undefined, 'label_not_found'],
      ['d@1', undefined, 'prompt_not_found'],
      ['a.b', { bound: ['production'] }, 'two'],
      ['a.b@staging', { bound: ['production'] }, 'label_not_found'],
      ['a.b@staging', { bound: ['production', 'staging'] }, 'one'],
      ['a.b@2', { bound: ['production'] }, 'version_not_found'],
      ['c', { bound: ['production'] }, 'label_not_found'],
    ]
    for (const [id, asked, text] of plain)
      expect([id, asked, await textOf(registry, id, asked)]).toEqual([id, asked, text])
    const labelled = await over(catalog, { promptLabel: 'staging' })
    expect(await textOf(labelled.registry, 'a.b')).toBe('one')
    expect(await textOf(labelled.registry, 'a.b@production')).toBe('two')
    expect(await textOf(labelled.registry, 'c')).toBe('only a draft')
    expect(await findPrompt(labelled.registry, 'c')).toMatchObject({ isUnreleased: true })
  })

  it('keeps versions and labels out of the list of prompts', async () => {
    const { registry } = await over({ ...HEAD, ...VERSIONS, 'releases:a:b:production': release(two) })
    expect(registry.current.prompts.ids()).toEqual(['a.b'])
    expect(registry.current.diagnostics).toEqual([])
  })

  it('is never the head of a prompt that had a release under the label of the process', async () => {
    const { registry, store } = await over(
      { ...HEAD, ...VERSIONS, 'releases:a:b:production': release(two) },
      { promptLabel: 'production' },
    )
    store.delete('releases:a:b:production')
    store.tell('releases:a:b:production')
    await expect.poll(() => registry.current.releases.size).toBe(0)
    expect(await textOf(registry, 'a.b')).toBe('label_not_found')
  })
})

describe('a release', () => {
  const previous = { version: 1, digest: one.digest }

  it('that cannot serve gives way to its previous version, else to nothing', async () => {
    const wrong = { ...two, digest: 'f'.repeat(64) }
    const rows: readonly [object, string][] = [
      [release(two), 'two'],
      [release(wrong, { previous }), 'one'],
      [release(wrong), 'release_unusable'],
      [release({ number: 9, digest: two.digest }, { previous }), 'one'],
      [
        release(
          [
            [one, 50],
            [{ ...two, number: 9 }, 50],
          ],
          { previous },
        ),
        'one',
      ],
      [{ version: 2 }, 'release_unusable'],
      [release(two, { expires: '2020-01-01T00:00Z', previous }), 'one'],
    ]
    for (const [document, text] of rows) {
      const { registry } = await over({ ...HEAD, ...VERSIONS, 'releases:a:b:production': document })
      expect([document, await textOf(registry, 'a.b@production')]).toEqual([document, text])
    }
  })

  it('that is malformed, or names a version that is not there, is reported, and the last good one serves', async () => {
    const { registry, store } = await over({
      ...HEAD,
      ...VERSIONS,
      'releases:a:b:production': release(two, { previous }),
    })
    const shares = (first: number, second: number) => [
      { version: 1, digest: one.digest, share: first },
      { version: 2, digest: two.digest, share: second },
    ]
    const rows: readonly [string, object, string][] = [
      ['shares that do not sum to 100', { split: shares(50, 40), sequence: 2 }, 'two'],
      [
        'a version and a split',
        { version: 1, digest: one.digest, split: shares(50, 50), sequence: 3 },
        'two',
      ],
      [
        'no version that is there',
        release({ number: 9, digest: two.digest }, { sequence: 4, previous }),
        'one',
      ],
    ]
    for (const [name, document, text] of rows) {
      store.set('releases:a:b:production', document)
      const { sequence } = registry.current
      store.tell('releases:a:b:production')
      await expect.poll(() => registry.current.sequence).toBeGreaterThan(sequence)
      expect([name, await textOf(registry, 'a.b@production')]).toEqual([name, text])
      expect([name, codesOf(registry).length]).toEqual([name, 1])
    }
  })

  it('waits for a version that is told after it', async () => {
    const { registry, store } = await over({ ...HEAD, ...VERSIONS, 'releases:a:b:production': release(one) })
    const three = version('a.b', 3, { userPrompt: 'three' })
    store.set('templates:a:b@3', three.document)
    store.set('releases:a:b:production', release(three, { previous }))
    const seen: string[] = []
    registry.subscribe(() => void textOf(registry, 'a.b@production').then((text) => seen.push(text)))
    store.tell('releases:a:b:production')
    await expect.poll(() => seen).toEqual(['three'])
  })

  it('is split by a key, alike everywhere', async () => {
    const { registry } = await over({
      ...HEAD,
      ...VERSIONS,
      'releases:a:b:production': release([
        [one, 75],
        [two, 25],
      ]),
    })
    const texts = await Promise.all(
      Array.from({ length: 400 }, (_, key) =>
        textOf(registry, 'a.b@production', { splitKey: () => `user ${key}` }),
      ),
    )
    const share = texts.filter((text) => text === 'two').length / texts.length
    expect(share).toBeGreaterThan(0.15)
    expect(share).toBeLessThan(0.35)
    const again = await findPrompt(registry, 'a.b@production', { splitKey: () => 'user 7' })
    expect(again.prompt.definition.body).toMatchObject({ text: texts[7] })
    expect(again.served).toMatchObject({ label: 'production', bucket: expect.any(Number) })
  })
})

describe('a version', () => {
  it('includes what it carries, at any depth, and not what is in the catalog now', async () => {
    const carried = { 'p.x': { userPrompt: 'old {{template "p.y" .}}' }, 'p.y': { userPrompt: 'deep' } }
    const made = version('a.b', 1, { userPrompt: '{{template "p.x" .}}!' }, carried)
    const { registry } = await over({
      'templates:a:b': { userPrompt: '{{template "p.x" .}}!' },
      'templates:a:b@1': made.document,
      'templates:p:x': { userPrompt: 'new' },
      'templates:p:z': { userPrompt: '{{template "a.b@1" .}} and {{template "a.b" .}}' },
    })
    const rendered = async (id: string) => {
      const { snapshot, prompt, scope } = await findPrompt(registry, id)
      const compiled = registry.compiled(snapshot, prompt, scope)
      return compiled.kind === 'prompt' ? compiled.template.render({}) : ''
    }
    expect(await rendered('a.b')).toBe('new!')
    expect(await rendered('a.b@1')).toBe('old deep!')
    expect(await rendered('p.z')).toBe('old deep! and new!')
  })

  it('whose document does not fit never serves, and a number keeps its content', async () => {
    const { registry, store } = await over({
      ...HEAD,
      ...VERSIONS,
      'templates:a:b@3': { ...one.document },
      'templates:a:b@4': { userPrompt: 'plain' },
      'templates:a:b@qa': { userPrompt: 'shadow' },
      'releases:a:b:production': release(two, { previous: { version: 1, digest: one.digest } }),
    })
    expect(await textOf(registry, 'a.b@3')).toBe('version_not_found')
    expect(await textOf(registry, 'a.b@4')).toBe('plain')
    expect(await textOf(registry, 'a.b@qa')).toBe('label_not_found')
    expect(codesOf(registry)).toEqual(['invalid_version a.b@3', 'invalid_version a.b@4', 'invalid_id a.b@qa'])
    store.set('templates:a:b@2', version('a.b', 2, { userPrompt: 'rewritten' }).document)
    store.tell('templates:a:b@2')
    await expect.poll(() => codesOf(registry)).toContain('version_changed a.b@2')
    expect(codesOf(registry)).toContain('release_unusable a.b@production')
    expect(await textOf(registry, 'a.b@2')).toBe('two')
    expect(await textOf(registry, 'a.b@production')).toBe('one')
    store.delete('templates:a:b@2')
    store.tell('templates:a:b@2')
    await expect.poll(() => textOf(registry, 'a.b@2')).toBe('version_not_found')
    store.set('templates:a:b@2', version('a.b', 2, { userPrompt: 'rewritten' }).document)
    store.tell('templates:a:b@2')
    await expect.poll(() => codesOf(registry)).toContain('version_changed a.b@2')
    expect(await textOf(registry, 'a.b@2')).toBe('version_not_found')
    // One that was refused is no reason to take the next one.
    store.set('templates:a:b@2', version('a.b', 2, { userPrompt: 'rewritten again' }).document)
    store.set('environs:tick', 1)
    store.tell('templates:a:b@2', 'environs:tick')
    await expect.poll(() => registry.current.environs.get('tick')?.value).toBe(1)
    expect(codesOf(registry)).toContain('version_changed a.b@2')
    expect(await textOf(registry, 'a.b@2')).toBe('version_not_found')
    store.set('templates:a:b@2', two.document)
    store.tell('templates:a:b@2')
    await expect.poll(() => textOf(registry, 'a.b@production')).toBe('two')
  })

  it('without its head serves all the same', async () => {
    const { registry } = await over({ ...VERSIONS, 'releases:a:b:production': release(two) })
    expect(await textOf(registry, 'a.b@production')).toBe('two')
    expect(await textOf(registry, 'a.b@1')).toBe('one')
    expect(await textOf(registry, 'a.b')).toBe('prompt_not_found')
    expect(codesOf(registry)).toEqual(['orphan_version a.b@2'])
  })
})

describe('a gate', () => {
  const ann = createSigner('ann')
  const ben = createSigner('ben')
  const gates = {
    production: {
      required: 2,
      audience: 'eu',
      minimum: { 'c.d': 5 },
      signers: { ann: [ann.publicKey], ben: [ben.publicKey] },
    },
  }
  const signed = (
    target: typeof one,
    sequence: number,
    signers = [ann, ben],
    more: Partial<Release> = {},
  ) => {
    const wanted = { ...releaseOf(target), sequence, ...more }
    const what = {
      audience: 'eu',
      kind: 'templates',
      id: 'a.b',
      label: 'production',
      release: wanted,
    } as const
    return release(target, { sequence, ...more, signatures: signers.map((signer) => signer.sign(what)) })
  }

  it('lets only releases pass with enough signatures, and none below the last', async () => {
    const { registry, store } = await over(
      { ...HEAD, ...VERSIONS, 'releases:a:b:production': signed(two, 7) },
      { gates, promptLabel: 'production' },
    )
    expect(await textOf(registry, 'a.b')).toBe('two')
    const attempts: readonly (readonly [object, string])[] = [
      [signed(one, 6), 'two'],
      [release(one, { sequence: 9 }), 'two'],
      [signed(one, 9, [ann]), 'two'],
      [signed(one, 9, [ann, ann]), 'two'],
      [signed(one, 8), 'one'],
    ]
    for (const [document, text] of attempts) {
      store.set('releases:a:b:production', document)
      const { sequence } = registry.current
      store.tell('releases:a:b:production')
      await expect.poll(() => registry.current.sequence).toBeGreaterThan(sequence)
      expect([document, await textOf(registry, 'a.b')]).toEqual([document, text])
    }
  })

  it('that requires tests lets nothing pass that does not say so under its signatures', async () => {
    const { registry, store } = await over(
      { ...HEAD, ...VERSIONS },
      { gates: { production: { ...gates.production, needsTests: true } }, promptLabel: 'production' },
    )
    const passed = { tests: { passed: 3, failed: 0 } }
    const attempts: readonly (readonly [typeof one, number, Partial<Release>, string])[] = [
      [one, 1, {}, 'release_unusable'],
      [one, 2, { tests: { passed: 3, failed: 1 } }, 'release_unusable'],
      [one, 3, { tests: { passed: 0, failed: 0 } }, 'release_unusable'],
      [one, 4, { tests: 'fine' }, 'release_unusable'],
      [one, 5, passed, 'one'],
      [two, 6, {}, 'one'],
      [two, 7, { action: 'rollback' }, 'two'],
    ]
    for (const [target, sequence, more, text] of attempts) {
      store.set('releases:a:b:production', signed(target, sequence, [ann, ben], more))
      const { sequence: before } = registry.current
      store.tell('releases:a:b:production')
      await expect.poll(() => registry.current.sequence).toBeGreaterThan(before)
      expect([more, await textOf(registry, 'a.b')]).toEqual([more, text])
    }
    // The verdict is signed, too.
    const untested = release(one, { sequence: 8, signatures: [] })
    const forged = { ...signed(one, 8), ...passed, version: untested['version'] ?? null }
    store.set('releases:a:b:production', forged)
    store.tell('releases:a:b:production')
    await expect.poll(() => codesOf(registry)).toContain('release_unusable a.b@production')
    expect(await textOf(registry, 'a.b')).toBe('two')
  })

  it('serves nothing where nothing was ever signed, and never a head', async () => {
    const { registry } = await over(
      {
        ...HEAD,
        ...VERSIONS,
        'releases:a:b:production': release(one),
        'templates:e': { userPrompt: 'draft' },
      },
      { gates, promptLabel: 'production' },
    )
    expect(await textOf(registry, 'a.b')).toBe('release_unusable')
    expect(await textOf(registry, 'e')).toBe('label_not_found')
  })
})

describe('an alias', () => {
  const aliases = [{ id: 'pmpt_1', versions: { '3': 2 } }]

  it('finds the prompt, unless two claim it or a prompt has it as its id', async () => {
    const { registry } = await over({ ...VERSIONS, 'templates:a:b': { userPrompt: 'head', aliases } })
    expect(await textOf(registry, 'pmpt_1')).toBe('head')
    expect(await textOf(registry, 'pmpt_1@1')).toBe('one')
    const contested = await over({
      'templates:a:b': { userPrompt: 'head', aliases },
      'templates:c': { userPrompt: 'other', aliases },
    })
    expect(await textOf(contested.registry, 'pmpt_1')).toBe('prompt_not_found')
    expect(codesOf(contested.registry)).toEqual(['alias_conflict pmpt_1'])
    const real = await over({
      'templates:a:b': { userPrompt: 'head', aliases },
      'templates:pmpt_1': { userPrompt: 'real' },
    })
    expect(await textOf(real.registry, 'pmpt_1')).toBe('real')
  })
})
