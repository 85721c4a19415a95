import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../errors.js'
import { SentBody } from '../../llm/sent-body.js'
import { andThen } from '../../util/and-then.js'
import { errorMessage, toError } from '../../util/errors/error-message.js'
import type { GatheredBytes } from '../../util/gathered-bytes.js'
import { readForeignJson } from '../../util/json/foreign-json.js'
import { isJsonObject, type JsonValue } from '../../util/json/json.js'
import { JsonBoundError } from '../../util/json/json-bound-error.js'
import { JsonSyntaxError, readJson } from '../../util/json/json-reader.js'
import type { JsonBounds } from '../../util/json/json-scanner.js'
import { type Located, locatedByParser } from '../../util/json/located-by-parser.js'
import { MAX_FOREIGN_DEPTH } from '../../util/limits.js'
import { runInTurns } from '../../util/slices/sliced.js'
import { textInPieces } from '../../util/slices/text-in-pieces.js'
import { readBody } from './read-body.js'
import { routeOf } from './route-of.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if a body may be passed on to an upstream unchanged: its bytes are kept beside the parsed value. */
    keepsBytes?: boolean
  }
  interface FastifyRequest {
    /** The body as it came, on a route that keeps it. */
    sentBody?: SentBody
  }
}

/** Longer texts are not read a second time to say where they are wrong, unless the parser knows it. */
const MAX_LOCATED_CHARACTERS = 65_536

/** What a body may be and hold. */
interface BodyBounds extends Partial<JsonBounds> {
  readonly maxBytes: number
  readonly maxValues: number
}

/**
 * Reads JSON bodies within bounds: any name is plain data, large integers keep their digits, long bodies do not hold
 * the event loop, and what does not parse is answered with line and column.
 *
 * @param bounds of one body: bytes, values, nested ones included, and depth, default 200
 */
export function addJsonBodyParser(
  server: FastifyInstance,
  { maxBytes, maxValues, maxDepth = MAX_FOREIGN_DEPTH }: BodyBounds,
): void {
  const bounds = { maxValues, maxDepth }
  server.removeAllContentTypeParsers()
  for (const type of ['application/json', /^application\/[\w.-]+\+json/]) {
    server.addContentTypeParser(type, (request, payload, done) => {
      const refused = refusedEncoding(request.headers)
      if (refused !== undefined) return done(refused)
      const keepsBytes = routeOf(request).config.keepsBytes === true
      const take = (body: GatheredBytes) => {
        const parse = (bytes: Buffer, text: string) =>
          andThen(parseBody(text, bounds), (value) => {
            if (keepsBytes && isJsonObject(value)) request.sentBody = new SentBody(value, bytes, text)
            done(null, value)
          })
        try {
          const read = body.isLong ? decodedInPieces(body, parse) : decoded(body.joined(), parse)
          if (read instanceof Promise) read.catch(done)
        } catch (error) {
          done(toError(error))
        }
      }
      readBody(payload, maxBytes, take, done)
    })
  }
}

/** The error of a body that is compressed or not in UTF-8. */
function refusedEncoding(headers: IncomingHttpHeaders): ServiceError | undefined {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers
  if (encoding.toLowerCase() !== 'identity')
    return unsupported(`content-encoding ${quoted(encoding)}`, 'send the body without compression')
  const charset = type.includes(';') ? /;\s*charset="?([^";\s]*)/i.exec(type)?.[1] : undefined
  if (charset === undefined || /^(?:utf-?8|us-ascii|ascii)$/i.test(charset)) return undefined
  return unsupported(`charset ${quoted(charset)}`, 'send the body in UTF-8')
}

function unsupported(what: string, advice: string): ServiceError {
  return new ServiceError('unsupported_media_type', `The ${what} is not supported: ${advice}`)
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 40))
}

/** Gets a body as bytes and as text. */
type Parse = (bytes: Buffer, text: string) => void | Promise<void>

/** @throws ServiceError `invalid_json` */
function decoded(bytes: Buffer, parse: Parse): void | Promise<void> {
  checkIsText(bytes)
  return parse(bytes, bytes.toString())
}

/** Rejects with ServiceError `invalid_json`. */
async function decodedInPieces(body: GatheredBytes, parse: Parse): Promise<void> {
  const bytes = await body.joinedInTurns()
  checkIsText(bytes)
  return parse(bytes, await runInTurns(textInPieces(bytes)))
}

function checkIsText(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new ServiceError('invalid_json', 'The body is not valid UTF-8')
}

/** Parses a request body. @throws ServiceError `invalid_json`, `invalid_request` over a bound; or rejects with them */
export function parseBody(
  text: string,
  bounds: JsonBounds,
): JsonValue | undefined | Promise<JsonValue | undefined> {
  if (text === '') return undefined
  // A byte order mark, which some editors write, is not part of the JSON.
  if (text.startsWith('\ufeff')) return parseBody(text.slice(1), bounds)
  const refuse = (error: unknown): never => {
    throw toBodyError(text, error)
  }
  try {
    const value = readForeignJson(text, bounds)
    return value instanceof Promise ? value.catch(refuse) : value
  } catch (error) {
    return refuse(error)
  }
}

function toBodyError(text: string, cause: unknown): ServiceError {
  if (cause instanceof JsonBoundError) {
    const setting = cause.message.endsWith(' values') ? ' (MAX_BODY_VALUES)' : ''
    return new ServiceError('invalid_request', `The body ${cause.message}${setting}`, {
      cause,
      param: 'body',
    })
  }
  const located = locate(text, cause)
  const message = located?.message ?? errorMessage(cause)
  const details = located === undefined ? undefined : { line: located.line, column: located.column }
  return new ServiceError('invalid_json', `The body is not valid JSON: ${message}`, { cause, details })
}

function locate(text: string, cause: unknown): Located | undefined {
  if (cause instanceof JsonSyntaxError) return cause
  return text.length > MAX_LOCATED_CHARACTERS ? locatedByParser(text, toError(cause)) : fromReader(text)
}

function fromReader(text: string): Located | undefined {
  try {
    readJson(text)
    return undefined
  } catch (error) {
    return error instanceof JsonSyntaxError ? error : undefined
  }
}
