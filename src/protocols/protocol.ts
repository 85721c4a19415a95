import type { Message } from '../conversation/message.js'
import type { ToolCall } from '../conversation/tool-calls.js'
import { ServiceError } from '../errors.js'
import { PROTOCOL_IDS, type ProtocolId } from '../schema/protocol-id.js'
import type { Tool } from '../tools/toolbox.js'
import { didYouMean, nearNames } from '../util/near-names.js'
import { deepseek } from './deepseek.js'
import { glm } from './glm.js'
import { hermes } from './hermes.js'
import { kimi } from './kimi.js'
import { llama } from './llama.js'
import { mcpXml } from './mcp-xml.js'
import { native } from './native.js'
import { qwenCoder } from './qwen-coder.js'

export { PROTOCOL_IDS, type ProtocolId }

/**
 * A piece of what a model wrote. `arguments` is JSON text, unchecked: as the model wrote it, where the form has JSON.
 * `malformed` is what looks like a call and cannot be read, with the reason in words for the model.
 */
export type Part =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly server?: string; readonly arguments: string }
  | { readonly kind: 'malformed'; readonly raw: string; readonly reason: string }

/** Reads one answer that comes in pieces, cut anywhere. Text is handed on at once, unless it may begin a tag. */
export interface TextParser {
  push(text: string): readonly Part[]
  /** The answer is over. What is open now was cut. */
  end(): readonly Part[]
}

/** What a call came to, for the model. */
export interface CallResult {
  readonly call: Pick<ToolCall, 'id' | 'name' | 'server'>
  readonly content: string
}

/** A call as a protocol writes it. */
export type EncodableCall = Pick<ToolCall, 'name' | 'server' | 'arguments'>

/** One way of asking for tools in text: what the model is told, and how its words and ours are read and written. */
export interface ToolProtocol {
  readonly id: ProtocolId
  /** The part of the system prompt that explains tools and form; empty without tools. The same tools, the same text. */
  instructions(tools: readonly Tool[], now: Date): string
  /** A call as the model would have written it. */
  encodeCall(call: EncodableCall): string
  /** The calls of one message, which some forms put into one section. */
  encodeCalls(calls: readonly EncodableCall[]): string
  /** The messages that bring results to the model. */
  encodeResults(results: readonly CallResult[]): Message[]
  /** @param tools Give values their types where the form has none. */
  parser(tools?: readonly Tool[]): TextParser
}

const PROTOCOLS: Readonly<Record<ProtocolId, ToolProtocol>> = {
  native,
  'mcp-xml': mcpXml,
  hermes,
  'qwen-coder': qwenCoder,
  glm,
  kimi,
  deepseek,
  llama,
}

/**
 * The protocol with this id.
 *
 * @throws ServiceError `invalid_request` if there is none.
 */
export function toolProtocol(id: string): ToolProtocol {
  if (isProtocolId(id)) return PROTOCOLS[id]
  const suggestions = didYouMean(nearNames(id, PROTOCOL_IDS))
  throw new ServiceError('invalid_request', `There is no tool protocol ${JSON.stringify(id)}${suggestions}`)
}

/** True for the id of a protocol. */
export function isProtocolId(id: string): id is ProtocolId {
  return PROTOCOL_IDS.some((each) => each === id)
}
