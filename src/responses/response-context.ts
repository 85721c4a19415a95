import type { ModelRequest } from '../llm/model.js'
import type { ChainLink } from '../state/contract/response-state.js'
import { unavailable } from '../state/state-errors.js'
import { invalidField } from '../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { listField, textField } from '../util/json/json-fields.js'
import { type ConversationLock, lockConversation } from './conversation-lock.js'
import { inputItems, noItem } from './input-items.js'
import { MAX_RESPONSE_CHAIN } from './limits.js'
import { asNoConversation, isMissing, noConversation, noPrevious } from './response-errors.js'
import { newResponseId, placeOfItem, storedResponseId } from './response-ids.js'
import type { ResponseRuntime } from './response-runtime.js'
import { type ApprovalAnswers, readStoredRequest } from './stored-request.js'

/** What a request says of what came before it and of what is to be kept. */
export interface AskedContext {
  /** What the request wants; undefined where it says nothing. */
  readonly store: boolean | undefined
  readonly background: boolean
  readonly previousResponse: string | undefined
  readonly conversation: string | undefined
  /** As it came. */
  readonly input: ModelRequest[string] | undefined
}

/** A request's place among responses. `release` is due where no response is started in it. */
export interface ResponseContext {
  /** The id of the response to be made, without its prefix. */
  readonly id: string
  /** Whether state keeps the response. */
  readonly isKept: boolean
  readonly background: boolean
  /** What was said before. */
  readonly before: readonly JsonObject[]
  /** The request's own input, with ids. */
  readonly items: readonly JsonObject[]
  /** Without its prefix. */
  readonly previousResponse: string | undefined
  readonly conversation: { readonly id: string; readonly lock: ConversationLock } | undefined
  /** Set where the input answers what an earlier response asked a person. */
  readonly answers: ApprovalAnswers | undefined
  release(): Promise<void>
}

/** Finds what came before a request, for its owner. */
export class ResponseContexts {
  readonly #runtime: ResponseRuntime
  readonly #attend: (response: string) => void

  /** @param attend called with the id of an unfinished response that nobody runs */
  constructor(runtime: ResponseRuntime, attend: (response: string) => void) {
    this.#runtime = runtime
    this.#attend = attend
  }

  /** Whether a request is answered as always, without a look at what is kept. */
  isStateless({ store, background, previousResponse, conversation, input }: AskedContext): boolean {
    if (background || previousResponse !== undefined || conversation !== undefined || store === true)
      return false
    if (store === undefined && this.#runtime.policy === 'always') return false
    return (
      !Array.isArray(input) ||
      !input.some((item) => isJsonObject(item) && own(item, 'type') === 'item_reference')
    )
  }

  /**
   * Finds what was said before a request, and locks its conversation.
   *
   * @throws ServiceError `previous_response_not_found`, `conversation_not_found`, `conversation_locked`, `item_not_found`,
   * `state_unavailable`, `invalid_request`
   */
  async find(owner: string, asked: AskedContext): Promise<ResponseContext> {
    const { previousResponse: shown, conversation: shownConversation, background } = asked
    this.#assertFits(asked)
    const isKept = this.#keeps(asked)
    const previousResponse = shown === undefined ? undefined : storedResponseId('resp', shown)
    if (shown !== undefined && previousResponse === undefined) throw noPrevious(shown)
    const id = newResponseId(previousResponse)
    const isAdded = shownConversation !== undefined
    const conversation = isAdded ? await this.#lock(owner, shownConversation, id) : undefined
    const release = async () => void (await conversation?.lock.unlock())
    try {
      const before = conversation?.items ?? (await this.chain(owner, previousResponse, shown))
      const items = await inputItems(this.#runtime.store, { owner, response: id, before, input: asked.input })
      const answers = await this.#answers(owner, before, items)
      if (answers !== undefined && !isKept && conversation === undefined)
        throw invalidField('store', 'must be true for an answer to an approval')
      return { id, isKept, background, before, items, previousResponse, conversation, answers, release }
    } catch (error) {
      await release()
      throw error
    }
  }

  #keeps({ store, background, conversation }: AskedContext): boolean {
    const { policy, store: state } = this.#runtime
    const { writable, reason = '' } = state.status
    const isWanted = store ?? (background || conversation !== undefined)
    if (policy === 'never') return false
    if (isWanted && !writable) throw unavailable(reason)
    return isWanted || (store === undefined && policy === 'always' && writable)
  }

  #assertFits({ store, background, previousResponse, conversation }: AskedContext): void {
    const { policy } = this.#runtime
    if (previousResponse !== undefined && conversation !== undefined)
      throw invalidField('previous_response_id', 'cannot be given beside `conversation`')
    if (background && store === false) throw invalidField('background', 'needs `store: true`')
    if (background && policy === 'never')
      throw invalidField('background', 'needs stored responses, and RESPONSES_STORE is `never`')
    if (previousResponse !== undefined && policy === 'never') throw noPrevious(previousResponse)
    if (conversation !== undefined && policy === 'never') throw noConversation(conversation)
  }

  async #lock(owner: string, shown: string, response: string) {
    const id = storedResponseId('conv', shown)
    if (id === undefined) throw noConversation(shown)
    const address = { kind: 'conversation', id, owner } as const
    const locked = await lockConversation(this.#runtime, address, response, this.#attend).catch(
      asNoConversation(shown),
    )
    return { id, ...locked }
  }

  /**
   * What was said in a response and those before it, oldest first.
   *
   * @throws ServiceError `previous_response_not_found`, `invalid_request` for one that nothing can follow
   */
  async chain(owner: string, id: string | undefined, shown = ''): Promise<readonly JsonObject[]> {
    if (id === undefined) return []
    const address = { kind: 'response', id, owner } as const
    const chain = await this.#runtime.store.chain(address, MAX_RESPONSE_CHAIN).catch((error: unknown) => {
      throw isMissing(error) ? noPrevious(shown, error) : error
    })
    const [last] = chain
    if (last?.result === undefined)
      throw invalidField('previous_response_id', 'names a response that is still in progress')
    if (last !== undefined && readStoredRequest(last.input).kept.conversation !== undefined)
      throw invalidField('previous_response_id', 'names a response of a conversation: give `conversation`')
    return chainItems(chain)
  }

  /**
   * What the input says to calls that a response asked about.
   *
   * @throws ServiceError `item_not_found` for a question that was not asked in this conversation, `invalid_request`
   */
  async #answers(
    owner: string,
    before: readonly JsonObject[],
    items: readonly JsonObject[],
  ): Promise<ApprovalAnswers | undefined> {
    const given = items.filter((item) => own(item, 'type') === 'mcp_approval_response').map(toAnswer)
    const [first] = given
    if (first === undefined) return undefined
    const asked = before.filter((item) => own(item, 'type') === 'mcp_approval_request').map(idOf)
    const unknown = given.find(({ id }) => !asked.includes(id))
    const response = placeOfItem(first.id)?.response
    if (unknown !== undefined || response === undefined) throw noItem(unknown?.id ?? first.id)
    const address = { kind: 'response', id: response, owner } as const
    const view = await this.#runtime.store.turns.read(address, 1).catch((error: unknown) => {
      throw isMissing(error) ? noItem(first.id, error) : error
    })
    // An upstream's own question goes back to the upstream.
    if (readStoredRequest(view.input).answerer.kind === 'model') return undefined
    if (given.length < items.length)
      throw invalidField('input', 'answers an approval: send other items with a later request')
    const open = asked.filter((id) => placeOfItem(id)?.response === response)
    const missing = open.find((id) => !given.some((answer) => answer.id === id))
    if (missing !== undefined) throw invalidField('input', `has no answer to ${missing}`)
    return { response, given }
  }
}

/** What was said in responses, given newest first. */
export function chainItems(chain: readonly ChainLink[]): readonly JsonObject[] {
  return [...chain]
    .reverse()
    .flatMap(({ input, result }) => [
      ...listField(input, 'items').filter(isJsonObject),
      ...listField(result ?? {}, 'output').filter(isJsonObject),
    ])
}

function idOf(item: JsonObject): string {
  return textField(item, 'id') ?? ''
}

/** @throws ServiceError `invalid_request` */
function toAnswer(item: JsonObject): ApprovalAnswers['given'][number] {
  const id = textField(item, 'approval_request_id')
  const approve = own(item, 'approve')
  if (id === undefined) throw invalidField('input', 'has an approval response without `approval_request_id`')
  if (typeof approve !== 'boolean')
    throw invalidField('input', 'has an approval response whose `approve` is not true or false')
  return { id, approve, reason: textField(item, 'reason') }
}
