import type { DiagnosedRecord } from './diagnostics.js'
import type { KeptText } from './kept-texts.js'
import type { Served } from './read-document.js'
import type { Stamp } from './stamp.js'

/** Rarely set facts about a document, split off to keep records small: most documents have none besides those in their kept text. */
export interface RecordNotes extends Pick<DiagnosedRecord, 'location' | 'revision' | 'faults' | 'text'> {
  readonly note: string | undefined
}

/** What is known of one document of the store. */
export class DocumentRecord implements DiagnosedRecord {
  readonly key: string
  readonly served: Served | undefined
  /** Its text, unless it is long or an environ's. */
  readonly kept: KeptText | undefined
  /** Of the last answer of the store that had it. */
  stamp: Stamp
  readonly #notes: RecordNotes

  constructor(
    { key, stamp }: Pick<DocumentRecord, 'key' | 'stamp'>,
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

  get text(): string | undefined {
    return this.#notes.text
  }
}

function hasNothing({ note, faults, text }: RecordNotes): boolean {
  return note === undefined && faults.length === 0 && text === undefined
}

/** Shared, because most documents have none and there are many of them. */
const NOTHING: RecordNotes = {
  location: '',
  revision: '',
  note: undefined,
  faults: [],
  text: undefined,
}
