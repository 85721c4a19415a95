import { createProtocol } from './create-protocol.js'
import type { PairsBody } from './grammar.js'
import type { ProtocolId, ToolProtocol } from './protocol.js'
import { toolResponses } from './tool-response.js'

/** A protocol that writes every argument as a name and a text, in the tags that Hermes made common. */
export function createPairsProtocol(id: ProtocolId, body: Omit<PairsBody, 'kind'>): ToolProtocol {
  return createProtocol({
    id,
    grammar: { open: '<tool_call>', close: '</tool_call>', body: { kind: 'pairs', ...body } },
    style: { textValues: true },
    results: toolResponses,
  })
}
