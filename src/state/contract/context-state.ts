import type { JsonObject } from '../../util/json/json.js'
import type { RecordAddress, RecordView } from './record-state.js'

/** The contexts of a session. Each change needs a session without an open turn. @throws ServiceError `session_busy`, `context_not_found` */
export interface ContextState {
  /** At most 100. @throws ServiceError `already_exists` unless it is the same, `limit_exceeded` */
  create(address: RecordAddress, context: string, info: JsonObject): Promise<RecordView>
  update(address: RecordAddress, context: string, info: JsonObject): Promise<RecordView>
  switch(address: RecordAddress, context: string): Promise<RecordView>
  /** With its messages. @throws ServiceError `invalid_request` for the active one */
  destroy(address: RecordAddress, context: string): Promise<RecordView>
}

/** What was said in a context. */
export interface MessageState {
  /** @throws ServiceError `context_not_found` */
  read(address: RecordAddress, range?: MessageRange): Promise<MessagePage>
}

/** Some messages of a context, in their order. */
export interface MessagePage {
  /** Index of the first one. */
  readonly from: number
  readonly messages: readonly JsonObject[]
  /** How many the context has. */
  readonly total: number
}

/** Which messages, of which context. */
export interface MessageRange {
  /** Default: the active one. */
  readonly context?: string | undefined
  /** Index of the first message; default 0. */
  readonly from?: number | undefined
  /** Default: all. */
  readonly limit?: number | undefined
}

/** Texts of a session, shared by its contexts. May be used while a turn runs. */
export interface MemoryState {
  read(address: RecordAddress): Promise<ReadonlyMap<string, string>>
  /**
   * Key up to 256 characters, value up to 32 KiB of UTF-8, 1,000 keys. With `whenIdle` only without an open turn.
   *
   * @throws ServiceError `invalid_request`, `limit_exceeded`, `session_busy`
   */
  set(
    address: RecordAddress,
    key: string,
    value: string,
    options?: { readonly whenIdle?: boolean },
  ): Promise<void>
  /** @throws ServiceError `memory_not_found` */
  delete(address: RecordAddress, key: string): Promise<void>
  clear(address: RecordAddress): Promise<void>
}
