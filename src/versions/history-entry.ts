import { hash } from 'node:crypto'
import { HISTORY_ACTIONS } from '../schema/version.js'
import { isJsonObject, type JsonObject, type JsonValue, own, parseObject } from '../util/json/json.js'
import { jsonObject, listField, numberField, textField } from '../util/json/json-fields.js'
import { jcsText } from './canonical-json.js'

/** What was done. */
export type HistoryAction = (typeof HISTORY_ACTIONS)[number]

/** A version in a history, and its share where a release is split. */
export interface HistoryTarget {
  readonly version: number
  readonly digest: string
  readonly share?: number
}

/** What was published, promoted or rolled back. */
export interface HistoryFact {
  readonly action: HistoryAction
  /** ISO 8601, UTC. */
  readonly at: string
  readonly by?: string | undefined
  readonly note?: string | undefined
  /** Of a move; undefined where a version was published. */
  readonly label?: string | undefined
  /** Of the release that was written. */
  readonly sequence?: number | undefined
  /** What was published, or what the label points at from now on; none where it was removed. */
  readonly targets: readonly HistoryTarget[]
  /** Which red gate was passed with `--force`. */
  readonly forced?: string | undefined
  /** The id before or after, of a rename. */
  readonly other?: string | undefined
}

/** One entry of a history, chained to the one before it. */
export interface HistoryEntry extends HistoryFact {
  /** The digest of the entry before; empty for the first. */
  readonly previous: string
  /** SHA-256 in hexadecimal over the canonical JSON of all the rest. */
  readonly digest: string
}

/** A place where the chain does not hold. */
export interface HistoryGap {
  /** Of the entry in the list, from 0. */
  readonly index: number
  /** `missing`: entries before it are gone; `changed`: it is not what was written; `unreadable`: it is not a valid entry. */
  readonly kind: 'missing' | 'changed' | 'unreadable'
}

/** Makes the entry that follows the one with this digest; empty for the first. */
export function makeEntry(previous: string, fact: HistoryFact): HistoryEntry {
  return { ...fact, previous, digest: digestOfEntry({ ...fact, previous }) }
}

/** An entry as one field of a Redis stream has it: canonical JSON. */
export function writeEntry(entry: HistoryEntry): string {
  return jcsText(entry)
}

/** Parses an entry; undefined for an invalid one. Does not verify its digest. */
export function readEntry(text: string): HistoryEntry | undefined {
  const value = parseObject(text)
  const action = HISTORY_ACTIONS.find((each) => each === (value && own(value, 'action')))
  if (value === undefined || action === undefined) return undefined
  const said = ['by', 'note', 'label', 'forced', 'other'] as const
  const sequence = numberField(value, 'sequence')
  return {
    action,
    at: textField(value, 'at') ?? '',
    ...Object.fromEntries(said.flatMap((name) => optionalText(value, name))),
    ...(sequence !== undefined && { sequence }),
    targets: listField(value, 'targets').filter(isJsonObject).map(targetIn),
    previous: textField(value, 'previous') ?? '',
    digest: textField(value, 'digest') ?? '',
  }
}

/**
 * Finds where a history was trimmed or changed. A writer with the right to add entries can also forge a whole chain:
 * this is a convenience, not evidence.
 *
 * @param entries from the oldest; undefined for unreadable entries
 * @param isWhole false if there may be entries before the first
 */
export function verifyChain(
  entries: readonly (HistoryEntry | undefined)[],
  isWhole = true,
): readonly HistoryGap[] {
  let previous: string | undefined = isWhole ? '' : undefined
  return entries.flatMap((entry, index) => {
    const kind = gapOf(entry, previous)
    previous = entry?.digest
    return kind === undefined ? [] : [{ index, kind }]
  })
}

function gapOf(
  entry: HistoryEntry | undefined,
  previous: string | undefined,
): HistoryGap['kind'] | undefined {
  if (entry === undefined) return 'unreadable'
  const { digest, ...rest } = entry
  if (digestOfEntry(rest) !== digest) return 'changed'
  return previous !== undefined && entry.previous !== previous ? 'missing' : undefined
}

function digestOfEntry(entry: Omit<HistoryEntry, 'digest'>): string {
  return hash('sha256', jcsText(entry), 'hex')
}

function optionalText(value: JsonObject, name: string): readonly (readonly [string, string])[] {
  const text = textField(value, name)
  return text === undefined ? [] : [[name, text]]
}

function targetIn(value: JsonValue): HistoryTarget {
  const target = jsonObject(value)
  const share = numberField(target, 'share')
  return {
    version: numberField(target, 'version') ?? 0,
    digest: textField(target, 'digest') ?? '',
    ...(share !== undefined && { share }),
  }
}
