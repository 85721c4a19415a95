import { describe, expect, it } from 'vitest'
import { findPrompt } from '../../../src/prompts/find-prompt.js'
import type { Registry } from '../../../src/registry/registry.js'
import type { Release } from '../../../src/versions/release-document.js'
import { HAS_TIME } from '../../support/has-time.js'
import {
  createSigner,
  type MadeVersion,
  openRegistryOver,
  release,
  releaseOf,
  type TestSigner,
  version,
} from '../../support/lives.js'
import { LivesOracle } from '../../support/lives-oracle.js'
import { createMemoryStore } from '../../support/memory-store.js'
import { createRandom, type Random } from '../../support/random.js'

const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? (HAS_TIME ? 1_000 : 10))
const STEPS = 24
const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000)

const ID = 'a.b'
const NUMBERS = [1, 2, 3]
const LABELS = ['production', 'staging'] as const
const [ann, ben, eve] = [createSigner('ann'), createSigner('ben'), createSigner('eve')]
/** The same key by another name. */
const twin: TestSigner = { ...ann, sign: (signed) => ({ ...ann.sign(signed), signer: 'twin' }) }
const GATE = {
  label: 'production',
  required: 2,
  audience: 'eu',
  signers: { ann: ann.publicKey, ben: ben.publicKey, twin: ann.publicKey },
}
const gates = {
  production: {
    required: 2,
    audience: 'eu',
    minimum: {},
    signers: { ann: [ann.publicKey], ben: [ben.publicKey], twin: [ann.publicKey] },
  },
}

type Label = (typeof LABELS)[number]

/** One random history of a prompt: what is written, what is told of it and when, and what processes come and go. */
class History {
  readonly #random: Random
  readonly #store = createMemoryStore()
  /** What the store holds, as text. */
  readonly #texts = new Map<string, string>()
  readonly #made: MadeVersion[] = []
  readonly #released = new Map<string, object[]>()
  readonly #unannounced = new Set<string>()
  /** What the process read last of each key. */
  readonly #known = new Map<string, string | undefined>()
  #oracle = new LivesOracle(ID, GATE)
  #registry: Registry | undefined
  #ticks = 0
  readonly log: string[] = []

  constructor(seed: number) {
    this.#random = createRandom(seed)
  }

  async run(): Promise<void> {
    try {
      for (let step = 0; step < STEPS; step += 1) {
        await this.#step()
        if (this.#registry !== undefined) await this.#compare(this.#registry)
      }
    } finally {
      await this.#registry?.close()
    }
  }

  async #step(): Promise<void> {
    const chance = this.#random.chance()
    if (chance < 0.28) this.#writeVersion()
    else if (chance < 0.66) this.#writeRelease(this.#random.pick(LABELS))
    else if (chance < 0.74)
      this.#write(this.#random.pick([...this.#texts.keys(), 'templates:a:b@1']), undefined)
    else if (chance < 0.8) await this.#restart()
    else await this.#tell(this.#random.chance() < 0.3)
  }

  #writeVersion(): void {
    const { chance, below, pick } = this.#random
    const number = pick(NUMBERS)
    const made = version(ID, number, { userPrompt: `text ${below(4)} of ${number}` })
    this.#made.push(made)
    const kind = chance()
    const document = kind < 0.15 ? { ...made.document, userPrompt: 'tampered' } : made.document
    this.#write(`templates:a:b@${kind > 0.92 ? pick(NUMBERS) : number}`, document)
  }

  #writeRelease(label: Label): void {
    const { chance, pick } = this.#random
    const key = `releases:a:b:${label}`
    const replayed = this.#released.get(label) ?? []
    const isReplay = chance() < 0.15 && replayed.length > 0
    const isMalformed = chance() < 0.06
    const document = isReplay ? pick(replayed) : isMalformed ? { version: 1 } : this.#signedRelease(label)
    if (!isReplay && !isMalformed) this.#released.set(label, [...replayed, document])
    this.#write(key, document)
  }

  #signedRelease(label: Label): object {
    const { chance, below, pick } = this.#random
    const target = () => (this.#made.length === 0 || chance() < 0.1 ? NOWHERE : pick(this.#made))
    const [first, second] = [target(), target()]
    const isSplit = chance() < 0.2 && first.number !== second.number
    const targets = isSplit
      ? ([
          [first, 40],
          [second, 60],
        ] as const)
      : first
    const { number, digest } = target()
    const more: Partial<Release> = {
      sequence: 1 + below(12),
      ...(chance() < 0.7 && { previous: { version: number, digest } }),
    }
    const wanted = { ...releaseOf(targets), ...more }
    const what = { audience: 'eu', kind: 'templates', id: ID, label, release: wanted } as const
    const elsewhere = pick([
      { audience: 'us' },
      { id: 'c.d' },
      { label: 'staging' },
      { kind: 'agents' as const },
      { release: { ...wanted, sequence: wanted.sequence + 1 } },
    ])
    const signed = chance() < 0.25 ? { ...what, ...elsewhere } : what
    const signers = pick([[ann, ben], [ann, ben], [ann, ben, eve], [ann], [ann, twin], [ben, eve], []])
    return release(targets, { ...more, signatures: signers.map((signer) => signer.sign(signed)) })
  }

  #write(key: string, document: object | undefined): void {
    this.log.push(`${key} = ${JSON.stringify(document)}`)
    if (document === undefined) this.#texts.delete(key)
    else this.#texts.set(key, JSON.stringify(document))
    if (document === undefined) this.#store.delete(key)
    else this.#store.set(key, document)
    this.#unannounced.add(key)
  }

  /** Some of what changed is told, in any order; or that anything may have changed. */
  async #tell(isEverything: boolean): Promise<void> {
    const keys = [...this.#unannounced].filter(() => isEverything || this.#random.chance() < 0.6)
    if (this.#registry === undefined || (keys.length === 0 && !isEverything)) return
    keys.sort(() => this.#random.chance() - 0.5)
    this.log.push(`told ${keys.join(', ')}`)
    for (const key of keys) await this.#tellOne(this.#registry, key)
  }

  async #tellOne(registry: Registry, key: string): Promise<void> {
    // The process that reads another release reads the versions that it names, if it knows nothing of them.
    const isOther = key.startsWith('releases:') && this.#known.get(key) !== this.#texts.get(key)
    const named = isOther ? this.#namedIn(this.#texts.get(key)) : []
    for (const each of named)
      if (!registry.current.versions.has(each.replace('templates:a:b', ID))) this.#read(each)
    this.#read(key)
    this.#ticks += 1
    this.#store.set('environs:tick', this.#ticks)
    this.#store.tell(key, 'environs:tick')
    while (registry.current.environs.get('tick')?.value !== this.#ticks)
      await new Promise<void>((resolve) => setImmediate(resolve))
  }

  #namedIn(text: string | undefined): readonly string[] {
    if (text === undefined) return []
    const { split, previous, ...only } = JSON.parse(text)
    if (only.sequence === undefined) return []
    const all = [...(split ?? [only]), ...(previous === undefined ? [] : [previous])]
    return all.map((each: { readonly version: number }) => `templates:a:b@${each.version}`)
  }

  #read(key: string): void {
    this.#unannounced.delete(key)
    this.#known.set(key, this.#texts.get(key))
    this.#oracle.told(key, this.#texts.get(key))
  }

  async #restart(): Promise<void> {
    this.log.push('restart')
    await this.#registry?.close()
    this.#oracle = new LivesOracle(ID, GATE)
    this.#unannounced.clear()
    this.#known.clear()
    // Versions first: nothing is judged before all is read.
    for (const key of [...this.#texts.keys()].sort().reverse()) this.#read(key)
    // Its time stands still: however slow the machine is, nothing is read a second time without being asked for.
    this.#registry = await openRegistryOver(this.#store, { gates }, Date.now, () => 0)
  }

  async #compare(registry: Registry): Promise<void> {
    for (const label of LABELS) {
      const served = await textOf(registry, `${ID}@${label}`)
      const allowed = this.#oracle.under(label)
      if (served === undefined) expect(allowed).toBe(undefined)
      else expect(allowed ?? []).toContain(served)
    }
    for (const number of NUMBERS)
      expect(await textOf(registry, `${ID}@${number}`)).toBe(this.#oracle.of(number))
  }
}

const NOWHERE: MadeVersion = { number: 3, digest: '0'.repeat(64), document: {} }

async function textOf(registry: Registry, id: string): Promise<string | undefined> {
  try {
    const { prompt } = await findPrompt(registry, id)
    return prompt.definition.body.kind === 'prompt' ? prompt.definition.body.text : undefined
  } catch {
    return undefined
  }
}

describe('random histories of versions and labels', () => {
  it(`serve only what a valid release names (seed ${SEED})`, { timeout: 600_000 }, async () => {
    for (let index = 0; index < HISTORIES; index += 1) {
      const history = new History(SEED + index)
      try {
        await history.run()
      } catch (error) {
        const story = history.log.map((line) => `  ${line.slice(0, 400)}`).join('\n')
        throw new Error(`TEST_SEED=${SEED + index} fails:\n${story}`, { cause: error })
      }
    }
  })
})
