import { ServiceError } from '../errors.js'
import { didYouMean, nearNames } from '../util/errors/near-names.js'
import { createProtocol } from './create-protocol.js'
import { FAMILIES } from './families/families.js'
import { native } from './native.js'
import { PROTOCOL_IDS, type ToolProtocol } from './protocol.js'

const PROTOCOLS: ReadonlyMap<string, ToolProtocol> = new Map(
  PROTOCOL_IDS.map((id) => [id, id === 'native' ? native : createProtocol(id, FAMILIES[id])]),
)

/**
 * The protocol with this id.
 *
 * @throws ServiceError `invalid_request` for an unknown id
 */
export function toolProtocol(id: string): ToolProtocol {
  const protocol = PROTOCOLS.get(id)
  if (protocol !== undefined) return protocol
  const suggestions = typeof id === 'string' ? didYouMean(nearNames(id, PROTOCOL_IDS)) : ''
  throw new ServiceError(
    'invalid_request',
    `No tool protocol has the name ${JSON.stringify(id)}${suggestions}`,
  )
}
