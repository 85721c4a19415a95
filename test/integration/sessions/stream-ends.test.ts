import { Redis } from 'ioredis'
import { afterEach, describe, expect, inject, it } from 'vitest'
import type { Lease } from '../../../src/state/contract/lease-state.js'
import { refused } from '../../../src/state/state-errors.js'
import {
  type Replica,
  type Replicas,
  STATE_KINDS,
  type StateKind,
  startReplicas,
} from '../../support/replicas.js'
import { slowIt } from '../../support/slow-it.js'
import { someOf } from '../../support/some-of.js'
import type { Json } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

const LEASE_MS = 600

let replicas: Replicas
let letGo = () => {}
let prefix = ''
afterEach(async () => {
  letGo()
  await replicas.close()
})

/** Two services with an agent whose turn stands in its tool until it is let go. */
async function start(state: StateKind, drainMs?: number): Promise<void> {
  prefix = `ends-${Math.random().toString(36).slice(2)}`
  const held = new Promise<string>((resolve) => {
    letGo = () => resolve('done')
  })
  replicas = await startReplicas({
    state,
    leaseMs: LEASE_MS,
    environment: { KEY_PREFIX: prefix },
    replies: [{ text: 'some words', toolCalls: [{ name: 'hold', arguments: {} }] }, 'the answer'],
    agents: new Map([['helper', { tools: [{ name: 'hold', execute: () => held }] }]]),
    ...(drainMs !== undefined && { overrides: { drainMs } }),
  })
}

/** A stream of a turn: how it is opened, and how its last event is known. */
interface Stream {
  readonly open: (turn: {
    readonly runner: Replica
    readonly other: Replica
    readonly id: string
  }) => Promise<Response>
  /** Whether it begins the turn itself. */
  readonly begins: boolean
  /** Of a text: the last event's name and error, undefined for a silent end. */
  readonly endOf: (text: string) => Ending | undefined
}

interface Ending {
  readonly name: string
  readonly error?: Json
}

const json = { 'content-type': 'application/json' }

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) })
}

function ui(id: string) {
  return { id, messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'go' }] }] }
}

function agUi(threadId: string) {
  const messages = [{ id: 'm', role: 'user', content: 'go' }]
  return { threadId, runId: 'r', messages, tools: [], context: [], state: {}, forwardedProps: {} }
}

const STREAMS: Readonly<Record<string, Stream>> = {
  'POST …/turns': {
    begins: true,
    open: ({ runner, id }) => post(`${runner.url}/api/sessions/${id}/turns`, { input: 'go', stream: true }),
    endOf: turnEnd,
  },
  'GET …/events where it runs': {
    begins: false,
    open: ({ runner, id }) => fetch(`${runner.url}/api/sessions/${id}/turns/1/events`),
    endOf: turnEnd,
  },
  'GET …/events elsewhere': {
    begins: false,
    open: ({ other, id }) => fetch(`${other.url}/api/sessions/${id}/turns/1/events`),
    endOf: turnEnd,
  },
  'POST …/ui': {
    begins: true,
    open: ({ runner, id }) => post(`${runner.url}/api/agents/helper/ui`, ui(id)),
    endOf: uiEnd,
  },
  'GET …/ui/{chat}/stream': {
    begins: false,
    open: ({ other, id }) => fetch(`${other.url}/api/agents/helper/ui/${id}/stream`),
    endOf: uiEnd,
  },
  'POST …/ag-ui': {
    begins: true,
    open: ({ runner, id }) => post(`${runner.url}/api/agents/helper/ag-ui`, agUi(id)),
    endOf: agUiEnd,
  },
}

function dataOf(text: string): readonly Json[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
  return lines.map((line) => JSON.parse(line.slice('data: '.length)))
}

function turnEnd(text: string): Ending | undefined {
  const last = dataOf(text).at(-1)
  const names = ['turn.completed', 'turn.failed', 'turn.cancelled', 'error']
  return names.includes(last?.type) ? { name: last.type, error: last.error } : undefined
}

function uiEnd(text: string): Ending | undefined {
  const last = dataOf(text).at(-1)
  const isEnd = ['error', 'abort', 'finish'].includes(last?.type) && text.endsWith('data: [DONE]\n\n')
  return isEnd
    ? { name: last.type, error: { message: last.errorText, code: last.errorText?.split(':')[0] } }
    : undefined
}

function agUiEnd(text: string): Ending | undefined {
  const last = dataOf(text).at(-1)
  const isEnd = ['RUN_FINISHED', 'RUN_ERROR'].includes(last?.type)
  return isEnd ? { name: last.type, error: { message: last.message, code: last.code } } : undefined
}

/** Opens the stream of a turn, and reads it to its end while the turn, which stands in its tool, is lost. */
async function lose(stream: Stream, how: (id: string) => Promise<void> | void): Promise<string> {
  const { first: runner, second: other } = replicas
  const { body } = await runner.ask('POST', '/sessions', { agent: 'helper' })
  const id: string = body.id
  if (!stream.begins) {
    void runner.ask('POST', `/sessions/${id}/turns`, { input: 'go' }).catch(() => {})
    await waitUntil(async () => (await runner.ask('GET', `/sessions/${id}/turns/1`)).status === 200)
  }
  return readTo(await stream.open({ runner, other, id }), 'hold', () => how(id))
}

/** The whole text of a stream; once it says this, something is done. */
async function readTo(answer: Response, words: string, then: () => Promise<void> | void): Promise<string> {
  let text = ''
  let done: Promise<void> | undefined
  for await (const piece of (answer.body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream(),
  )) {
    text += piece
    if (text.includes(words)) done ??= Promise.resolve(then())
  }
  await done
  return text
}

/** Nothing is taken any more of what the process that has the turn writes: somebody else has it, or will have. */
function loseLease({ store }: Replica): void {
  let lost: number | undefined
  const fenced = <Rest extends unknown[], Result>(
    write: (lease: Lease, ...rest: Rest) => Promise<Result>,
  ) => {
    return async (lease: Lease, ...rest: Rest): Promise<Result> => {
      lost ??= lease.epoch
      if (lease.epoch === lost) throw refused('fenced', lease)
      return write(lease, ...rest)
    }
  }
  const { events } = store
  Object.assign(store, { commit: fenced(store.commit.bind(store)), renew: fenced(store.renew.bind(store)) })
  Object.assign(events, { append: fenced(events.append.bind(events)) })
}

async function forgetEverything(): Promise<void> {
  const redis = new Redis(inject('redisUrl'))
  const keys = await redis.keys(`*${prefix}*`)
  if (keys.length > 0) await redis.del(...keys)
  redis.disconnect()
}

const streams = Object.entries(STREAMS).map(([name, stream]) => ({ name, stream }))

describe.each(STATE_KINDS)('a stream of a turn, in %s', (state) => {
  /** Where a stream's end comes from is one thing in both: the short run has all of them once. */
  const tried = state === 'memory' ? streams : someOf(streams)

  it.each(tried)('says how it ended when the lease is lost: $name', async ({ stream }) => {
    await start(state)
    const text = await lose(stream, () => {
      loseLease(replicas.first)
      letGo()
    })
    expect(stream.endOf(text)).toBeDefined()
  })

  it.each(tried)('says how it ended when the service closes: $name', async ({ stream }) => {
    await start(state, 50)
    const text = await lose(stream, async () => {
      await Promise.all(replicas.all.map(({ app }) => app.close()))
    })
    const ending = stream.endOf(text)
    expect(['not_ready', 'turn_interrupted']).toContain(ending?.error.code)
    if (ending?.name === 'error') expect(ending.error.message).toContain('shutting down')
  })
})

describe('a stream of a turn', () => {
  it.each(someOf(streams))(
    'says that its session is gone when Redis came back empty: $name',
    async ({ stream }) => {
      await start('Redis')
      const text = await lose(stream, async () => {
        await forgetEverything()
        letGo()
      })
      expect(stream.endOf(text)?.error.code).toBe('session_not_found')
      if (stream.endOf === turnEnd && !stream.begins) expect(dataOf(text).at(-2)?.type).toBe('gap')
    },
  )

  it('names its turn and where its events are when the service closes', async () => {
    await start('Redis', 50)
    const follower = STREAMS['GET …/events elsewhere'] as Stream
    let session = ''
    const text = await lose(follower, async (id) => {
      session = id
      await replicas.second.app.close()
    })
    expect(text).not.toContain('id: undefined')
    expect(turnEnd(text)?.error).toMatchObject({
      code: 'not_ready',
      type: 'unavailable_error',
      details: { session, turn: 1, events: `/api/sessions/${session}/turns/1/events` },
    })
    expect(text.slice(text.lastIndexOf('event: error'))).not.toContain('id: ')
  })

  slowIt('is whole for a reader that is too far behind', async () => {
    const words = Array.from({ length: 400_000 }, (_, index) => `${index} `).join('')
    replicas = await startReplicas({ state: 'memory', replies: [{ text: words }] })
    const { first } = replicas
    const { body } = await first.ask('POST', '/sessions', { agent: 'helper' })
    const address = { kind: 'session', id: body.id } as const
    const read: string[] = []
    const answer = await post(`${first.url}/api/sessions/${address.id}/turns`, { input: 'go', stream: true })
    // The turn is over before the first of it is read.
    await waitUntil(async () => (await first.ask('GET', `/sessions/${address.id}`)).body.status === 'idle')
    for (const event of dataOf(await answer.text())) if (event.type === 'text.delta') read.push(event.text)
    expect(read.join('')).toBe(words)
  })

  it('has nothing to tell to who has the last event', async () => {
    replicas = await startReplicas({ state: 'memory' })
    const { first } = replicas
    const { body } = await first.ask('POST', '/sessions', { agent: 'helper' })
    const path = `${first.url}/api/sessions/${body.id}/turns`
    const text = await (await post(path, { input: 'go', stream: true })).text()
    const last = /id: (.*)\nevent: turn.completed/.exec(text)?.[1] ?? ''
    const again = await fetch(`${path}/1/events`, { headers: { 'last-event-id': last } })
    expect(await again.text()).toBe('')
  })
})
