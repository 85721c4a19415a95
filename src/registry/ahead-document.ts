import type { StoredDocument } from '../store/store.js'
import type { JsonValue } from '../util/json.js'

/** What was found out about a long document before it is put into the catalog. */
interface ReadAhead {
  readonly revision: string
  /** What its JSON says; undefined where it is none, or too deep: then it is read again for what is wrong. */
  readonly value: JsonValue | undefined
}

/** A document, and what is known of it already. */
export type AheadDocument = StoredDocument & { readonly ahead?: ReadAhead }
