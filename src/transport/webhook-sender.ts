import { createHmac, randomUUID } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { Cancellation } from '../util/cancellation.js'
import { type JsonObject, stringifyJson } from '../util/json/json.js'
import type { Clock } from '../util/time/clock.js'
import { waitAtMost } from '../util/time/time-limits.js'
import { exchangeHttp } from './http-exchange.js'
import { MAX_WAITING_WEBHOOKS, MAX_WEBHOOK_AGE_MS, MAX_WEBHOOKS_AT_ONCE } from './limits.js'
import { type Backoff, backoffMs } from './resilience/backoff.js'

/** Who receives events. */
export interface WebhookEndpoint {
  readonly url: URL
  /** Signs what is sent. */
  readonly key: Buffer
  /** Names of events, or `<kind>.*` for all of a kind. */
  readonly events: readonly string[]
}

export interface WebhookSenderOptions {
  readonly endpoints: readonly WebhookEndpoint[]
  /** The sender does not close it. */
  readonly dispatcher: Dispatcher
  readonly clock: Clock
  readonly userAgent: string
  readonly observer: WebhookObserver
  /** How often an event that waits is sent again. Default: after a second, then twice as long each time, up to ten minutes. */
  readonly pauses?: Backoff
  /** How long an endpoint may take to answer. Default 15 seconds. */
  readonly timeoutMs?: number
  /** How many events may wait for one endpoint; more are dropped. Default 1,000. */
  readonly maxWaiting?: number
}

/** Notified of what becomes of each event at each endpoint, once. Never of its data. */
export interface WebhookObserver {
  delivered(delivery: WebhookDelivery): void
  /** @param why what the last attempt came to, or that there was no room */
  lost(delivery: WebhookDelivery, why: string): void
}

/** One event at one endpoint. */
export interface WebhookDelivery {
  readonly id: string
  readonly event: string
  /** Host and port: the path of a URL may be a secret. */
  readonly host: string
  readonly attempts: number
}

/** Sends events to those who asked for them. The caller closes it. */
export interface WebhookSender {
  /** Queues an event for each endpoint that wants it. Neither waits nor throws. */
  send(event: string, data: JsonObject): void
  /** Takes no more events; those that wait are tried once more, at once. Resolves when none is left, or at the deadline. */
  close(deadlineMs: number): Promise<void>
}

const PAUSES: Backoff = { firstMs: 1_000, longestMs: 600_000 }
const TIMEOUT_MS = 15_000
/** Of an answer only the status counts. */
const MAX_ANSWER_BYTES = 65_536

/**
 * Creates a sender of signed events, after the specification of Standard Webhooks: `webhook-id`, which stays the same when
 * an event is sent again, `webhook-timestamp` of the attempt, and `webhook-signature`.
 *
 * An event has been delivered when its endpoint answers with 2xx; redirects are not followed. Until then it is sent again,
 * for a day. It waits in memory: with the process goes what waits.
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const queues = options.endpoints.map((endpoint) => new EndpointQueue(endpoint, options))
  return {
    send(event, data) {
      const wanting = queues.filter((queue) => queue.wants(event))
      if (wanting.length === 0) return
      const message: Message = {
        id: `msg_${randomUUID()}`,
        event,
        madeAt: options.clock.now(),
        body: stringifyJson({ type: event, timestamp: new Date(options.clock.now()).toISOString(), data }),
      }
      for (const queue of wanting) queue.add(message)
    },
    async close(deadlineMs) {
      await Promise.all(queues.map((queue) => queue.close(deadlineMs)))
    },
  }
}

/** The signature of a message: `v1,` and the base64 of its HMAC-SHA256. */
export function signWebhook(key: Buffer, id: string, timestamp: string, body: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

interface Message {
  readonly id: string
  readonly event: string
  readonly madeAt: number
  readonly body: string
}

/** Whether a list of events has this one, by its name or by `<kind>.*`. */
export function wantsEvent(events: readonly string[], event: string): boolean {
  const kind = event.slice(0, event.indexOf('.'))
  return events.some((wanted) => wanted === event || wanted === `${kind}.*`)
}

/** What waits for one endpoint. */
class EndpointQueue {
  readonly #endpoint: WebhookEndpoint
  readonly #options: WebhookSenderOptions
  readonly #closing = new Cancellation()
  readonly #deadline = new AbortController()
  readonly #waiting = new Set<Promise<void>>()
  readonly #turn: (() => void)[] = []
  #sending = 0

  constructor(endpoint: WebhookEndpoint, options: WebhookSenderOptions) {
    this.#endpoint = endpoint
    this.#options = options
  }

  wants(event: string): boolean {
    return wantsEvent(this.#endpoint.events, event)
  }

  add(message: Message): void {
    const { maxWaiting = MAX_WAITING_WEBHOOKS } = this.#options
    if (this.#closing.aborted) this.#lost(message, 0, 'the service has closed')
    else if (this.#waiting.size >= maxWaiting) this.#lost(message, 0, `${maxWaiting} events wait already`)
    else {
      const delivery = this.#deliver(message).finally(() => this.#waiting.delete(delivery))
      this.#waiting.add(delivery)
    }
  }

  async close(deadlineMs: number): Promise<void> {
    this.#closing.abort()
    await waitAtMost(deadlineMs, this.#settled())
    this.#deadline.abort()
    await this.#settled()
  }

  async #settled(): Promise<void> {
    await Promise.all(this.#waiting)
  }

  /** Sends a message until it has arrived, or will not. */
  async #deliver(message: Message): Promise<void> {
    const { clock, pauses = PAUSES, observer } = this.#options
    for (let attempts = 1; ; attempts += 1) {
      const isLast = this.#closing.aborted
      const why = await this.#inTurn(() => this.#attempt(message))
      if (why === undefined) return observer.delivered(this.#describe(message, attempts))
      const pauseMs = backoffMs(pauses, attempts)
      const isOld = clock.now() + pauseMs - message.madeAt > MAX_WEBHOOK_AGE_MS
      if (isLast || isOld || this.#deadline.signal.aborted) return this.#lost(message, attempts, why)
      await clock.sleep(pauseMs, this.#closing).catch(() => {})
    }
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#sending >= MAX_WEBHOOKS_AT_ONCE) await new Promise<void>((resolve) => this.#turn.push(resolve))
    else this.#sending += 1
    try {
      return await work()
    } finally {
      const next = this.#turn.shift()
      if (next === undefined) this.#sending -= 1
      else next()
    }
  }

  /** @returns why the message has not arrived; undefined when it has */
  async #attempt({ id, body }: Message): Promise<string | undefined> {
    const { dispatcher, clock, userAgent, timeoutMs = TIMEOUT_MS } = this.#options
    const { url, key } = this.#endpoint
    const timestamp = String(Math.floor(clock.now() / 1_000))
    const timeLimit = AbortSignal.timeout(timeoutMs)
    const signal = AbortSignal.any([timeLimit, this.#deadline.signal])
    try {
      const { status } = await exchangeHttp(dispatcher, {
        url,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': userAgent,
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': signWebhook(key, id, timestamp, body),
        },
        body,
        signal,
        maxBytes: MAX_ANSWER_BYTES,
      })
      return status >= 200 && status < 300 ? undefined : `it answered ${status}`
    } catch (error) {
      if (timeLimit.aborted) return `no answer within ${timeoutMs} ms`
      return error instanceof Error ? error.message : String(error)
    }
  }

  #lost(message: Message, attempts: number, why: string): void {
    this.#options.observer.lost(this.#describe(message, attempts), why)
  }

  #describe({ id, event }: Message, attempts: number): WebhookDelivery {
    return { id, event, host: this.#endpoint.url.host, attempts }
  }
}
