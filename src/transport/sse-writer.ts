import type { ServerResponse } from 'node:http'

export interface SseWriterOptions {
  /** A comment goes out after this long without an event, so that proxies keep the connection. */
  readonly pingMs: number
  /** Status and headers, sent with the first byte. Called once. */
  readonly open: () => void
}

const PING = Buffer.from(': ping\n\n')
const DONE = Buffer.from('data: [DONE]\n\n')
const CR = 0x0d
const LF = 0x0a
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
const PING_CHUNK = toChunk(PING)

/** Writes an event stream to a client, no faster than the client reads. `end` or `abandon` is due in every case. */
export class SseWriter {
  readonly #response: ServerResponse
  readonly #open: () => void
  readonly #ping: NodeJS.Timeout
  #isOpen = false
  /** Whether the chunks of the transfer encoding are written here. */
  #isChunking = false

  constructor(response: ServerResponse, options: SseWriterOptions) {
    this.#response = response
    this.#open = options.open
    this.#ping = setInterval(() => this.#pingNow(), options.pingMs)
  }

  /** Whether the client has got a byte: from then on a failure is an event, not a status. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** @returns undefined when more may follow at once, else what to wait for; resolves too when the client is gone */
  write(events: Buffer): Promise<void> | undefined {
    this.#ping.refresh()
    this.#ensureOpen()
    return this.#response.write(this.#isChunking ? toChunk(events) : events) ? undefined : this.#drained()
  }

  /** Ends a complete answer with `[DONE]`, or a failed one with its error event. */
  end(last: Buffer = DONE): void {
    clearInterval(this.#ping)
    this.#ensureOpen()
    this.#response.end(this.#isChunking ? Buffer.concat([toChunk(last), LAST_CHUNK]) : last)
  }

  /** Writes nothing more: the client is gone, or somebody else answers. */
  abandon(): void {
    clearInterval(this.#ping)
  }

  #ensureOpen(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#open()
    // Node writes a chunk in four pieces, and the length of each is known here. Row `fast` of `npm run bench:chat`.
    this.#isChunking = this.#response.chunkedEncoding
    if (this.#isChunking) this.#response.chunkedEncoding = false
  }

  #pingNow(): void {
    if (this.#response.writableNeedDrain) return
    this.#ensureOpen()
    this.#response.write(this.#isChunking ? PING_CHUNK : PING)
  }

  #drained(): Promise<void> {
    const response = this.#response
    return new Promise((resolve) => {
      if (response.closed) return resolve()
      const settle = () => {
        response.off('drain', settle)
        response.off('close', settle)
        resolve()
      }
      response.on('drain', settle)
      response.on('close', settle)
    })
  }
}

/** Bytes as one chunk of HTTP's transfer encoding (RFC 9112, 7.1). */
function toChunk(bytes: Buffer): Buffer {
  const length = bytes.length.toString(16)
  const start = length.length + 2
  const chunk = Buffer.allocUnsafe(start + bytes.length + 2)
  chunk.write(length, 'latin1')
  chunk[start - 2] = CR
  chunk[start - 1] = LF
  chunk.set(bytes, start)
  chunk[start + bytes.length] = CR
  chunk[start + bytes.length + 1] = LF
  return chunk
}

/** One event as it goes over the wire. */
export function toEvent(data: string, name?: string): Buffer {
  return Buffer.from(`${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`)
}
