import type { ProtocolId } from '../protocol.js'
import { namedResponses } from '../tool-response.js'
import type { Family } from './family.js'
import { JSON_FAMILIES } from './json-families.js'
import { PAIRS_FAMILIES } from './pairs-families.js'

/** The protocols that are text. */
export type TextProtocolId = Exclude<ProtocolId, 'native'>

/** `<use_mcp_tool>` with server, tool and arguments: MiroThinker, Cline-like agents, LobeHub's template. */
const mcpXml: Family = {
  models: /mirothinker/,
  grammar: {
    open: '<use_mcp_tool>',
    close: '</use_mcp_tool>',
    body: { kind: 'tags', server: '<server_name>', tool: '<tool_name>', arguments: '<arguments>' },
  },
  style: { servers: true, oneCall: true },
  results: namedResponses,
}

/** Every family of models that writes calls as text. */
export const FAMILIES: Readonly<Record<TextProtocolId, Family>> = {
  'mcp-xml': mcpXml,
  ...JSON_FAMILIES,
  ...PAIRS_FAMILIES,
}
