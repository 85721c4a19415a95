import type { RecordAddress, RecordView } from '../state/contract/record-state.js'
import { unavailable } from '../state/state-errors.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { objectField } from '../util/json/json-fields.js'
import { lockConversation } from './conversation-lock.js'
import { namedItems, noItem } from './input-items.js'
import { asNoConversation, noConversation } from './response-errors.js'
import { conversationItemId, newResponseId, shownResponseId, storedResponseId } from './response-ids.js'
import type { Responses } from './responses.js'

/** Conversations: lines of items that responses add to, one at a time. */
export class Conversations {
  readonly #responses: Responses

  constructor(responses: Responses) {
    this.#responses = responses
  }

  /** @throws ServiceError `state_unavailable`, `item_not_found` */
  async create(owner: string, metadata: JsonObject, items: readonly JsonObject[]): Promise<JsonObject> {
    const { store, policy } = this.#responses.runtime
    if (policy === 'never') throw unavailable('RESPONSES_STORE is `never`')
    if (!store.status.writable) throw unavailable(store.status.reason ?? '')
    const id = newResponseId()
    const named = await this.#named(owner, id, items)
    const address = { kind: 'conversation', id, owner } as const
    const view = await store.create({ ...address, token: id, head: { metadata } })
    if (named.length > 0) await this.#add(address, shownResponseId('conv', id), named)
    return objectOf(view)
  }

  /** @throws ServiceError `conversation_not_found` */
  async read(owner: string, shown: string): Promise<JsonObject> {
    const address = this.#addressOf(owner, shown)
    return objectOf(await this.#found(shown, this.#responses.runtime.store.read(address)))
  }

  /** @throws ServiceError `conversation_not_found`, `conversation_locked` */
  async update(owner: string, shown: string, metadata: JsonObject): Promise<JsonObject> {
    const address = this.#addressOf(owner, shown)
    return objectOf(await this.#found(shown, this.#responses.runtime.store.update(address, { metadata })))
  }

  /** @throws ServiceError `conversation_not_found`, `conversation_locked` */
  async remove(owner: string, shown: string): Promise<void> {
    const address = this.#addressOf(owner, shown)
    await this.#found(shown, this.#responses.runtime.store.remove(address))
  }

  /** All items, oldest first. @throws ServiceError `conversation_not_found` */
  async items(owner: string, shown: string): Promise<readonly JsonObject[]> {
    const address = this.#addressOf(owner, shown)
    return (await this.#found(shown, this.#responses.runtime.store.messages.read(address))).messages
  }

  /** @returns the items with their ids @throws ServiceError `conversation_not_found`, `conversation_locked`, `item_not_found` */
  async addItems(owner: string, shown: string, given: readonly JsonObject[]): Promise<readonly JsonObject[]> {
    const address = this.#addressOf(owner, shown)
    const items = await this.#named(owner, address.id, given)
    await this.#add(address, shown, items)
    return items
  }

  /** @throws ServiceError `conversation_not_found`, `item_not_found` */
  async item(owner: string, shown: string, id: string): Promise<JsonObject> {
    const found = (await this.items(owner, shown)).find((item) => own(item, 'id') === id)
    if (found === undefined) throw noItem(id)
    return found
  }

  /** @returns the conversation @throws ServiceError `conversation_not_found`, `conversation_locked`, `item_not_found` */
  async removeItem(owner: string, shown: string, id: string): Promise<JsonObject> {
    const address = this.#addressOf(owner, shown)
    const { lock, items } = await this.#lock(address, shown)
    const index = items.findIndex((item) => own(item, 'id') === id)
    if (index < 0) {
      await lock.unlock()
      throw noItem(id)
    }
    await lock.change({ context: 'main', keep: index, append: items.slice(index + 1).filter(isJsonObject) })
    return this.read(owner, shown)
  }

  #named(owner: string, id: string, items: readonly JsonObject[]): Promise<readonly JsonObject[]> {
    const makeId = (type: string) => conversationItemId(type, id)
    return namedItems(this.#responses.runtime.store, { owner, before: [] }, items, makeId)
  }

  async #add(address: RecordAddress, shown: string, items: readonly JsonObject[]): Promise<void> {
    const { lock } = await this.#lock(address, shown)
    await lock.add(items)
  }

  #lock(address: RecordAddress, shown: string) {
    const attend = (id: string) => this.#responses.attend(id)
    return this.#found(shown, lockConversation(this.#responses.runtime, address, undefined, attend))
  }

  #addressOf(owner: string, shown: string): RecordAddress {
    const id = storedResponseId('conv', shown)
    if (id === undefined || this.#responses.runtime.policy === 'never') throw noConversation(shown)
    return { kind: 'conversation', id, owner }
  }

  #found<Result>(shown: string, work: Promise<Result>): Promise<Result> {
    return work.catch(asNoConversation(shown))
  }
}

function objectOf({ id, createdAt, head }: RecordView): JsonObject {
  return {
    id: shownResponseId('conv', id),
    object: 'conversation',
    created_at: Math.floor(createdAt / 1_000),
    metadata: objectField(head, 'metadata'),
  }
}
