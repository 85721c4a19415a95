import type { Socket } from 'node:net'

/** Longer bodies are not worth a copy. */
const MAX_JOINED_BYTES = 16_384

/** What a stream hands to `_writev`: pieces that were written while it was corked. */
type Pieces = Parameters<NonNullable<Socket['_writev']>>[0]

/**
 * Sends the head of a request and its short body, which undici writes one after the other, as one text: Node hands one text to the
 * system in less time than a list of two. Rows `0.5 KB` of `npm run bench:chat`.
 */
export function joinWrites(socket: Socket): void {
  const { _writev: writeEach } = socket
  socket._writev = (pieces, done) => {
    const text = asOneText(pieces)
    if (text !== undefined) socket._write(text, 'latin1', done)
    else writeEach?.call(socket, pieces, done)
  }
}

function asOneText(pieces: Pieces): string | undefined {
  const [head, body] = pieces
  if (pieces.length !== 2 || head?.encoding !== 'latin1' || typeof head.chunk !== 'string') return undefined
  const chunk: unknown = body?.chunk
  if (!Buffer.isBuffer(chunk) || chunk.length > MAX_JOINED_BYTES) return undefined
  return head.chunk + chunk.toString('latin1')
}
