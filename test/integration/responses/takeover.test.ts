import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newResponseId, shownResponseId } from '../../../src/responses/response-ids.js'
import { writeStoredRequest } from '../../../src/responses/stored-request.js'
import type { StateStore } from '../../../src/state/state-store.js'
import { type Replicas, STATE_KINDS, startReplicas } from '../../support/replicas.js'

const LEASE_MS = 400

/** A response as a process leaves it behind that dies after these events. */
async function leave(store: StateStore, events: readonly object[]): Promise<string> {
  const id = newResponseId()
  const input = writeStoredRequest({
    request: { model: 'echo' },
    promptMessages: [],
    answerer: { kind: 'model' },
    items: [{ id: `msg_${id}_in0`, type: 'message', role: 'user', content: 'hi' }],
    isStream: true,
    createdAt: 1,
    kept: { store: true, background: true },
  })
  const made = { kind: 'response', id, owner: '-', token: id, head: {}, input } as const
  const { lease } = await store.createBegun({ ...made, by: 'dead' })
  const lines = events.map((event, sequence_number) => ({
    type: String((event as { type: string }).type),
    json: JSON.stringify({ ...event, sequence_number }),
  }))
  if (lines.length > 0) await store.commit(lease, { n: 1, events: { first: 1, events: lines } })
  return shownResponseId('resp', id)
}

describe.each(STATE_KINDS)('a response in %s whose process died', (state) => {
  let replicas: Replicas

  beforeAll(async () => {
    replicas = await startReplicas({ state, leaseMs: LEASE_MS, replies: ['hello'] })
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
    const id = await leave(replicas.first.store, begun)
    const events = await eventsOf(id)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { id, status: 'completed', output: [{ content: [{ text: 'hello' }] }] },
    })
  })

  it('is begun where the process died at once', async () => {
    const id = await leave(replicas.first.store, [])
    const events = await eventsOf(id)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events[0]?.type).toBe('response.created')
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id } })
  })

  it('fails where text was shown, and its open item is closed as incomplete', async () => {
    const item = { id: 'msg_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
    const id = await leave(replicas.first.store, [
      ...begun,
      { type: 'response.output_item.added', output_index: 0, item },
      {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: 'hel',
      },
    ])
    const events = await eventsOf(id)
    expect(events.map((event) => event.sequence_number)).toEqual([0, 1, 2, 3, 4, 5])
    expect(events[4]).toMatchObject({
      type: 'response.output_item.done',
      item: { status: 'incomplete', content: [{ text: 'hel' }] },
    })
    expect(events[5]).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
  })
})
