import { EventSourceParserStream } from 'eventsource-parser/stream'
import { ERRORS, type ErrorCode, ServiceError } from '../errors.js'
import { errorCode } from '../util/errors/error-message.js'
import { isJsonObject, type JsonObject, own, parseJson } from '../util/json/json.js'
import { jsonObject } from '../util/json/json-fields.js'
import { withoutTrailing } from '../util/text/without-trailing.js'
import type { ServerAddress } from './server-option.js'

/** A running service as a command asks it, with its caller's key. */
export class ServerConnection {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #fetch: typeof fetch

  /** @param reach sends what is asked. Default: over the network */
  constructor({ url, key }: ServerAddress, reach = fetch) {
    this.#url = withoutTrailing(url, '/')
    this.#fetch = reach
    this.#headers = {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    }
  }

  /** Any answer; a GET without a body. @throws Error for a service that gives none: what `fetch` says is in the cause */
  async send(path: string, body?: object, { headers, signal }: RequestInit = {}): Promise<Response> {
    const init = body === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) }
    const asked = { ...init, ...(signal && { signal }), headers: { ...this.#headers, ...headers } }
    try {
      return await this.#fetch(`${this.#url}${path}`, asked)
    } catch (error) {
      throw new Error(`cannot reach ${this.#url}: ${reasonOf(error)}`, { cause: error })
    }
  }

  /** A good answer. @throws Error with the server's own words */
  async ask(path: string, body?: object, init?: RequestInit): Promise<Response> {
    return assertGood(await this.send(path, body, init))
  }

  /** @throws Error with the server's own words */
  async json(path: string, body?: object): Promise<JsonObject> {
    return jsonObject(await (await this.ask(path, body)).json())
  }
}

/** @throws Error with the server's own words */
export async function assertGood(response: Response): Promise<Response> {
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => undefined)
  throw new AnswerError(body, response.status)
}

/** An answer that is an error, in the server's own words. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  /** As the service threw it; undefined for an answer that is not the service's. */
  readonly thrown: ServiceError | undefined

  constructor(body: unknown, status: number) {
    super(toEventError(body) ?? `the server answered ${status}`)
    this.thrown = thrownError(errorIn(body))
  }
}

function thrownError(error: JsonObject = {}): ServiceError | undefined {
  const { code, message, details } = error
  if (typeof code !== 'string' || !isErrorCode(code)) return undefined
  return new ServiceError(code, String(message), details === undefined ? {} : { details })
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code)
}

/**
 * The server-sent events of a response, without comments. @throws Error with the server's own message if the stream
 * cannot continue
 */
export async function* eventsOf({ body }: Response) {
  if (body === null) return
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const event of events) {
    if (event.event === 'error') throw new Error(toEventError(parseJson(event.data)) ?? 'the stream failed')
    yield event
  }
}

/** What a body of an error says; undefined for any other. */
function toEventError(body: unknown): string | undefined {
  const error = errorIn(body)
  return error && `${own(error, 'code')}: ${own(error, 'message')}`
}

function errorIn(body: unknown): JsonObject | undefined {
  const error = isJsonObject(body) ? own(body, 'error') : undefined
  return isJsonObject(error) ? error : undefined
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message || String(errorCode(cause)) : String(cause)
}
