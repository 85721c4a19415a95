import type { DiagnosedRecord } from './diagnostics.js'
import type { KeptText } from './kept-texts.js'
import type { Served } from './read-document.js'
import type { Stamp, StampedKey } from './stamp.js'

/** What is known of one document of the store. */
export interface DocumentRecord extends DiagnosedRecord {
  /** Its text, unless it is long or an environ's. */
  readonly kept: KeptText | undefined
  /** Of the last answer of the store that had it. */
  stamp: Stamp
  readonly note: string | undefined
}

/** Rarely set facts about a document: most have none besides those in their kept text. */
export interface RecordNotes
  extends Pick<DiagnosedRecord, 'location' | 'revision' | 'faults' | 'brokenText'> {
  readonly note: string | undefined
}

/** The record of a document that is not its own: see `KeptEntry`. */
export class NotedRecord implements DocumentRecord {
  readonly key: string
  readonly served: Served | undefined
  readonly kept: KeptText | undefined
  stamp: Stamp
  readonly #notes: RecordNotes

  constructor(
    { key, stamp }: StampedKey,
    { served, kept }: Pick<DocumentRecord, 'served' | 'kept'>,
    notes: RecordNotes,
  ) {
    this.key = key
    this.served = served
    this.kept = kept
    this.stamp = stamp
    this.#notes = kept !== undefined && hasNothing(notes) ? NOTHING : notes
  }

  get location(): string {
    return this.kept?.location ?? this.#notes.location
  }

  get revision(): string {
    return this.kept?.revision ?? this.#notes.revision
  }

  get note(): string | undefined {
    return this.#notes.note
  }

  get faults(): DiagnosedRecord['faults'] {
    return this.#notes.faults
  }

  get brokenText(): string | undefined {
    return this.#notes.brokenText
  }
}

/** True where the kept text of a document says all that is known of it. */
export function hasNothing({ note, faults, brokenText }: RecordNotes): boolean {
  return note === undefined && faults.length === 0 && brokenText === undefined
}

/** Shared, because most documents have none and there are many of them. */
const NOTHING: RecordNotes = {
  location: '',
  revision: '',
  note: undefined,
  faults: [],
  brokenText: undefined,
}
