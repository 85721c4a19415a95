import { describe, expect, it } from 'vitest'
import { joinCommits, type RunCommit } from '../../../src/state/leased-run.js'

const messages = (text: string) => ({ messages: [{ context: 'main', append: [{ text }] }] })
const entries = (...pairs: [string, number | null][]) => ({ entries: new Map(pairs) })

interface Row {
  readonly name: string
  readonly first: RunCommit
  readonly second: RunCommit
  readonly both: RunCommit
}

const ROWS: readonly Row[] = [
  { name: 'nothing', first: {}, second: {}, both: {} },
  {
    name: 'messages in their order',
    first: messages('a'),
    second: messages('b'),
    both: { messages: [...messages('a').messages, ...messages('b').messages] },
  },
  {
    name: 'what only the first has',
    first: messages('a'),
    second: { head: { x: 1 } },
    both: { ...messages('a'), head: { x: 1 } },
  },
  { name: 'the newer head', first: { head: { x: 1 } }, second: { head: { x: 2 } }, both: { head: { x: 2 } } },
  {
    name: 'the newer state',
    first: { turn: { state: { x: 1 } } },
    second: { turn: { state: { x: 2 } } },
    both: { turn: { state: { x: 2 } } },
  },
  {
    name: 'the older state where the turn goes on',
    first: { turn: { state: { x: 1 } } },
    second: {},
    both: { turn: { state: { x: 1 } } },
  },
  {
    name: 'no state of a turn that is over',
    first: { turn: { state: { x: 1 } } },
    second: { turn: { status: 'completed', result: {} } },
    both: { turn: { status: 'completed', result: {} } },
  },
  {
    name: 'entries, newer ones over older',
    first: entries(['a', 1], ['b', 1]),
    second: entries(['b', null], ['c', 2]),
    both: entries(['a', 1], ['b', null], ['c', 2]),
  },
  {
    name: 'events in their order',
    first: { events: [{ type: 'a' }] },
    second: { events: [{ type: 'b' }] },
    both: {
      events: [{ type: 'a' }, { type: 'b' }],
    },
  },
]

describe('two commits as one', () => {
  it.each(ROWS)('have $name', ({ first, second, both }) => {
    expect(joinCommits(first, second)).toEqual(both)
  })
})
