import { promisify } from 'node:util'
import { gunzip, inflate, type ZlibOptions } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { errorMessage } from '../util/errors/error-message.js'
import type { GatheredBytes } from '../util/gathered-bytes.js'
import { commaList } from '../util/text/comma-list.js'
import { readReply, type TravelledReply } from './reply-reader.js'
import { errorCodeText, tooLarge, WireError } from './wire-error.js'

export interface HttpExchange {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
  readonly signal: AbortSignal
  /** Of the body, as it travels and after decompression. */
  readonly maxBytes: number
}

export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

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
  const { url, method, headers, body, signal, maxBytes } = request
  const bounds = { url, signal, maxBytes, maxErrorBytes: ERROR_BODY_BYTES }
  const sent = { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null }
  try {
    const reply = await readReply(dispatcher, sent, bounds)
    return { status: reply.status, headers: reply.headers, body: await bodyOf(reply, url, maxBytes) }
  } catch (error) {
    throw toWireError(error, url, signal)
  }
}

async function bodyOf(
  { status, headers, body }: TravelledReply,
  url: URL,
  maxBytes: number,
): Promise<Buffer> {
  const encoding = String(headers['content-encoding'] ?? 'identity')
  if (status < 200 || status >= 300) return startOf(body, encoding)
  const bytes = body.isLong ? await body.joinedInTurns() : body.joined()
  return decompress(bytes, encoding, url, maxBytes)
}

/** The beginning of an error reply; a compressed one is not worth unpacking. */
function startOf(body: GatheredBytes, encoding: string): Buffer {
  return encoding === 'identity' ? body.joined().subarray(0, ERROR_BODY_BYTES) : Buffer.alloc(0)
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
