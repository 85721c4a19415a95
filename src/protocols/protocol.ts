import type { Message } from '../conversation/message.js'
import type { ToolCall } from '../conversation/tool-calls.js'
import { PROTOCOL_IDS, type ProtocolId } from '../schema/protocol-id.js'
import type { Tool } from '../tools/toolbox.js'
import type { ToolSignature, WireTool } from './typed-tools.js'

export { PROTOCOL_IDS, type ProtocolId }

/**
 * A piece of what a model wrote. `arguments` is JSON text, unchecked: as the model wrote it, where the form has JSON.
 * `malformed` is what looks like a call and cannot be read, with the reason in words for the model.
 */
export type Part =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | {
      readonly kind: 'call'
      readonly name: string
      readonly server?: string
      /** As the form writes one; unique in the answer at most. */
      readonly id?: string
      readonly arguments: string
    }
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

/** A tool as far as it is explained to a model. */
export type DescribedTool = Pick<Tool, 'name' | 'server' | 'description' | 'parameters'>

/** A call as a protocol writes it. */
export type EncodableCall = Pick<ToolCall, 'name' | 'server' | 'arguments'>

/** One way of asking for tools in text: what the model reads, and how its words and ours are read and written. */
export interface ToolProtocol {
  readonly id: ProtocolId
  /** The part of the system prompt that explains tools and form; empty without tools. The same tools, the same text. */
  instructions(tools: readonly DescribedTool[], now: Date): string
  /** A call as the model would have written it. */
  encodeCall(call: EncodableCall): string
  /** The calls of one message, which some forms put into one section. */
  encodeCalls(calls: readonly EncodableCall[]): string
  /** The messages that bring results to the model. */
  encodeResults(results: readonly CallResult[]): Message[]
  /** @param tools Give values their types where the form has none. */
  parser(tools?: readonly (ToolSignature | WireTool)[]): TextParser
}
