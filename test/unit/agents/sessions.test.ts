import { describe, expect, it } from 'vitest'
import {
  applyDecisions,
  type CallDecision,
  newCycleState,
  type PendingCall,
} from '../../../src/agents/cycle/cycle-state.js'
import { gatherDeltas } from '../../../src/agents/cycle/turn-event.js'
import { approvalId, parseApprovalId } from '../../../src/agents/sessions/approvals.js'
import { LiveEvents } from '../../../src/agents/sessions/live-events.js'
import { sanitise } from '../../../src/agents/sessions/sanitise.js'
import { type SessionMessage, StoredHistory } from '../../../src/agents/sessions/session-record.js'
import type { Message } from '../../../src/conversation/message.js'
import { findSequenceViolations } from '../../../src/conversation/validate-messages.js'

const user = (content: string): Message => ({ role: 'user', content })
const said = (content: string | null): Message => ({ role: 'assistant', content })
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
})
const result = (id: string, content = `result of ${id}`): Message => ({
  role: 'tool',
  tool_call_id: id,
  content,
})
const stored = (...messages: Message[]): SessionMessage[] =>
  messages.map((message, index) => ({ id: `m${index}`, turn: 1, message }))

const INTERRUPTED = expect.stringMatching(/^interrupted: /)

describe('sanitise', () => {
  it.each<{ name: string; messages: Message[]; results?: Message[]; clean: unknown[] }>([
    { name: 'nothing', messages: [], clean: [] },
    { name: 'a whole history', messages: [user('a'), said('b')], clean: ['a', 'b'] },
    {
      name: 'open calls',
      messages: [user('a'), calls('x', 'y')],
      clean: ['a', null, INTERRUPTED, INTERRUPTED],
    },
    {
      name: 'open calls with a known result, in the order of the calls',
      messages: [user('a'), calls('x', 'y')],
      results: [result('y')],
      clean: ['a', null, INTERRUPTED, 'result of y'],
    },
    {
      name: 'some results stored, not in order',
      messages: [user('a'), calls('x', 'y', 'z'), result('z'), result('x')],
      clean: ['a', null, 'result of x', INTERRUPTED, 'result of z'],
    },
    {
      name: 'open calls in the middle',
      messages: [user('a'), calls('x'), user('b'), said('c')],
      clean: ['a', null, INTERRUPTED, 'b', 'c'],
    },
    {
      name: 'results of no call, and second ones',
      messages: [user('a'), result('q'), calls('x'), result('x'), result('x', 'twice'), result('q')],
      clean: ['a', null, 'result of x'],
    },
    { name: 'answers that say nothing', messages: [user('a'), said(''), said(null)], clean: ['a'] },
  ])('$name', ({ messages, results = [], clean }) => {
    const given = stored(...messages)
    const found = sanitise(given, { code: 'interrupted', results, newId: () => 'new' })
    expect(found.map(({ message }) => message.content)).toEqual(clean)
    const violations = findSequenceViolations(
      found.map(({ message }) => message),
      { allowRepeatedRoles: true },
    )
    expect(violations.filter(({ rule }) => rule !== 'empty')).toEqual([])
    // What is fine stays what it was, so that only the rest is written again.
    expect(found.filter(({ id }) => id !== 'new').every((message) => given.includes(message))).toBe(true)
    expect(sanitise(found, { code: 'interrupted', results: [], newId: () => 'again' })).toEqual(found)
  })
})

describe('applyDecisions', () => {
  const pending: PendingCall[] = [
    { id: 'a', name: 'pay', arguments: { n: 1 }, index: 0, ask: true },
    { id: 'b', name: 'pay', arguments: { n: 2 }, index: 1, ask: true },
  ]
  it.each<{ name: string; decisions: [string, CallDecision][]; left: unknown[]; results: unknown[] }>([
    { name: 'none', decisions: [], left: pending, results: [] },
    {
      name: 'approved, and edited',
      decisions: [
        ['a', { kind: 'approved' }],
        ['b', { kind: 'approved', arguments: { n: 9 } }],
      ],
      left: [
        { id: 'a', name: 'pay', arguments: { n: 1 }, index: 0, approved: true },
        { id: 'b', name: 'pay', arguments: { n: 9 }, index: 1, approved: true },
      ],
      results: [],
    },
    {
      name: 'rejected',
      decisions: [['a', { kind: 'rejected', reason: 'no' }]],
      left: [pending[1]],
      results: [{ role: 'tool', tool_call_id: 'a', content: 'approval_rejected: no' }],
    },
  ])('$name', ({ decisions, left, results }) => {
    const { state, events } = applyDecisions({ ...newCycleState(0), pending }, new Map(decisions))
    expect([state.pending, state.results]).toEqual([left, results])
    expect(events).toHaveLength(results.length)
  })
})

describe('StoredHistory', () => {
  it('shows the newest summary first, and knows where its places are stored', () => {
    const summary = (text: string): Message => user(text)
    const messages = stored(user('b'), said('c'), summary('old'), user('d'), summary('new'), said('e')).map(
      (message, index) => (index === 2 || index === 4 ? { ...message, kind: 'summary' as const } : message),
    )
    const history = new StoredHistory({ from: 10, messages: messages as never, total: 16 })
    expect(history.history.messages.map(({ message }) => message.content)).toEqual([
      'new',
      'b',
      'c',
      'd',
      'e',
    ])
    expect([1, 3, 4, 5].map((place) => history.indexOf(place))).toEqual([10, 13, 15, 16])
    history.add(stored(user('f')))
    expect(history.indexOf(5)).toBe(16)
    expect(history.indexOf(6)).toBe(17)
  })
})

describe('ids of approvals', () => {
  it.each([
    { owner: { kind: 'session', id: 'a-1.b_c', turn: 12 } as const, index: 3, id: 's-12-3-a-1.b_c' },
    { owner: { kind: 'task', id: '0', turn: 1 } as const, index: 0, id: 't-1-0-0' },
  ])('$id says whose it is', ({ owner, index, id }) => {
    expect(approvalId(owner, index)).toBe(id)
    expect(parseApprovalId(id)).toEqual(owner)
  })

  it.each(['', 's', 's-1-0-', 'x-1-0-a', 's-a-0-b', 's-1-0-a b', `s-1-0-${'x'.repeat(101)}`])(
    '%j is none',
    (id) => {
      expect(() => parseApprovalId(id)).toThrow(expect.objectContaining({ code: 'approval_not_found' }))
    },
  )
})

describe('events of a turn', () => {
  it.each([
    ['a', 'b'],
    ['', 'x'],
    ['"quoted"\n', '\\ and 🙂'],
  ])('gathers %j and %j into the same text', (one, other) => {
    const delta = (text: string) => ({ type: 'text.delta', text }) as const
    const both = gatherDeltas(delta(one), delta(other))
    expect(both).toEqual(delta(one + other))
  })

  it('keeps what is no delta, or of another kind, apart', () => {
    const text = { type: 'text.delta', text: 'a' } as const
    const thought = { type: 'reasoning.delta', text: 'a' } as const
    const step = { type: 'step.started', step: 1 } as const
    expect([gatherDeltas(text, thought), gatherDeltas(step, step)]).toEqual([undefined, undefined])
  })

  it('ends for a reader that is far behind, after what it holds', async () => {
    const events = new LiveEvents()
    const json = 'x'.repeat(300_000)
    for (let seq = 1; seq <= 6; seq += 1) events.push({ id: `1-${seq}`, type: 'text.delta', json })
    const read: string[] = []
    for await (const { id } of events) read.push(id)
    expect(read).toEqual(['1-1', '1-2', '1-3', '1-4'])
  })
})
