import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, createClient, type TaskEvent, type TurnEvent } from '../../../src/client.js'
import type { Replicas } from '../../support/replicas.js'
import { startRunsService } from './runs-service.js'

/** What a client meets on its way to the service; null lets everything through. */
let way: Way | null = null
type Way = (attempt: number, send: () => Promise<Response>) => Promise<Response>
let attempts: string[] = []
let booked: string[] = []

let replicas: Replicas
let client: Client
beforeAll(async () => {
  replicas = await startRunsService(({ city }) => `${booked.push(String(city))} booked`)
  // Each attempt meets the other replica.
  client = createClient({
    url: 'http://service',
    timeoutMs: 10_000,
    fetch: (input, init) => {
      const { url } = attempts.length % 2 === 0 ? replicas.first : replicas.second
      const path = String(input).slice('http://service'.length)
      attempts.push(`${init?.method ?? 'GET'} ${path}`)
      const send = () => fetch(url + path, init)
      return way === null ? send() : way(attempts.length, send)
    },
  })
})
afterAll(() => replicas.close())
beforeEach(() => {
  way = null
  attempts = []
  booked = []
})

/** The request arrives, and its answer is lost. */
const losesFirstAnswer: Way = async (attempt, send) => {
  const response = await send()
  if (attempt > 1) return response
  await response.text()
  throw new TypeError('fetch failed')
}

/** Every stream breaks after this many events. */
const breaksAfter =
  (events: number): Way =>
  async (_attempt, send) => {
    const response = await send()
    if (response.body === null || !response.headers.get('content-type')?.includes('event-stream'))
      return response
    const reader = response.body.getReader()
    let seen = 0
    const cut = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, done } = await reader.read()
        if (done) return controller.close()
        const blocks = new TextDecoder().decode(value).split(/(?<=\n\n)/)
        for (const block of blocks) {
          if (seen === events) {
            await reader.cancel()
            return controller.error(new TypeError('terminated'))
          }
          if (block.includes('data:')) seen++
          controller.enqueue(new TextEncoder().encode(block))
        }
      },
    })
    return new Response(cut, { status: response.status, headers: response.headers })
  }

async function collect<Each>(values: AsyncIterable<Each>): Promise<Each[]> {
  const all: Each[] = []
  for await (const value of values) all.push(value)
  return all
}

const typesOf = (events: readonly (TurnEvent | TaskEvent)[]) => events.map(({ type }) => type)
const textOf = (events: readonly (TurnEvent | TaskEvent)[]) =>
  events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('')

describe('sessions', () => {
  it('are made, spoken with, read and forgotten', async () => {
    const { id } = await client.sessions.create({ agent: 'helper' })
    expect(await client.sessions.turn(id, 'Hi')).toMatchObject({
      turn: 1,
      status: 'completed',
      message: { content: 'one two three four' },
    })
    expect(await client.sessions.turn(id, { parts: [{ type: 'text', text: 'Again' }] })).toMatchObject({
      turn: 2,
    })
    expect(await client.sessions.get(id)).toMatchObject({ id, turn: 2, status: 'idle' })
    expect((await client.sessions.messages(id, { limit: 1 })).items).toHaveLength(1)
    expect(await client.sessions.getTurn(id, 1)).toMatchObject({ turn: 1, status: 'completed' })
    expect((await client.sessions.list({ limit: 1_000 })).items).toContainEqual(
      expect.objectContaining({ id }),
    )
    await client.sessions.delete(id)
    await expect(client.sessions.get(id)).rejects.toMatchObject({ code: 'session_not_found', status: 404 })
  })

  it('have one turn where the answer to its request is lost', async () => {
    const { id } = await client.sessions.create({ agent: 'helper' })
    attempts = []
    way = losesFirstAnswer
    expect(await client.sessions.turn(id, 'Hi')).toMatchObject({ turn: 1, status: 'completed' })
    expect(attempts).toHaveLength(2)
    way = null
    expect((await client.sessions.get(id)).turn).toBe(1)
  })

  it('are made once where the answer is lost', async () => {
    way = losesFirstAnswer
    const { id } = await client.sessions.create({ agent: 'helper', id: 'once' })
    expect([id, attempts.length]).toEqual(['once', 2])
  })

  it.each([1, 2, 3, 5])('stream a whole turn over connections that break after %i events', async (events) => {
    const { id } = await client.sessions.create({ agent: 'helper' })
    way = breaksAfter(events)
    const seen = await collect(client.sessions.streamTurn(id, 'Hi'))
    way = null
    const kept = await collect(client.sessions.followTurn(id, 1))
    expect(seen).toEqual(kept)
    expect(textOf(seen)).toBe('one two three four')
    expect(typesOf(seen).at(-1)).toBe('turn.completed')
    expect((await client.sessions.get(id)).turn).toBe(1)
  })

  it('begin one turn where the stream breaks before its first event', async () => {
    const { id } = await client.sessions.create({ agent: 'helper' })
    attempts = []
    way = (attempt, send) => (attempt === 1 ? losesFirstAnswer(attempt, send) : send())
    const seen = await collect(client.sessions.streamTurn(id, 'Hi'))
    expect([typesOf(seen)[0], textOf(seen)]).toEqual(['turn.started', 'one two three four'])
    expect(attempts.map((attempt) => attempt.split(' ')[0])).toEqual(['POST', 'POST'])
  })

  it('wait for a person, and go on with the answer', async () => {
    const { id } = await client.sessions.create({ agent: 'booker' })
    const seen = await collect(client.sessions.streamTurn(id, 'Book it'))
    expect(typesOf(seen).at(-1)).toBe('paused')
    const { items } = await client.approvals.list({ session: id })
    expect(items).toMatchObject([{ tool: 'book', status: 'pending' }])
    const [{ id: approval } = { id: '' }] = items
    const decision = { decision: 'edit', arguments: { city: 'Köln' } } as const
    way = losesFirstAnswer
    attempts = []
    expect(await client.approvals.decide(approval, decision)).toMatchObject({ status: 'approved' })
    way = null
    const rest = await collect(client.sessions.followTurn(id, 1))
    expect(typesOf(rest).at(-1)).toBe('turn.completed')
    expect(booked).toEqual(['Köln'])
  })

  it('tell at once of what no repetition helps', async () => {
    const mistakes = [
      client.sessions.create({ agent: 'nobody' }),
      collect(client.sessions.streamTurn('no-such-session', 'Hi')),
      collect(client.sessions.followTurn('no-such-session', 1)),
      client.sessions.cancelTurn('no-such-session', 1),
    ]
    const codes = (await Promise.allSettled(mistakes)).map((each) =>
      each.status === 'rejected' ? each.reason.code : 'nothing',
    )
    expect(codes).toEqual(['agent_not_found', 'session_not_found', 'session_not_found', 'session_not_found'])
    expect(attempts).toHaveLength(4)
  })

  it('end a stream whose reader has had enough', async () => {
    const { id } = await client.sessions.create({ agent: 'helper' })
    const gone = new AbortController()
    const events = client.sessions.streamTurn(id, 'Hi', { signal: gone.signal })
    await events.next()
    gone.abort()
    await expect(collect(events)).rejects.toMatchObject({ name: 'AbortError' })
    expect((await collect(client.sessions.followTurn(id, 1))).at(-1)).toMatchObject({
      type: 'turn.completed',
    })
  })
})

describe('tasks', () => {
  it('are begun once, followed over broken connections, read and forgotten', async () => {
    way = losesFirstAnswer
    const { id } = await client.tasks.create({ description: 'greet' })
    way = breaksAfter(2)
    const seen = await collect(client.tasks.follow(id))
    expect(typesOf(seen)).toEqual(expect.arrayContaining(['phase.started', 'plan', 'evaluation']))
    expect(seen.at(-1)).toMatchObject({ type: 'task.completed', result: { ended_by: 'correctness' } })
    way = null
    expect(await client.tasks.get(id)).toMatchObject({ id, status: 'completed' })
    expect((await client.tasks.list()).items).toMatchObject([{ id }])
    expect(await client.tasks.cancel(id)).toMatchObject({ id, status: 'completed' })
    await client.tasks.delete(id)
    expect((await client.tasks.list()).items).toEqual([])
  })
})

describe('what is sent again', () => {
  const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
    Response.json({ status: 'error', error: { code, message: code } }, { status, headers })
  const answersFirst =
    (response: () => Response): Way =>
    async (attempt, send) =>
      attempt === 1 ? response() : send()

  it.each([
    ['what was refused', () => refusal(429, 'rate_limited', { 'retry-after': '0' }), 2],
    ['what another process answers', () => refusal(503, 'outcome_unknown'), 2],
    ['what a proxy answered', () => new Response('<html>', { status: 502 }), 2],
    ['not what has failed', () => refusal(503, 'turn_interrupted', { 'retry-after': '1' }), 1],
    [
      'not what waits for longer than the request',
      () => refusal(429, 'rate_limited', { 'retry-after': '60' }),
      1,
    ],
  ])('%s', async (_name, response, times) => {
    const { id } = await client.sessions.create({ agent: 'helper' })
    attempts = []
    way = answersFirst(response)
    const ended = await client.sessions.turn(id, 'Hi', { timeoutMs: 10_000 }).then(
      ({ status }) => status,
      ({ code }) => code,
    )
    expect([ended === 'completed', attempts.length]).toEqual([times === 2, times])
  })
})
