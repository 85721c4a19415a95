import type { Config } from './config.js'
import type { WebhookEvent } from './schema/config-file.js'
import { createGuardedAgent } from './transport/guarded-agent.js'
import { createWebhookSender, type WebhookDelivery, wantsEvent } from './transport/webhook-sender.js'
import type { JsonObject } from './util/json/json.js'
import { VERSION } from './util/packages/version.js'
import type { Logger } from './util/telemetry/logger.js'
import type { Metrics } from './util/telemetry/metrics.js'
import { systemClock } from './util/time/clock.js'
import { readWebhookKey } from './util/webhook-key.js'

/** Sends events to the endpoints of `webhooks` in `CONFIG_FILE`. The caller closes them. */
export interface Webhooks {
  /** Queues an event. Neither waits nor throws. */
  send(event: WebhookEvent, data: JsonObject): void
  /** Whether some endpoint asked for it. */
  wants(event: WebhookEvent): boolean
  /** Takes no more events. Resolves when all are delivered, or at the deadline. */
  close(deadlineMs: number): Promise<void>
}

const CONNECT_TIMEOUT_MS = 10_000
const NOBODY: Webhooks = Object.freeze({ send() {}, wants: () => false, async close() {} })

/** Opens the sender of webhooks; without endpoints it does nothing. */
export function openWebhooks(config: Config, { logger, metrics }: WebhookParts): Webhooks {
  const { webhooks } = config.file
  const deliveries = metrics.counter('webhook_deliveries_total', 'Events to webhooks, by outcome', [
    'event',
    'outcome',
  ])
  if (webhooks.length === 0) return NOBODY
  const count = ({ event }: WebhookDelivery, outcome: string) => {
    deliveries.with(event, outcome).value += 1
  }
  const dispatcher = createGuardedAgent({ connectTimeoutMs: CONNECT_TIMEOUT_MS, connectionsPerOrigin: 8 })
  const sender = createWebhookSender({
    endpoints: webhooks.map(({ url, secret, events }) => ({
      url: new URL(url),
      key: keyOf(config.resolveSecret(secret)),
      events,
    })),
    dispatcher,
    clock: systemClock,
    userAgent: `ai-prompt-shell/${VERSION}`,
    observer: {
      delivered: (delivery) => count(delivery, 'delivered'),
      lost(delivery, why) {
        count(delivery, 'lost')
        logger.error({ ...delivery, why }, 'a webhook was not delivered')
      },
    },
  })
  return {
    send: (event, data) => sender.send(event, data),
    wants: (event) => webhooks.some(({ events }) => wantsEvent(events, event)),
    async close(deadlineMs) {
      await sender.close(deadlineMs)
      await dispatcher.destroy()
    },
  }
}

/** What webhooks report to. */
export interface WebhookParts {
  readonly logger: Logger
  readonly metrics: Metrics
}

/** The configuration has been checked. */
function keyOf(secret: string): Buffer {
  const key = readWebhookKey(secret)
  if (key === undefined) throw new TypeError('the secret of a webhook is not base64 of 24 to 64 bytes')
  return key
}
