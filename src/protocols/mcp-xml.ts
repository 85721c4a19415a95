import { createProtocol } from './create-protocol.js'
import type { Grammar } from './grammar.js'
import { namedResults } from './tool-response.js'

/** `<use_mcp_tool>` with server, tool and arguments: MiroThinker, Cline-like agents, LobeHub's template. */
const GRAMMAR = {
  open: '<use_mcp_tool>',
  close: '</use_mcp_tool>',
  body: { kind: 'tags', server: '<server_name>', tool: '<tool_name>', arguments: '<arguments>' },
} as const satisfies Grammar

export const mcpXml = createProtocol({
  id: 'mcp-xml',
  grammar: GRAMMAR,
  style: { servers: true, oneCall: true },
  results: namedResults,
})
