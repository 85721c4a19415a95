import type { ProtocolId } from '../protocol.js'
import { namedResponses } from '../tool-response.js'
import type { Family } from './family.js'
import { JSON_FAMILIES } from './json-families.js'
import { OTHER_FAMILIES } from './other-families.js'
import { PAIRS_FAMILIES } from './pairs-families.js'

/** The protocols that are text. */
export type TextProtocolId = Exclude<ProtocolId, 'native'>

/** `<use_mcp_tool>` with server, tool and arguments: MiroThinker, Cline-like agents, LobeHub's template. */
const mcpXml: Family = {
  title: 'MiroThinker; any model that was given the instructions',
  models: /mirothinker/,
  grammar: {
    open: '<use_mcp_tool>',
    close: '</use_mcp_tool>',
    body: { kind: 'tags', server: '<server_name>', tool: '<tool_name>', arguments: '<arguments>' },
  },
  style: { servers: true, oneCall: true },
  results: namedResponses,
}

/** Every family of models that writes calls as text; a model is of the first whose names fit. */
export const FAMILIES: Readonly<Record<TextProtocolId, Family>> = {
  'mcp-xml': mcpXml,
  ...PAIRS_FAMILIES,
  ...OTHER_FAMILIES,
  ...JSON_FAMILIES,
}
