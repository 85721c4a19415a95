import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'

export interface SseWriterOptions {
  /** A comment goes out after this long without an event, so that proxies keep the connection. */
  readonly pingMs: number
  /** Status and headers, sent with the first byte. Called once. */
  readonly open: () => void
}

/** Lengths of chunks that were written before; most are short. V8 writes a number in another base by a slow path. */
const KNOWN: string[] = []
const MAX_KNOWN = 4_096
const PING = Buffer.from(': ping\n\n')
const DONE = Buffer.from('data: [DONE]\n\n')
const CR = 0x0d
const LF = 0x0a
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
const elapsed = () => performance.now()
const PING_CHUNK = toChunk(PING)

/** Writes an event stream to a client, no faster than the client reads. `end` or `abandon` is due in every case. */
export class SseWriter {
  readonly #response: ServerResponse
  readonly #open: () => void
  readonly #pingMs: number
  #ping: NodeJS.Timeout
  /** When the last event went out. */
  #wroteAt = elapsed()
  #isOpen = false
  /** Whether the chunks of the transfer encoding are written here. */
  #isChunking = false
  /** Where they are written to, once the head has been. */
  #socket: Socket | undefined

  constructor(response: ServerResponse, options: SseWriterOptions) {
    this.#response = response
    this.#open = options.open
    this.#pingMs = options.pingMs
    this.#ping = setTimeout(this.#onSilence, options.pingMs)
  }

  /** Whether the client has got a byte: from then on a failure is an event, not a status. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** @returns undefined when more may follow at once, else what to wait for; resolves too when the client is gone */
  write(events: Buffer): Promise<void> | undefined {
    this.#wroteAt = elapsed()
    this.#ensureOpen()
    return this.#send(this.#isChunking ? toChunk(events) : events) ? undefined : this.#drained()
  }

  /** Ends a complete answer with `[DONE]`, or a failed one with its error event. */
  end(last: Buffer = DONE): void {
    clearTimeout(this.#ping)
    this.#ensureOpen()
    this.#response.end(this.#isChunking ? Buffer.concat([toChunk(last), LAST_CHUNK]) : last)
  }

  /** Writes nothing more: the client is gone, or somebody else answers. */
  abandon(): void {
    clearTimeout(this.#ping)
  }

  #ensureOpen(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#open()
    // Node writes a chunk in four pieces, and the length of each is known here. Row `fast` of `npm run bench:chat`.
    this.#isChunking = this.#response.chunkedEncoding
    if (this.#isChunking) this.#response.chunkedEncoding = false
  }

  /** The timer is not set again for each event: it finds out how long ago the last one was. */
  readonly #onSilence = (): void => {
    const leftMs = this.#wroteAt + this.#pingMs - elapsed()
    const isSilent = leftMs <= 1
    if (isSilent) this.#pingNow()
    this.#ping = setTimeout(this.#onSilence, isSilent ? this.#pingMs : leftMs)
  }

  #pingNow(): void {
    if ((this.#socket ?? this.#response).writableNeedDrain) return
    this.#ensureOpen()
    this.#send(this.#isChunking ? PING_CHUNK : PING)
  }

  /**
   * A response that is not the first on its connection has no socket yet. One that has would hold each of its writes back
   * until the end of the tick, for others that never come. Rows `one in 10 ms` and `fast` of `npm run bench:chat`.
   */
  #send(bytes: Buffer): boolean {
    if (this.#socket !== undefined) return this.#socket.write(bytes)
    const isFree = this.#response.write(bytes)
    const { socket } = this.#response
    if (this.#isChunking && socket instanceof Socket) this.#socket = socket
    return isFree
  }

  #drained(): Promise<void> {
    const response = this.#response
    const written = response.writableNeedDrain ? response : (this.#socket ?? response)
    return new Promise((resolve) => {
      if (response.closed) return resolve()
      const settle = () => {
        written.off('drain', settle)
        response.off('close', settle)
        resolve()
      }
      written.on('drain', settle)
      response.on('close', settle)
    })
  }
}

/** Bytes as one chunk of HTTP's transfer encoding (RFC 9112, 7.1). */
function toChunk(bytes: Buffer): Buffer {
  const length = hexadecimal(bytes.length)
  const start = length.length + 2
  const chunk = Buffer.allocUnsafe(start + bytes.length + 2)
  for (let index = 0; index < length.length; index += 1) chunk[index] = length.charCodeAt(index)
  chunk[start - 2] = CR
  chunk[start - 1] = LF
  chunk.set(bytes, start)
  chunk[start + bytes.length] = CR
  chunk[start + bytes.length + 1] = LF
  return chunk
}

function hexadecimal(length: number): string {
  if (length >= MAX_KNOWN) return length.toString(16)
  KNOWN[length] ??= length.toString(16)
  return KNOWN[length]
}

/** One event as it goes over the wire. */
export function toEvent(data: string, name?: string): Buffer {
  return Buffer.from(`${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`)
}
