import { randomBytes } from 'node:crypto'
import { ROOT_DIGITS } from '../state/state-keys.js'

const RANDOM_BYTES = 16
/** What follows the prefix of an id: the digits of the first response of the tree, and 128 random bits. */
const DIGITS = '[0-9a-f]{48}'
const SHOWN = new RegExp(`^(resp|conv)_(${DIGITS})$`)
const ITEM = new RegExp(`^[a-z]{1,8}_(${DIGITS})_(in)?(\\d{1,6})$`)

/** The prefixes of ids as clients know them. */
export type IdPrefix = 'resp' | 'conv'

/** The id of a new response or conversation, without a prefix. Of one after another it begins as that one's. */
export function newResponseId(parent?: string): string {
  const root = parent?.slice(0, ROOT_DIGITS) ?? randomBytes(ROOT_DIGITS / 2).toString('hex')
  return root + randomBytes(RANDOM_BYTES).toString('hex')
}

/** An id as clients know it. */
export function shownResponseId(prefix: IdPrefix, id: string): string {
  return `${prefix}_${id}`
}

/** The id under which something is stored; undefined for a text that names nothing of ours. */
export function storedResponseId(prefix: IdPrefix, shown: string): string | undefined {
  const [, found, id] = SHOWN.exec(shown) ?? []
  return found === prefix ? id : undefined
}

/** Where an item of a response is. */
export interface ItemPlace {
  readonly response: string
  readonly isInput: boolean
  readonly index: number
}

/** The place that an item's id names; undefined for items of conversations, and for invalid ids. */
export function placeOfItem(id: string): ItemPlace | undefined {
  const [, response, input, index] = ITEM.exec(id) ?? []
  return response === undefined ? undefined : { response, isInput: input !== undefined, index: Number(index) }
}

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  reasoning: 'rs',
  mcp_approval_request: 'mcpr',
  mcp_approval_response: 'mcpa',
  mcp_call: 'mcp',
}

/** The id of an item of the input of a response. */
export function inputItemId(type: string, response: string, index: number): string {
  return `${PREFIXES[type] ?? 'item'}_${response}_in${index}`
}

/** The id of an item that a client adds to a conversation. */
export function conversationItemId(type: string, conversation: string): string {
  return `${PREFIXES[type] ?? 'item'}_${newResponseId(conversation)}`
}
