import { createHash } from 'node:crypto'
import { at } from '../util/at.js'
import type { RecordKind } from './contract/record-state.js'

/** Names of everything that state keeps in Redis. */
export interface StateKeys {
  /**
   * All keys of one record, always in the order of {@link RECORD_KEYS}. They share a slot of a cluster. Every script
   * names all of them: Redis then refuses a script while a slot moves, instead of running it on half of a record.
   */
  record(kind: RecordKind, id: string): readonly string[]
  /** The records of one owner, by their expiry. */
  list(kind: RecordKind, owner: string): string
  /** What an idempotency key belongs to. */
  claim(owner: string, route: string, key: string): string
  items(namespace: string): string
  /** Tasks that are not over, by their next check. */
  readonly openTasks: string
  /** Open turns of sessions, by the end of their lease. */
  readonly openTurns: string
  /** Open turns of responses, by the end of their lease. */
  readonly openResponses: string
  /** Written to find out whether writing is allowed. */
  readonly probe: string
  /** The channel for cancellations. */
  readonly cancels: string
}

/** The parts of a record, in the order in which scripts get their keys. */
export const RECORD_KEYS = ['', ':c', ':mem', ':turns', ':a', ':i', ':steps', ':e'] as const

const LETTERS: Readonly<Record<RecordKind, string>> = {
  session: 's',
  task: 't',
  response: 'r',
  conversation: 'c',
}

/** The first digits of a response's id: those of the first response of its tree, all of which shares a slot. */
export const ROOT_DIGITS = 16

/** Names keys by a prefix such as `shenma`. They do not begin with `<prefix>:`, which is the catalog's. */
export function createStateKeys(prefix: string): StateKeys {
  const root = `${prefix}-state`
  return {
    record(kind, id) {
      const tag = kind === 'response' ? id.slice(0, ROOT_DIGITS) : id
      const head = `${root}:${LETTERS[kind]}:{${tag}}${id.slice(tag.length)}`
      return RECORD_KEYS.map((part) => head + part)
    },
    list: (kind, owner) => `${root}:list:${LETTERS[kind]}:${owner}`,
    claim: (owner, route, key) => `${root}:i:${digest([owner, route, key])}`,
    items: (namespace) => `${root}:m:{${namespace}}`,
    openTasks: `${root}:open`,
    openTurns: `${root}:turns`,
    openResponses: `${root}:responses`,
    probe: `${root}:probe`,
    cancels: `${root}:cancel`,
  }
}

/** The channel and key of a record's events, from its keys. */
export function eventsKey(keys: readonly string[]): string {
  return at(keys, RECORD_KEYS.indexOf(':e'))
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
