import type { IncomingMessage } from 'node:http'
import { payloadTooLarge } from '../answers/error-body.js'

/**
 * Reads a body of at most this many bytes. Fastify does the same for its parsers, but gives them a copy in one buffer,
 * which is expensive where every request pays for it.
 *
 * @param take gets the chunks of the body, usually one, and their total length
 * @param refuse gets the error if there is no body; one of both callbacks is called, once
 */
export function readBody(
  payload: IncomingMessage,
  maxBytes: number,
  take: (pieces: readonly Buffer[], bytes: number) => void,
  refuse: (error: Error) => void,
): void {
  const tooLarge = () => refuse(payloadTooLarge(maxBytes))
  if (Number(payload.headers['content-length']) > maxBytes) return void tooLarge()
  const pieces: Buffer[] = []
  let bytes = 0
  let isOver = false
  const end = (settle: () => void): void => {
    if (isOver) return
    isOver = true
    settle()
  }
  payload.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (bytes > maxBytes) end(tooLarge)
    else pieces.push(piece)
  })
  payload.on('end', () => end(() => take(pieces, bytes)))
  // A body that breaks off is the client's doing.
  payload.on('error', (error) => end(() => refuse(Object.assign(error, { statusCode: 400 }))))
  payload.resume()
}
