import type { IncomingMessage } from 'node:http'
import { payloadTooLarge } from '../answers/error-body.js'
import { type BodySink, DirectRequest } from './direct-request.js'

/** Gets the chunks of a body, usually one, and how many bytes they are together. */
type Take = (pieces: readonly Buffer[], length: number) => void

/**
 * Reads a body of at most this many bytes. Fastify does the same for its parsers, but gives them a copy in one buffer,
 * which is expensive where every request pays for it.
 *
 * @param refuse gets the error if there is no body; one of both callbacks is called, once
 */
export function readBody(
  payload: IncomingMessage,
  maxBytes: number,
  take: Take,
  refuse: (error: Error) => void,
): void {
  if (Number(payload.headers['content-length']) > maxBytes) return void refuse(payloadTooLarge(maxBytes))
  const body = new GatheredBody(maxBytes, take, refuse)
  if (payload instanceof DirectRequest && payload.handOver(body)) return
  payload.on('data', (piece: Buffer) => body.take(piece))
  payload.on('end', () => body.end())
  payload.on('error', (error) => body.breakOff(error))
  payload.resume()
}

class GatheredBody implements BodySink {
  private readonly maxBytes: number
  private readonly whenWhole: Take
  private readonly refuse: (error: Error) => void
  private readonly pieces: Buffer[] = []
  private bytes = 0
  private isOver = false

  constructor(maxBytes: number, whenWhole: Take, refuse: (error: Error) => void) {
    this.maxBytes = maxBytes
    this.whenWhole = whenWhole
    this.refuse = refuse
  }

  take(piece: Buffer): void {
    this.bytes += piece.length
    if (this.bytes > this.maxBytes) this.fail(payloadTooLarge(this.maxBytes))
    else this.pieces.push(piece)
  }

  end(): void {
    if (this.isOver) return
    this.isOver = true
    this.whenWhole(this.pieces, this.bytes)
  }

  /** A body that breaks off is the client's doing. */
  breakOff(error: Error): void {
    this.fail(Object.assign(error, { statusCode: 400 }))
  }

  private fail(error: Error): void {
    if (this.isOver) return
    this.isOver = true
    this.refuse(error)
  }
}
