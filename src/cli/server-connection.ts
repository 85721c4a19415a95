import { EventSourceParserStream } from 'eventsource-parser/stream'
import { errorCode } from '../util/errors/error-message.js'
import { isJsonObject, type JsonObject, own, parseJson } from '../util/json/json.js'
import { jsonObject } from '../util/json/json-fields.js'
import { withoutTrailing } from '../util/text/without-trailing.js'
import type { ServerAddress } from './server-option.js'

/** A running service as a command asks it, with its caller's key. */
export class ServerConnection {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor({ url, key }: ServerAddress) {
    this.#url = withoutTrailing(url, '/')
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
      return await fetch(`${this.#url}${path}`, asked)
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
  throw new Error(toEventError(body) ?? `the server answered ${response.status}`)
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
  const error = isJsonObject(body) ? own(body, 'error') : undefined
  return isJsonObject(error) ? `${own(error, 'code')}: ${own(error, 'message')}` : undefined
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message || String(errorCode(cause)) : String(cause)
}
