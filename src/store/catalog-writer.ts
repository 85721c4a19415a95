import type { JsonValue } from '../util/json/json.js'
import type { LifeAddress } from '../versions/addresses.js'
import type { HistoryEntry, HistoryFact } from '../versions/history-entry.js'

/** A document as it was read. */
export interface WrittenDocument {
  /** undefined for a text that is neither JSON nor YAML. */
  readonly value: JsonValue | undefined
  /** As it is stored: what `replace` compares. */
  readonly text: string
  readonly format: 'json' | 'yaml'
}

/** A history as it was read. */
export interface WrittenHistory {
  /** From the oldest; undefined for what cannot be read. */
  readonly entries: readonly (HistoryEntry | undefined)[]
}

/**
 * Where versions and labels are written: by commands, never by the service. One document at a time: nothing needs a
 * transaction over several keys.
 */
export interface CatalogWriter {
  /** For people: the url without its password, or the directory. */
  readonly location: string
  /** The document at an address; undefined when it is missing. */
  read(address: LifeAddress): Promise<WrittenDocument | undefined>
  /** The paths of the documents of a kind whose key, after the kind, has a text in it. Sorted. */
  list(kind: string, part: string): Promise<readonly (readonly string[])[]>
  /** Writes a document where none is; false when there is one. */
  create(address: LifeAddress, value: JsonValue): Promise<boolean>
  /** Writes a text where no document is, as a file of the kind that another document is; false when there is one. */
  createText(address: LifeAddress, text: string, like: LifeAddress): Promise<boolean>
  /**
   * Writes or removes a document that is still what was read; false when it changed meanwhile.
   *
   * @param before the text that was read; undefined where there was no document
   * @param after undefined removes it
   */
  replace(address: LifeAddress, before: string | undefined, after: JsonValue | undefined): Promise<boolean>
  /** Adds to a history, chained to its last entry. Does nothing where the history is that of git. */
  append(address: LifeAddress, fact: HistoryFact): Promise<void>
  /** undefined where the history is that of git. */
  history(address: LifeAddress): Promise<WrittenHistory | undefined>
  /** The parts of a document's key, of its place as the registry reports it; undefined for another place. */
  pathOf(location: string): readonly string[] | undefined
  close(): void
}
