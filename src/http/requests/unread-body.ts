import type { Socket } from 'node:net'

/** Node's own, which its types do not name: what it calls for each part of a body stands under a number. */
interface Parser {
  readonly constructor: { readonly kOnBody?: unknown }
  [event: number]: unknown
}

interface Connection extends Socket {
  readonly parser?: Parser | null
}

/**
 * Has Node's parser pass over what is left of a body: it finds the end of it, and calls nobody for its parts. A parser serves
 * other connections later, and is as before once the body ends or the connection closes.
 *
 * @returns what makes it as before
 */
export function leaveUnread(connection: Connection): () => void {
  const { parser } = connection
  const event = parser?.constructor.kOnBody
  if (!parser || typeof event !== 'number' || typeof parser[event] !== 'function') return () => {}
  const handle = parser[event]
  parser[event] = undefined
  const readAgain = () => {
    parser[event] = handle
    connection.off('close', readAgain)
  }
  // Node's own listener, which comes first, gives the parser back; none is taken before all have heard.
  connection.on('close', readAgain)
  return readAgain
}
