import { generateKeyPairSync } from 'node:crypto'
import { createRegistry, type RegistryOptions } from '../../src/registry/create-registry.js'
import type { Registry } from '../../src/registry/registry.js'
import type { JsonObject } from '../../src/util/json/json.js'
import { type Release, writeRelease } from '../../src/versions/release-document.js'
import { publicKeyOf, type SignedRelease, signRelease } from '../../src/versions/signature.js'
import { digestOf, makeVersion, type VersionedKind } from '../../src/versions/version-document.js'
import type { MemoryStore } from './memory-store.js'
import { createWatchedEngine } from './watched-engine.js'

/** A version's document and its digest. */
export interface MadeVersion {
  readonly document: JsonObject
  readonly digest: string
  readonly number: number
}

/** Makes a version as a publisher does. */
export function version(
  id: string,
  number: number,
  document: JsonObject,
  carried: Readonly<Record<string, JsonObject>> = {},
  kind: VersionedKind = 'templates',
): MadeVersion {
  const partials = new Map(
    Object.entries(carried).map(
      ([name, each]) => [name, { from: `templates:${name}`, document: each }] as const,
    ),
  )
  const content = { kind, id, number, document, partials }
  return { document: makeVersion(content), digest: digestOf(content), number }
}

/** Makes a label's document. */
export function release(
  target: Pick<MadeVersion, 'number' | 'digest'> | readonly (readonly [MadeVersion, number])[],
  more: Partial<Release> = {},
): JsonObject {
  return writeRelease({ ...releaseOf(target), ...more })
}

/** What a label's document says. */
export function releaseOf(
  target: Pick<MadeVersion, 'number' | 'digest'> | readonly (readonly [MadeVersion, number])[],
): Release {
  const targets =
    'digest' in target
      ? [{ version: target.number, digest: target.digest, share: 100 }]
      : target.map(([{ number, digest }, share]) => ({ version: number, digest, share }))
  return { targets, sequence: 1, signatures: [] }
}

/** Somebody who signs. */
export interface TestSigner {
  readonly name: string
  readonly publicKey: string
  sign(signed: SignedRelease): { readonly signer: string; readonly value: string }
}

export function createSigner(name: string): TestSigner {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  return {
    name,
    publicKey: publicKeyOf(pem),
    sign: (signed) => ({ signer: name, value: signRelease(pem, signed) }),
  }
}

/** A registry over a store of the test, once it is loaded. */
export async function openRegistryOver(
  store: MemoryStore,
  options: Partial<RegistryOptions> = {},
  now: () => number = Date.now,
  monotonic?: () => number,
): Promise<Registry> {
  const registry = createRegistry({
    store,
    engine: createWatchedEngine(),
    log: { info: () => {}, warn: () => {} },
    now,
    ...(monotonic !== undefined && { monotonic }),
    options,
  })
  await registry.whenReady()
  return registry
}

/** The catalog after the next swap. */
export function nextSwap(registry: Registry): Promise<void> {
  return new Promise((resolve) => {
    const stop = registry.subscribe(() => {
      stop()
      resolve()
    })
  })
}
