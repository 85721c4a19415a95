import type { IncomingMessage } from 'node:http'
import { GatheredBytes } from '../../util/gathered-bytes.js'
import { payloadTooLarge } from '../answers/error-body.js'
import { type BodySink, DirectRequest } from './direct-request.js'

type Take = (body: GatheredBytes) => void

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
  private readonly bytes = new GatheredBytes()
  private isOver = false

  constructor(maxBytes: number, whenWhole: Take, refuse: (error: Error) => void) {
    this.maxBytes = maxBytes
    this.whenWhole = whenWhole
    this.refuse = refuse
  }

  take(piece: Buffer): void {
    if (this.isOver) return
    if (this.bytes.length + piece.length > this.maxBytes) this.fail(payloadTooLarge(this.maxBytes))
    else this.bytes.add(piece)
  }

  end(): void {
    if (this.isOver) return
    this.isOver = true
    this.whenWhole(this.bytes)
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
