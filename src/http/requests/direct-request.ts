import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { ServiceError } from '../../errors.js'
import { TINY_CHUNK_BYTES } from '../limits.js'
import { isChunkedTooFinely, mayReadOn } from './small-chunks.js'
import { leaveUnread } from './unread-body.js'

/** Gets the body of a request. Each call may come after the end, when the connection is gone or the answer is out. */
export interface BodySink {
  take(piece: Buffer): void
  end(): void
  breakOff(error: Error): void
}

/**
 * A request that can hand over its body as Node's parser reads it. A stream takes four ticks and eight calls for the one
 * piece that most bodies are. Row `render` of `npm run bench:price`.
 *
 * What it overrides is what Node's parser and server call: `push` with each piece and at the end, `_destroy` when the
 * connection is gone, and `readableEnded`, by which they know whether the body was read.
 */
export class DirectRequest extends IncomingMessage {
  private sink: BodySink | undefined = undefined

  /** Whether the sink gets the body. It does not where a part of the body is in the stream already. */
  handOver(sink: BodySink): boolean {
    if (this.sink instanceof Unread) {
      sink.breakOff(this.sink.error)
      return true
    }
    if (this.complete || this.readableLength > 0 || this.readableFlowing !== null) return false
    this.sink = sink
    // Tells Node that somebody reads: it would throw the body away once the answer is out.
    this._read(0)
    return true
  }

  /** Whether a sink got the whole body. */
  get isHandedOver(): boolean {
    return this.complete && this.sink !== undefined
  }

  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    const { sink } = this
    if (piece !== null && isChunkedTooFinely(this.socket, piece.length)) return this.refuseChunks(sink)
    if (sink === undefined) {
      const hasRoom = super.push(piece, encoding)
      return piece === null ? hasRoom : mayReadOn(this, piece.length) && hasRoom
    }
    if (piece === null) {
      sink.end()
      return true
    }
    sink.take(piece)
    return mayReadOn(this, piece.length)
  }

  /** What is left of the body is passed over until the connection ends. */
  private refuseChunks(sink: BodySink | undefined): boolean {
    if (sink instanceof Unread) return true
    const error = new ServiceError('invalid_request', TOO_FINE)
    this.sink = new Unread(error, leaveUnread(this.socket))
    // Who has not asked for the body yet hears of it then.
    sink?.breakOff(error)
    return true
  }

  /** Node calls it once the answer is out. What follows of the body is thrown away here, since Node's own way counts no chunks. */
  _dump(): void {
    this.sink ??= NOBODY
    this.resume()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    super._destroy(error, (failure) => {
      callback(failure)
      // As a stream's own error comes: after the response has heard that its client is gone.
      this.sink?.breakOff(error ?? new Error('aborted'))
    })
  }
}

const TOO_FINE = `The body comes in very many chunks of less than ${TINY_CHUNK_BYTES} bytes; send larger ones`

/** In place of the sink of a body that was refused while it came. */
class Unread implements BodySink {
  readonly error: ServiceError
  readonly end: () => void
  readonly breakOff: () => void

  constructor(error: ServiceError, readAgain: () => void) {
    this.error = error
    this.end = readAgain
    this.breakOff = readAgain
  }

  take(): void {}
}

/** Gets what nobody wants. */
const NOBODY: BodySink = { take() {}, end() {}, breakOff() {} }

const { get: hasStreamEnded } = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded') ?? {}

// In its type it is a property, which a getter must not override.
Object.defineProperty(DirectRequest.prototype, 'readableEnded', {
  get(this: DirectRequest): unknown {
    return this.isHandedOver || hasStreamEnded?.call(this)
  },
})
