import { promisify } from 'node:util'
import { gunzip, inflate, type ZlibOptions } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { errorMessage } from '../util/errors/error-message.js'
import { joined } from '../util/joined.js'
import { room } from '../util/slices/pause.js'
import { commaList } from '../util/text/comma-list.js'
import { errorCodeText, tooLarge, WireError } from './wire-error.js'

export interface HttpExchange {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal
  /** Of the body, as it travels and after decompression. */
  readonly maxBytes: number
}

export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** Shorter bodies are put together in no time. */
const LONG_BODY_BYTES = 65_536
/** Of an error reply only the beginning is of interest. */
const ERROR_BODY_BYTES = 1024

type Decompress = (data: Buffer, options: ZlibOptions) => Promise<Buffer>

/** Brotli is not among them, see `refuseEncodings`. */
const DECOMPRESSORS: ReadonlyMap<string, Decompress> = new Map([
  ['gzip', promisify<Buffer, ZlibOptions, Buffer>(gunzip)],
  ['x-gzip', promisify<Buffer, ZlibOptions, Buffer>(gunzip)],
  ['deflate', promisify<Buffer, ZlibOptions, Buffer>(inflate)],
])

/**
 * One request and its whole reply, bounded in bytes. Redirects are replies like any other.
 *
 * @throws WireError
 */
export async function exchangeHttp(dispatcher: Dispatcher, request: HttpExchange): Promise<HttpReply> {
  const { url, signal, maxBytes } = request
  const response = await send(dispatcher, request)
  const { statusCode: status, headers, body } = response
  const successful = status >= 200 && status < 300
  try {
    const encoding = String(headers['content-encoding'] ?? 'identity')
    if (!successful) return { status, headers, body: await readStart(body, encoding) }
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(url, maxBytes)
    const bytes = await readAll(body, url, maxBytes)
    return { status, headers, body: await decompress(bytes, encoding, url, maxBytes) }
  } catch (error) {
    throw toWireError(error, url, signal)
  } finally {
    // A body that was not read to its end would keep its socket.
    if (!body.readableEnded) body.on('error', ignore).destroy()
  }
}

/** An undici failure as a wire failure; the signal distinguishes a cancelled call from a broken one. */
export function toWireError(error: unknown, url: URL, signal: AbortSignal): WireError {
  if (error instanceof WireError) return error
  if (error instanceof Error && error.cause instanceof WireError) return error.cause
  if (signal.aborted)
    return new WireError('cancelled', `the call to ${url.host} was given up`, { cause: error })
  const code = errorCodeText(error)
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new WireError('bad_response', `${url.host} does not speak HTTP (${code})`, { cause: error })
  }
  return new WireError('connection_lost', `the connection to ${url.host} broke: ${errorMessage(error)}`, {
    cause: error,
  })
}

async function send(dispatcher: Dispatcher, request: HttpExchange): Promise<Dispatcher.ResponseData> {
  const { url, method, headers, body, signal } = request
  try {
    return await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: method,
      headers,
      body: body ?? null,
      signal,
    })
  } catch (error) {
    throw toWireError(error, url, signal)
  }
}

async function readAll(body: AsyncIterable<Buffer>, url: URL, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(url, maxBytes)
    chunks.push(chunk)
  }
  if (size > LONG_BODY_BYTES) {
    // Many answers may end in this turn of the event loop.
    const turn = room()
    if (turn !== undefined) await turn
  }
  return joined(chunks)
}

/** The beginning of an error reply; a compressed one is not worth unpacking. */
async function readStart(body: AsyncIterable<Buffer>, encoding: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= ERROR_BODY_BYTES) break
  }
  if (encoding !== 'identity') return Buffer.alloc(0)
  return Buffer.concat(chunks).subarray(0, ERROR_BODY_BYTES)
}

async function decompress(bytes: Buffer, encoding: string, url: URL, maxBytes: number): Promise<Buffer> {
  const steps = commaList(encoding.toLowerCase()).filter((name) => name !== 'identity')
  if (steps.length > 1) throw new WireError('bad_response', `${url.host} compressed its reply more than once`)
  const [name] = steps
  if (name === undefined || bytes.length === 0) return bytes
  const unpack = DECOMPRESSORS.get(name)
  if (unpack === undefined) throw new WireError('bad_response', `${url.host} sent content-encoding ${name}`)
  try {
    return await unpack(bytes, { maxOutputLength: maxBytes })
  } catch (cause) {
    if (errorCodeText(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(url, maxBytes)
    throw new WireError('bad_response', `${url.host} sent a broken ${name} body`, { cause })
  }
}

function ignore(): void {}
