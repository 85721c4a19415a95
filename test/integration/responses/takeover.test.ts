import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newCycleState, type PendingCall } from '../../../src/agents/cycle/cycle-state.js'
import { writeLoop } from '../../../src/responses/left-loop.js'
import { newResponseId, shownResponseId } from '../../../src/responses/response-ids.js'
import { type Answerer, writeStoredRequest } from '../../../src/responses/stored-request.js'
import type { Commit } from '../../../src/state/contract/lease-state.js'
import type { StateStore } from '../../../src/state/state-store.js'
import { jsonObject } from '../../../src/util/json/json-fields.js'
import { type Replicas, STATE_KINDS, startReplicas } from '../../support/replicas.js'
import type { Json } from '../../support/test-app.js'

const LEASE_MS = 400
const MODEL: Answerer = { kind: 'model' }
const HELPER: Answerer = { kind: 'agent', id: 'helper', variables: {} }

interface Left {
  readonly answerer?: Answerer
  readonly events?: readonly object[]
  /** A call that was durable, and has no result yet. */
  readonly pending?: Partial<PendingCall>
  /** A conversation that it adds to, as clients know it, and the turn that locks it. */
  readonly conversation?: { readonly shown: string; readonly turn: number }
  readonly id?: string
}

/** A response as a process leaves it behind that dies. */
async function leave(store: StateStore, left: Left): Promise<string> {
  const { answerer = MODEL, events = [], pending, conversation, id = newResponseId() } = left
  const input = writeStoredRequest({
    request: { model: 'echo' },
    promptMessages: [],
    answerer,
    items: [{ id: `msg_${id}_in0`, type: 'message', role: 'user', content: 'hi' }],
    isStream: true,
    createdAt: 1,
    kept: { store: true, background: true, conversation: conversation?.shown },
    conversationTurn: conversation?.turn,
  })
  const made = { kind: 'response', id, owner: '-', token: id, head: {}, input } as const
  const { lease } = await store.createBegun({ ...made, by: 'dead' })
  const lines = events.map((event, sequence_number) => ({
    type: String((event as { type: string }).type),
    json: JSON.stringify({ ...event, sequence_number }),
  }))
  const written =
    pending === undefined ? {} : writeCall({ id: 'c1', name: 'look', arguments: {}, index: 0, ...pending })
  if (lines.length > 0) await store.commit(lease, { n: 1, events: { first: 1, events: lines }, ...written })
  return shownResponseId('resp', id)
}

/** What a loop writes before it runs a call. */
function writeCall(call: PendingCall): Omit<Commit, 'n'> {
  const { id, name } = call
  const toolCall = { id, type: 'function', function: { name, arguments: '{}' } }
  const said = {
    id: 'm',
    turn: 1,
    message: { role: 'assistant', content: 'I look.', tool_calls: [toolCall] },
  }
  const cycle = { ...newCycleState(Date.now()), step: 1, toolTurns: 1, called: 1, pending: [call] }
  const state = writeLoop({ v: 1, cycle, at: Date.now() })
  return { messages: [{ context: 'main', append: [said] }], turn: { state } }
}

describe.each(STATE_KINDS)('a response in %s whose process died', (state) => {
  let replicas: Replicas

  beforeAll(async () => {
    const tools = [
      { name: 'look', readOnly: true, execute: async () => 'seen' },
      { name: 'pay', execute: async () => 'paid' },
    ]
    replicas = await startReplicas({
      ...{ state, leaseMs: LEASE_MS, agents: new Map([['helper', { tools }]]) },
      replies: [({ messages }) => (JSON.stringify(messages).includes('"tool"') ? 'I saw it.' : 'hello')],
    })
  })
  afterAll(() => replicas.close())

  async function eventsOf(id: string): Promise<{ type: string; sequence_number: number }[]> {
    const answer = await fetch(`${replicas.second.url}/v1/responses/${id}?stream=true`)
    const lines = (await answer.text()).split('\n').filter((line) => line.startsWith('data: '))
    return lines.map((line) => JSON.parse(line.slice(6)))
  }

  const begun = [
    { type: 'response.created', response: {} },
    { type: 'response.in_progress', response: {} },
  ]

  it('is asked again where nothing was shown, and its numbers go on', async () => {
    const id = await leave(replicas.first.store, { events: begun })
    const events = await eventsOf(id)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { id, status: 'completed', output: [{ content: [{ text: 'hello' }] }] },
    })
  })

  it('is begun where the process died at once', async () => {
    const id = await leave(replicas.first.store, {})
    const events = await eventsOf(id)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events[0]?.type).toBe('response.created')
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id } })
  })

  const shown = [
    ...begun,
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { id: 'msg_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] },
    },
    {
      ...{ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0 },
      delta: 'hel',
    },
  ]
  const cut = {
    type: 'response.output_item.done',
    item: { status: 'incomplete', content: [{ text: 'hel' }] },
  }

  it('fails where text was shown, and its open item is closed as incomplete', async () => {
    const id = await leave(replicas.first.store, { events: shown })
    const events = await eventsOf(id)
    expect(events.map((event) => event.sequence_number)).toEqual([0, 1, 2, 3, 4, 5])
    expect(events[4]).toMatchObject(cut)
    expect(events[5]).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
  })

  it('continues where an agent answered: what was shown stays, and a new item begins', async () => {
    const id = await leave(replicas.first.store, { answerer: HELPER, events: shown })
    const events = await eventsOf(id)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events[4]).toMatchObject({ ...cut, output_index: 0 })
    expect(events[5]).toMatchObject({ type: 'response.output_item.added', output_index: 1 })
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: {
        output: [
          { status: 'incomplete', content: [{ text: 'hel' }] },
          { status: 'completed', content: [{ text: 'hello' }] },
        ],
      },
    })
  })

  it('runs a call of the agent again that may run twice, and goes on', async () => {
    const id = await leave(replicas.first.store, {
      ...{ answerer: HELPER, events: shown, pending: { repeatable: true } },
    })
    const events = await eventsOf(id)
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { output: [{ status: 'incomplete' }, { content: [{ text: 'I saw it.' }] }] },
    })
  })

  it('fails where a call of the agent may have had its effect', async () => {
    const id = await leave(replicas.first.store, {
      ...{ answerer: HELPER, events: shown, pending: { name: 'pay' } },
    })
    const events = await eventsOf(id)
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { error: { message: expect.stringContaining('may have had its effect') } },
    })
  })
})

describe.each(STATE_KINDS)('a conversation in %s whose process died', (state) => {
  let replicas: Replicas
  beforeAll(async () => {
    replicas = await startReplicas({ state, leaseMs: LEASE_MS })
  })
  afterAll(() => replicas.close())

  async function ask(path: string, body?: object): Promise<Json> {
    const answer = await fetch(`${replicas.second.url}/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return answer.json()
  }

  /** A conversation that a dead process has locked for a response. */
  async function lock() {
    const shown: string = (await ask('conversations', {})).id
    const address = { kind: 'conversation', id: shown.slice('conv_'.length), owner: '-' } as const
    const id = newResponseId()
    const { store } = replicas.first
    const grant = await store.begin({ address, by: 'dead', purpose: 'start', input: { response: id } })
    if (grant.kind === 'repeated') throw new Error('nothing repeats it')
    return { store, id, conversation: { shown, turn: grant.lease.turn }, lease: grant.lease }
  }

  const itemsOf = async (conversation: string): Promise<readonly Json[]> =>
    (await ask(`conversations/${conversation}/items?order=asc`)).data

  /** Adds to a conversation as soon as it is free. */
  async function addSoon(conversation: string): Promise<void> {
    const added = async () => (await ask('responses', { model: 'echo', input: 'next', conversation })).status
    await expect.poll(added, { timeout: 10_000 }).toBe('completed')
  }

  const ended = async (id: string) => {
    await expect.poll(async () => (await ask(`responses/${id}`)).status, { timeout: 10_000 }).toMatch(/ed$/)
    return ask(`responses/${id}`)
  }

  it('is free again where there was no response yet', async () => {
    const { conversation } = await lock()
    const taken = await ask('responses', { model: 'echo', input: 'x', conversation: conversation.shown })
    expect(taken.error?.code ?? 'conversation_locked').toBe('conversation_locked')
    await addSoon(conversation.shown)
  })

  it('gets the response that another process answers, once, before the next', async () => {
    const { store, id, conversation } = await lock()
    const shown = await leave(store, { id, conversation })
    expect(await ended(shown)).toMatchObject({
      status: 'completed',
      conversation: { id: conversation.shown },
    })
    const texts = (await itemsOf(conversation.shown)).map(({ content }) => content[0]?.text ?? content)
    expect(texts).toEqual(['hi', 'hello'])
    await addSoon(conversation.shown)
    expect(await itemsOf(conversation.shown)).toHaveLength(4)
  })

  it('gets nothing of a response that fails, and is free', async () => {
    const { store, id, conversation } = await lock()
    const item = { id: 'msg_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
    const events = [
      { type: 'response.created', response: {} },
      { type: 'response.output_item.added', output_index: 0, item },
    ]
    const shown = await leave(store, { id, conversation, events })
    expect((await ended(shown)).status).toBe('failed')
    expect(await itemsOf(conversation.shown)).toEqual([])
    await addSoon(conversation.shown)
  })

  it('has a response already whose end was not written: the end is that, and nothing is asked again', async () => {
    const { store, id, conversation, lease } = await lock()
    const shown = await leave(store, { id, conversation })
    const output = [{ id: `msg_${id}_0`, type: 'message', role: 'assistant', content: [] }]
    const result = { id: shown, object: 'response', status: 'completed', output }
    const append = [{ id: `msg_${id}_in0`, type: 'message', role: 'user', content: 'hi' }, ...output]
    const asked = replicas.model.requests.length
    await store.commit(lease, {
      ...{ n: 1, messages: [{ context: 'main', append }], turn: { status: 'completed', result } },
    })
    expect(await ended(shown)).toEqual(result)
    expect(replicas.model.requests).toHaveLength(asked)
    expect((await itemsOf(conversation.shown)).map((each) => each.id)).toEqual(append.map((each) => each.id))
  })
})

describe.each(STATE_KINDS)('a response in %s that ends its turn of a conversation', (state) => {
  it.each([true, false])(
    'has all of its events in the log before the conversation has its items (stream: %s)',
    async (stream) => {
      const replicas = await startReplicas({ state, count: 1, leaseMs: LEASE_MS })
      const { store, url } = replicas.first
      const post = (path: string, body: object) =>
        fetch(`${url}/v1/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      const commit = store.commit.bind(store)
      const logged: string[][] = []
      store.commit = async (lease, change) => {
        const response = jsonObject(change.turn?.result ?? {})['id']
        if (lease.kind === 'conversation' && typeof response === 'string')
          logged.push(await typesInLog(store, response))
        return commit(lease, change)
      }
      const { id: conversation } = (await (await post('conversations', {})).json()) as Json
      await (await post('responses', { model: 'echo', input: 'hi', conversation, stream })).text()
      await replicas.close()
      expect(logged).toHaveLength(1)
      expect(logged[0]?.at(-1)).toBe('response.output_item.done')
    },
  )

  async function typesInLog(store: StateStore, response: string): Promise<string[]> {
    const address = { kind: 'response', id: response.slice('resp_'.length), owner: '-' } as const
    const { firstEvent } = await store.turns.read(address, 1)
    if (firstEvent === undefined) return []
    return (await store.events.range(address, firstEvent, 100)).map(({ type }) => type)
  }
})

describe('a response whose process died, where nothing is to be continued', () => {
  it('fails', async () => {
    const replicas = await startReplicas({
      ...{ state: 'memory', count: 1, leaseMs: LEASE_MS, environment: { CONTINUE_TURNS: 'false' } },
    })
    const id = await leave(replicas.first.store, { answerer: HELPER })
    const shown = async () => (await fetch(`${replicas.first.url}/v1/responses/${id}`)).json()
    const status = async () => ((await shown()) as { status: string }).status
    await expect.poll(status, { timeout: 10_000 }).toBe('failed')
    await replicas.close()
  })
})
