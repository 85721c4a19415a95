import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGuardedAgent } from '../../../src/transport/guarded-agent.js'
import {
  createWebhookSender,
  signWebhook,
  type WebhookSender,
  type WebhookSenderOptions,
} from '../../../src/transport/webhook-sender.js'
import { whenAborted } from '../../../src/util/cancellation.js'
import type { Clock } from '../../../src/util/time/clock.js'
import { readWebhookKey } from '../../../src/util/webhook-key.js'
import { createFakeClock } from '../../support/fake-clock.js'
import { waitUntil } from '../../support/wait-until.js'
import { startWebhookReceiver, WEBHOOK_SECRET, type WebhookReceiver } from '../../support/webhook-receiver.js'

const DATA = { session: 's', turn: 1 }
const key = readWebhookKey(WEBHOOK_SECRET) as Buffer
const dispatcher = createGuardedAgent({ connectTimeoutMs: 5_000, connectionsPerOrigin: 8 })

let receiver: WebhookReceiver
let sender: WebhookSender | undefined
beforeEach(async () => {
  receiver = await startWebhookReceiver()
})
afterEach(async () => {
  await sender?.close(0)
  await receiver.close()
})

/** A sender to the receiver, and what was reported of its events. */
function open(more: Partial<WebhookSenderOptions> = {}, events = ['turn.*'], url = receiver.url) {
  const reports: string[] = []
  const clock = createFakeClock()
  sender = createWebhookSender({
    endpoints: [{ url: new URL(url), key, events }],
    ...{ dispatcher, clock, userAgent: 'test/1' },
    observer: {
      delivered: ({ event, attempts }) => reports.push(`${event} delivered, ${attempts}`),
      lost: ({ event, attempts }, why) => reports.push(`${event} lost, ${attempts}: ${why}`),
    },
    ...more,
  })
  return { reports, clock }
}

it('signs as the specification says', () => {
  // What the specification's own libraries test with.
  const secret = readWebhookKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') as Buffer
  const signature = signWebhook(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', '{"test": 2432232314}')
  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

it.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'not base64 at all, and long enough to be a key', 'A'.repeat(200)])(
  'takes %j for no key',
  (secret) => {
    expect(readWebhookKey(secret)).toBeUndefined()
  },
)

it('sends each event once to an endpoint that wants it, signed', async () => {
  const { reports } = open({}, ['turn.completed', 'task.*'])
  for (const event of ['turn.completed', 'turn.failed', 'task.failed']) sender?.send(event, DATA)
  await waitUntil(() => reports.length === 2)
  expect(reports.sort()).toEqual(['task.failed delivered, 1', 'turn.completed delivered, 1'])
  expect(receiver.received.every(({ isSigned }) => isSigned)).toBe(true)
  expect(receiver.received.find(({ body }) => body.type === 'turn.completed')?.body).toEqual({
    type: 'turn.completed',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: DATA,
  })
})

describe('an endpoint that does not take an event', () => {
  it.each([
    { how: 'fails', react: (response: ServerResponse) => response.writeHead(500).end() },
    {
      how: 'redirects',
      react: (response: ServerResponse) => response.writeHead(307, { location: '/other' }).end(),
    },
    { how: 'hangs', react: hang },
    { how: 'resets', react: (response: ServerResponse) => response.socket?.resetAndDestroy() },
  ])('because it $how gets the same event again, later, with a new signature', async ({ react }) => {
    receiver.react(react, react)
    const { reports, clock } = open({ timeoutMs: 1_000 })
    sender?.send('turn.completed', DATA)
    await waitUntil(() => reports.length === 1)
    expect(reports).toEqual(['turn.completed delivered, 3'])
    expect(clock.waits).toEqual([1_000, 2_000])
    const { received } = receiver
    expect(new Set(received.map(({ id }) => id)).size).toBe(1)
    expect(new Set(received.map(({ timestamp }) => timestamp)).size).toBe(3)
    expect(received.every(({ isSigned }) => isSigned)).toBe(true)
  })

  it('is left alone after a day', async () => {
    await receiver.close()
    const { reports } = open()
    sender?.send('turn.completed', DATA)
    await waitUntil(() => reports.length === 1)
    expect(reports[0]).toMatch(/^turn.completed lost, \d{3}: .*cannot connect/)
    receiver = await startWebhookReceiver()
  })

  it('at a metadata address is never asked', async () => {
    const { reports } = open(
      { pauses: { firstMs: 90_000_000, longestMs: 90_000_000 } },
      ['turn.*'],
      'http://169.254.169.254/hook',
    )
    sender?.send('turn.completed', DATA)
    await waitUntil(() => reports.length === 1)
    expect(reports[0]).toContain('always refused')
  })
})

it('drops events when too many wait, and says so', async () => {
  receiver.react(hang, hang)
  const { reports } = open({ maxWaiting: 2, timeoutMs: 1_000 })
  for (const event of ['turn.a', 'turn.b', 'turn.c']) sender?.send(event, DATA)
  expect(reports).toEqual(['turn.c lost, 0: 2 events wait already'])
})

describe('at its end', () => {
  /** A pause that only the end cuts short. */
  const sleep: Clock['sleep'] = (_ms, signal) =>
    new Promise((_, reject) => whenAborted(signal, () => reject(signal.reason)))

  it('tries once more what waits for its next attempt', async () => {
    receiver.react((response) => response.writeHead(503).end())
    const { reports } = open({ clock: { ...createFakeClock(), sleep } })
    sender?.send('turn.completed', DATA)
    await waitUntil(() => receiver.received.length === 1)
    await sender?.close(5_000)
    expect(reports).toEqual(['turn.completed delivered, 2'])
    sender?.send('turn.completed', DATA)
    expect(reports[1]).toBe('turn.completed lost, 0: the service has closed')
  })

  it('leaves an endpoint that hangs at the deadline', async () => {
    receiver.react(hang)
    const { reports } = open({ timeoutMs: 60_000 })
    sender?.send('turn.completed', DATA)
    await waitUntil(() => receiver.received.length === 1)
    await sender?.close(20)
    expect(reports).toHaveLength(1)
    expect(reports[0]).toMatch(/^turn.completed lost, 1: /)
  })
})

function hang(_response: ServerResponse): void {}
