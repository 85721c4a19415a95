import { ServiceError } from '../errors.js'
import { didYouMean, nearNames } from '../util/near-names.js'
import { createProtocol } from './create-protocol.js'
import { llama } from './llama.js'
import { native } from './native.js'
import { createPairsProtocol } from './pairs-protocol.js'
import { PROTOCOL_IDS, type ProtocolId, type ToolProtocol } from './protocol.js'
import { namedResponses, toolResponses } from './tool-response.js'

const PROTOCOLS: Readonly<Record<ProtocolId, ToolProtocol>> = {
  native,

  /** `<use_mcp_tool>` with server, tool and arguments: MiroThinker, Cline-like agents, LobeHub's template. */
  'mcp-xml': createProtocol({
    id: 'mcp-xml',
    grammar: {
      open: '<use_mcp_tool>',
      close: '</use_mcp_tool>',
      body: { kind: 'tags', server: '<server_name>', tool: '<tool_name>', arguments: '<arguments>' },
    },
    style: { servers: true, oneCall: true },
    results: namedResponses,
  }),

  /** `<tool_call>` around one JSON object: Hermes 2 Pro and later, Qwen 2.5 and 3, Granite 4. */
  hermes: createProtocol({
    id: 'hermes',
    grammar: { open: '<tool_call>', close: '</tool_call>', body: { kind: 'json' } },
    results: toolResponses,
  }),

  /** `<function=name>` with `<parameter=name>` around every value: Qwen3-Coder, Qwen3.5 and later. */
  'qwen-coder': createPairsProtocol('qwen-coder', { function: '<function=>', key: '<parameter=>' }),

  /** The name behind `<tool_call>`, then pairs of `<arg_key>` and `<arg_value>`: GLM 4.5 to 4.7. */
  glm: createPairsProtocol('glm', { key: '<arg_key>', value: '<arg_value>' }),

  /** A section of special tokens, with `functions.name:index` in front of every object: Kimi K2. */
  kimi: createProtocol({
    id: 'kimi',
    grammar: {
      section: { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>' },
      open: '<|tool_call_begin|>',
      close: '<|tool_call_end|>',
      body: {
        kind: 'json',
        separator: '<|tool_call_argument_begin|>',
        readName: (head) => head.replace(/^functions\./, '').replace(/:\d+$/, ''),
        writeName: (name, index) => `functions.${name}:${index}`,
        mustClose: true,
      },
    },
    results: namedResponses,
  }),

  /**
   * A section of special tokens: DeepSeek V3.1 has the name in front of the separator; V3 and R1 have `function` there,
   * and behind it the name on a line and the object in a code fence.
   */
  deepseek: createProtocol({
    id: 'deepseek',
    grammar: {
      section: { open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>' },
      open: '<｜tool▁call▁begin｜>',
      close: '<｜tool▁call▁end｜>',
      body: {
        kind: 'json',
        separator: '<｜tool▁sep｜>',
        preamble: /^\s*(?<name>[^\s`{}<>]+)?\s*(?:```\w*\s*)?$/,
        mustClose: true,
      },
    },
    results: namedResponses,
  }),

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
function isProtocolId(id: string): id is ProtocolId {
  return PROTOCOL_IDS.some((each) => each === id)
}
