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
  /** The value, or the problem; undefined if the text may not be JSON: the mirror then reads it again. */
  readonly read: ReadText | { readonly problem: Error } | undefined
}

/** A document, and what is known of it already. */
export type AheadDocument = StoredDocument & {
  readonly ahead?: ReadAhead
  /** Its text, where it is kept. */
  readonly kept?: KeptText | undefined
}
