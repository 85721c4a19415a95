import type { StoredDocument } from '../store/store.js'
import type { JsonValue } from '../util/json/json.js'
import type { YamlNote } from '../util/yaml/yaml-notes.js'
import type { KeptText } from './kept-texts.js'

/** A text that was read, and what its author may not see in it. */
export interface ReadText {
  readonly value: JsonValue
  readonly notes?: readonly YamlNote[]
}

/** What was found out about a long document before it is put into the catalog. */
interface ReadAhead {
  readonly revision: string
  /** What it says, or why it says nothing; undefined for a text that cannot be told from JSON ahead: then it is read again. */
  readonly read: ReadText | { readonly problem: Error } | undefined
}

/** A document, and what is known of it already. */
export type AheadDocument = StoredDocument & {
  readonly ahead?: ReadAhead
  /** Its text, where it is kept. */
  readonly kept?: KeptText | undefined
}
