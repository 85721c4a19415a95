import { hash } from 'node:crypto'
import type { KeyDocument } from '../schema/keys-file.js'
import { type Access, FULL_ACCESS } from './access.js'
import { createPromptPatterns } from './prompt-patterns.js'

/** Anybody who holds a key of ours. */
export interface KeyHolder {
  /** Names the holder among all: the key's digest, or `key:` and the key's name. Short, never a secret. */
  readonly id: string
  readonly access: Access
}

/** What begins the id of a key with a name: no digest has a colon. */
const NAMED = 'key:'

/**
 * All known keys. Keys are looked up by their digest, so that timing reveals nothing about a key: attackers do not
 * choose what is compared.
 */
export class KeyRing {
  readonly #plain: ReadonlyMap<string, KeyHolder>
  #named: ReadonlyMap<string, KeyHolder> = new Map()
  #accesses: ReadonlySet<Access> = new Set()

  readonly #now: () => number

  /**
   * @param keys those of `API_KEYS`, which may do everything
   * @param now epoch milliseconds
   */
  constructor(keys: readonly string[], now: () => number) {
    this.#now = now
    this.#plain = new Map(keys.map(digestOf).map((digest) => [digest, { id: digest, access: FULL_ACCESS }]))
  }

  /** The holder of a key, expired ones too; undefined for an unknown key. */
  find(key: string): KeyHolder | undefined {
    const digest = digestOf(key)
    return this.#plain.get(digest) ?? this.#named.get(digest)
  }

  isExpired({ expiresAt }: Access): boolean {
    return expiresAt !== undefined && expiresAt <= this.#now()
  }

  /** Whether this very access is still given to somebody: keys are replaced, and expire. */
  holds(access: Access): boolean {
    return (access === FULL_ACCESS || this.#accesses.has(access)) && !this.isExpired(access)
  }

  /**
   * Takes these keys in place of all that have names, in one step.
   *
   * @returns what is wrong with them as a whole; then the earlier ones stay
   */
  replace(documents: readonly KeyDocument[]): readonly string[] {
    const named = new Map<string, KeyHolder>()
    const problems: string[] = []
    const names = new Set<string>()
    for (const document of documents) {
      const { name } = document
      if (names.has(name)) problems.push(`two keys are named "${name}"`)
      names.add(name)
      const access = this.#kept(document)
      for (const digest of hashesOf(document).map(toDigest)) {
        if (named.has(digest) || this.#plain.has(digest))
          problems.push(`the key of "${name}" is there twice: here, and in another entry or API_KEYS`)
        named.set(digest, { id: `${NAMED}${name}`, access })
      }
    }
    if (problems.length > 0) return problems
    this.#named = named
    this.#accesses = new Set([...named.values()].map(({ access }) => access))
    return []
  }

  /** An entry that says the same as before keeps its access, and with it what is under way. */
  #kept(document: KeyDocument): Access {
    const access = toAccess(document)
    const [digest = ''] = hashesOf(document).map(toDigest)
    const known = this.#named.get(digest)?.access
    return known !== undefined && isEqual(known, access) ? known : access
  }
}

/** What an entry of the file allows. */
function toAccess({ name, scopes, prompts, labels, rate, expires }: KeyDocument): Access {
  const isLimited = prompts !== undefined && !prompts.includes('*')
  return Object.freeze({
    name,
    scopes: new Set(scopes),
    prompts: isLimited ? createPromptPatterns(prompts) : undefined,
    labels,
    rate,
    expiresAt: expires === undefined ? undefined : Date.parse(expires),
  })
}

/** The hash of a key as the file has it. */
export function hashOfKey(key: string): string {
  return `sha256:${hash('sha256', key, 'hex')}`
}

function isEqual(one: Access, other: Access): boolean {
  const text = ({ name, scopes, prompts, labels, rate, expiresAt }: Access) =>
    JSON.stringify([name, [...scopes].sort(), prompts?.patterns, labels, rate, expiresAt])
  return text(one) === text(other)
}

function hashesOf({ hash: hashes }: KeyDocument): readonly string[] {
  return Array.isArray(hashes) ? hashes : [hashes]
}

function toDigest(hexadecimal: string): string {
  return Buffer.from(hexadecimal.slice(hexadecimal.indexOf(':') + 1), 'hex').toString('base64url')
}

function digestOf(key: string): string {
  return hash('sha256', key, 'base64url')
}
