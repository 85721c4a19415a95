import { type KeyScope, SCOPES } from '../schema/keys-file.js'
import type { PromptPatterns } from './prompt-patterns.js'

/** What anybody who sends a request may do. Frozen; made once per key. */
export interface Access {
  /** The key's name, for people; undefined for a key of `API_KEYS`, or without any keys. */
  readonly name: string | undefined
  readonly scopes: ReadonlySet<KeyScope>
  /** The prompts it may use; undefined for all. */
  readonly prompts: PromptPatterns | undefined
  /** The only labels it gets, of which the first is its default; undefined for everything. */
  readonly labels: readonly string[] | undefined
  /** Requests and time, such as `600/m`, in place of the service's own limit. */
  readonly rate: string | undefined
  /** Epoch milliseconds from which on the key is not valid; undefined for never. */
  readonly expiresAt: number | undefined
}

/** Everything: a key of `API_KEYS`, and everybody where there are no keys. */
export const FULL_ACCESS: Access = Object.freeze({
  name: undefined,
  scopes: new Set(SCOPES),
  prompts: undefined,
  labels: undefined,
  rate: undefined,
  expiresAt: undefined,
})

/** Nothing: anybody who comes without a key where keys are asked for. */
export const NO_ACCESS: Access = Object.freeze({ ...FULL_ACCESS, scopes: new Set<KeyScope>() })
