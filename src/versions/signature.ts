import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { jcsText } from './canonical-json.js'
import { type Release, writeRelease } from './release-document.js'
import type { VersionedKind } from './version-document.js'

/** What one signature is for: a release of one label, in one installation. */
export interface SignedRelease {
  /** Names the installation, such as `prod-eu`; a signature for one is worthless in another. */
  readonly audience: string
  readonly kind: VersionedKind
  readonly id: string
  readonly label: string
  /** Its signatures are not part of what is signed. */
  readonly release: Release
}

/** Who may sign the releases of a label. */
export interface SignatureGate {
  /** Public keys by the signer's name, each as PEM or as the base64 line of its PEM; several while one replaces another. */
  readonly signers: Readonly<Record<string, readonly string[]>>
}

/** The first line of every signed text: a signature of ours is for nothing else. */
const DOMAIN = 'ai-prompt-shell release 1'

/** The text that is signed: the domain line, then canonical JSON of audience, kind, id, label and release. */
export function signedText({ audience, kind, id, label, release }: SignedRelease): string {
  const document = writeRelease({ ...release, signatures: [] })
  return `${DOMAIN}\n${jcsText({ audience, kind, id, label, release: document })}`
}

/**
 * Signs a release with an Ed25519 key.
 *
 * @param privateKey PEM (PKCS #8), as `openssl genpkey -algorithm ed25519` writes it
 * @returns 64 bytes in base64
 * @throws TypeError for a key of another kind
 */
export function signRelease(privateKey: string, signed: SignedRelease): string {
  const key = createPrivateKey(privateKey)
  assertEd25519(key)
  return sign(null, Buffer.from(signedText(signed)), key).toString('base64')
}

/** The public half of a private key (PEM), as the base64 line of its PEM. @throws TypeError for another kind of key */
export function publicKeyOf(privateKey: string): string {
  return publicKeyText(createPublicKey(createPrivateKey(privateKey)))
}

/** Reads a public key from PEM or from the base64 line of its PEM. @throws TypeError when it is not an Ed25519 key */
export function readPublicKey(text: string): KeyObject {
  const key = parsePublicKey(text)
  assertEd25519(key)
  return key
}

/**
 * The names of the signers whose signature holds, each once. A key that two names share counts for the first: required
 * signatures are of different people.
 */
export function countSigners(signed: SignedRelease, gate: SignatureGate): readonly string[] {
  const text = Buffer.from(signedText(signed))
  const names = new Set<string>()
  const used = new Set<string>()
  for (const { signer, value } of signed.release.signatures) {
    if (names.has(signer) || !Object.hasOwn(gate.signers, signer)) continue
    const key = (gate.signers[signer] ?? [])
      .map(readPublicKey)
      .find((each) => verify(null, text, each, Buffer.from(value, 'base64')))
    if (key === undefined || used.has(publicKeyText(key))) continue
    names.add(signer)
    used.add(publicKeyText(key))
  }
  return [...names]
}

function parsePublicKey(text: string): KeyObject {
  if (text.includes('-----BEGIN')) return createPublicKey(text)
  try {
    return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
  } catch (cause) {
    throw new TypeError('a public key must be PEM, or the base64 line of its PEM', { cause })
  }
}

function publicKeyText(key: KeyObject): string {
  assertEd25519(key)
  return key.export({ format: 'der', type: 'spki' }).toString('base64')
}

function assertEd25519(key: KeyObject): void {
  if (key.asymmetricKeyType !== 'ed25519')
    throw new TypeError(`the key must be an Ed25519 key, and is ${key.asymmetricKeyType ?? 'a secret'}`)
}
