import { ServiceError } from '../errors.js'
import { didYouMean, nearNames } from '../util/near-names.js'
import { deepseek } from './deepseek.js'
import { glm } from './glm.js'
import { hermes } from './hermes.js'
import { kimi } from './kimi.js'
import { llama } from './llama.js'
import { mcpXml } from './mcp-xml.js'
import { native } from './native.js'
import { PROTOCOL_IDS, type ProtocolId, type ToolProtocol } from './protocol.js'
import { qwenCoder } from './qwen-coder.js'

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
function isProtocolId(id: string): id is ProtocolId {
  return PROTOCOL_IDS.some((each) => each === id)
}
