import type { ServerResponse } from 'node:http'

export interface SseWriterOptions {
  /** A comment goes out after this long without an event, so that proxies keep the connection. */
  readonly pingMs: number
  /** Status and headers, sent with the first byte. Called once. */
  readonly open: () => void
}

const PING = Buffer.from(': ping\n\n')
const DONE = Buffer.from('data: [DONE]\n\n')

/** Writes an event stream to a client, no faster than the client reads. `end` or `abandon` is due in every case. */
export class SseWriter {
  readonly #response: ServerResponse
  readonly #open: () => void
  readonly #ping: NodeJS.Timeout
  #isOpen = false

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
    return this.#response.write(events) ? undefined : this.#drained()
  }

  /** Ends a complete answer with `[DONE]`, or a failed one with its error event. */
  end(last: Buffer = DONE): void {
    clearInterval(this.#ping)
    this.#ensureOpen()
    this.#response.end(last)
  }

  /** Writes nothing more: the client is gone, or somebody else answers. */
  abandon(): void {
    clearInterval(this.#ping)
  }

  #ensureOpen(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#open()
  }

  #pingNow(): void {
    if (this.#response.writableNeedDrain) return
    this.#ensureOpen()
    this.#response.write(PING)
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

/** One event as it goes over the wire. */
export function toEvent(data: string, name?: string): Buffer {
  return Buffer.from(`${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`)
}
