import type { Message } from '../conversation/message.js'
import type { Tool } from '../tools/toolbox.js'
import { encodeCalls } from './encode-call.js'
import type { Grammar } from './grammar.js'
import { type InstructionStyle, writeInstructions } from './instructions.js'
import type { CallResult, EncodableCall, ProtocolId, ToolProtocol } from './protocol.js'
import { createTextParser, prepareGrammar, type ReadCall, type ReadStart } from './text-parser.js'

/** What one protocol says beside its grammar. */
export interface ProtocolParts {
  readonly id: ProtocolId
  readonly grammar: Grammar
  readonly style?: InstructionStyle
  /** The text of a user message that brings results. */
  readonly results: (results: readonly CallResult[]) => string
  readonly readCall?: ReadCall
  readonly readStart?: ReadStart
  readonly encodeCalls?: (calls: readonly EncodableCall[]) => string
}

/** A protocol in text: instructions, encoder and parser of one grammar. */
export function createProtocol(parts: ProtocolParts): ToolProtocol {
  const prepared = prepareGrammar(parts.grammar)
  const encode = parts.encodeCalls ?? ((calls) => encodeCalls(parts.grammar, prepared.tagEscape, calls))
  return {
    id: parts.id,
    instructions: (tools, now) => writeInstructions(tools, now, encode, parts.style ?? {}),
    encodeCall: (call) => encode([call]),
    encodeCalls: encode,
    encodeResults: (results): Message[] =>
      results.length === 0 ? [] : [{ role: 'user', content: parts.results(results) }],
    parser: (tools: readonly Tool[] = []) => createTextParser(prepared, tools, parts),
  }
}
