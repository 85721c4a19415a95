import type { JsonObject } from '../../util/json/json.js'

/** The items of one namespace. */
export interface ItemState {
  get(id: string): Promise<JsonObject | undefined>
  put(id: string, value: JsonObject): Promise<void>
  /** False when there was none. */
  delete(id: string): Promise<boolean>
  /** All items in pages of some hundred, in no order; one that changes meanwhile may be missing or come twice. */
  pages(): AsyncIterable<readonly StoredItem[]>
}

/** One item, under its id. */
export interface StoredItem {
  readonly id: string
  readonly value: JsonObject
}
