import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '../../errors.js'
import { at } from '../../util/at.js'

/** Says what is wrong with the head of a request, where a proxy in front may read it differently than Node does. */
export type FramingCheck = (request: IncomingMessage) => ServiceError | undefined

/**
 * Creates the check of one server. It finds a second `Host` and a `Transfer-Encoding` other than `chunked`: Node takes a
 * body of such an encoding for the next request (RFC 9112, 3.2 and 6.3). The connection ends with the answer, and what
 * was read from it together with that request is refused too.
 */
export function createFramingCheck(): FramingCheck {
  let misread: WeakSet<Socket> | undefined
  return ({ rawHeaders, socket }) => {
    if (misread?.has(socket) === true) return unknownEncoding()
    let hosts = 0
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = at(rawHeaders, index)
      if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
      else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
        if (at(rawHeaders, index + 1).toLowerCase() === 'chunked') continue
        misread ??= new WeakSet()
        misread.add(socket)
        return unknownEncoding()
      }
    }
    return hosts < 2 ? undefined : ambiguousHost()
  }
}

function ambiguousHost(): ServiceError {
  return new ServiceError('invalid_request', 'The request has more than one Host header')
}

function unknownEncoding(): ServiceError {
  const headers = { connection: 'close' }
  return new ServiceError('invalid_request', 'The only supported Transfer-Encoding is chunked', { headers })
}
