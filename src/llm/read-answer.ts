import { isAscii } from 'node:buffer'
import { UpstreamError } from '../transport/upstream-error.js'
import { andThen } from '../util/and-then.js'
import { readForeignJson } from '../util/json/foreign-json.js'
import { isJsonObject, type JsonObject, type JsonValue, own, parseJson } from '../util/json/json.js'
import { JsonBoundError } from '../util/json/json-bound-error.js'
import { jsonObject } from '../util/json/json-fields.js'
import { MODEL_ANSWER_BOUNDS } from '../util/limits.js'
import { runInTurns } from '../util/slices/sliced.js'
import { textInPieces } from '../util/slices/text-in-pieces.js'
import { clipped } from '../util/text/clipped.js'
import { hasChoice } from './chat/read-completion.js'
import type { Endpoint, Usage } from './model.js'
import type { Answer } from './upstream.js'
import { readUsage } from './usage.js'

/** How much of an upstream's own words is repeated in our messages. */
const MAX_QUOTED_CHARACTERS = 500
/** A longer answer is read in pieces, so what was read of it is kept; of others only the bytes, and their text. */
const MAX_READ_TWICE = 65_536

/**
 * Checks that the body of a 200 is an answer at all: JSON, not an error in disguise, with something in it. Its bytes
 * are kept, so that nothing is lost by reading them.
 *
 * @throws UpstreamError phase `body`, or rejects with it when the answer is long
 */
export function readAnswer(bytes: Buffer, endpoint: Endpoint): Answer | Promise<Answer> {
  if (bytes.length > MAX_READ_TWICE) return readLongAnswer(bytes, endpoint)
  const ascii = isAscii(bytes) ? bytes.toString('latin1') : undefined
  const parsed = parseBody(ascii ?? bytes.toString('utf8'))
  const finish = (body: JsonValue) => toAnswer(body, bytes, ascii, endpoint)
  return andThen(parsed, finish)
}

async function readLongAnswer(bytes: Buffer, endpoint: Endpoint): Promise<Answer> {
  const text = await runInTurns(textInPieces(bytes))
  return toAnswer(await parseBody(text), bytes, undefined, endpoint)
}

function toAnswer(parsed: JsonValue, bytes: Buffer, ascii: string | undefined, endpoint: Endpoint): Answer {
  if (!isJsonObject(parsed)) throw badBody(`the upstream's answer is not a JSON object`)
  const error = errorOf(parsed)
  if (error !== undefined) {
    const message = `the upstream answered 200 with an error: ${error.message}`
    throw new UpstreamError('body', message, { status: 200, detail: error.detail })
  }
  if (!hasOutput(parsed, endpoint)) throw badBody("the upstream's answer has no output")
  const kept = bytes.length > MAX_READ_TWICE ? parsed : undefined
  return new ReadAnswer(bytes, ascii, readUsage(own(parsed, 'usage')), kept)
}

/** A class: an accessor in an object literal is defined again for each object. */
class ReadAnswer implements Answer {
  readonly bytes: Buffer
  readonly ascii: string | undefined
  readonly usage: Usage | undefined
  private readonly kept: JsonObject | undefined

  constructor(
    bytes: Buffer,
    ascii: string | undefined,
    usage: Usage | undefined,
    kept: JsonObject | undefined,
  ) {
    this.bytes = bytes
    this.ascii = ascii
    this.usage = usage
    this.kept = kept
  }

  get body(): JsonObject {
    return this.kept ?? jsonObject(parseJson(this.bytes.toString('utf8')))
  }
}

function hasOutput(body: JsonObject, endpoint: Endpoint): boolean {
  if (endpoint === 'responses') return Array.isArray(own(body, 'output'))
  return endpoint === 'embeddings' ? Array.isArray(own(body, 'data')) : hasChoice(body)
}

function parseBody(text: string): JsonValue | Promise<JsonValue> {
  const refuse = (cause: unknown): never => {
    const problem = cause instanceof JsonBoundError ? cause.message : 'is not JSON'
    throw badBody(`the upstream's answer ${problem}`, cause)
  }
  try {
    const value = readForeignJson(text, MODEL_ANSWER_BOUNDS)
    return value instanceof Promise ? value.catch(refuse) : value
  } catch (cause) {
    return refuse(cause)
  }
}

function badBody(message: string, cause?: unknown): UpstreamError {
  return new UpstreamError('body', message, { status: 200, cause })
}

/** An upstream's error: its message, and the object it came in. */
export type UpstreamMessage = { readonly message: string; readonly detail: JsonValue }

/**
 * Finds the error in a JSON body, in the shapes providers use; undefined when it has none.
 *
 * @param isError the body came as an error, so that it is one itself if it holds none
 */
export function errorOf(body: JsonObject, isError = false): UpstreamMessage | undefined {
  const error = own(body, 'error') ?? (isError ? body : undefined)
  if (error === undefined || error === null || error === false) return undefined
  if (!isJsonObject(error)) return { message: quoted(error), detail: error }
  return { message: quoted(own(error, 'message') ?? own(error, 'code') ?? error), detail: error }
}

/** The message in the body of an error status: OpenAI's, FastAPI's or a bare one; undefined when it is not JSON. */
export function readErrorBody(bytes: Buffer): UpstreamMessage | undefined {
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'))
    if (!isJsonObject(body)) return undefined
    const message = own(body, 'message') ?? own(body, 'detail')
    return errorOf(body) ?? (message === undefined ? undefined : { message: quoted(message), detail: body })
  } catch {
    return undefined
  }
}

function quoted(value: JsonValue): string {
  return clipped(typeof value === 'string' ? value : JSON.stringify(value), MAX_QUOTED_CHARACTERS)
}
