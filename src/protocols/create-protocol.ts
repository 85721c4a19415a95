import type { Message } from '../conversation/message.js'
import { once } from '../util/once.js'
import { encodeCalls } from './encode-call.js'
import type { Family } from './families/family.js'
import { writeInstructions } from './instructions.js'
import type { EncodableCall, ProtocolId, ToolProtocol } from './protocol.js'
import { createTextParser, prepareGrammar } from './text-parser.js'
import { toTypedTools } from './typed-tools.js'

/** The protocol of a family: instructions, encoder and parser of one grammar. */
export function createProtocol(id: ProtocolId, family: Family): ToolProtocol {
  const { grammar, style = {}, results: writeResults } = family
  // A start prepares none of the families: most processes need one or two.
  const prepared = once(() => prepareGrammar(grammar))
  const encode =
    family.encodeCalls ??
    ((calls: readonly EncodableCall[]) => encodeCalls(grammar, prepared().tagEscape, calls))
  return {
    id,
    instructions: (tools, now) => writeInstructions(tools, now, encode, style),
    encodeCall: (call) => encode([call]),
    encodeCalls: encode,
    encodeResults: (results): Message[] =>
      results.length === 0 ? [] : [{ role: 'user', content: writeResults(results) }],
    parser: (tools = []) => createTextParser(prepared(), toTypedTools(tools), family),
  }
}
