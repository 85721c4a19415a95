import { describe, expect, it } from 'vitest'
import { newCycleState } from '../../../src/agents/cycle/cycle-state.js'
import {
  readHead,
  readInput,
  readMessage,
  readTurnState,
} from '../../../src/agents/sessions/session-record.js'
import { outcomeOf } from '../../../src/agents/sessions/turn-outcome.js'
import type { RecordView } from '../../../src/state/contract/record-state.js'
import type { TurnView } from '../../../src/state/contract/turn-state.js'
import { newCheckpoint, readCheckpoint } from '../../../src/tasks/checkpoint.js'
import { readRecords } from '../../../src/tasks/step-record.js'
import { readTaskHead, readTaskInput } from '../../../src/tasks/stored-task.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'
import { jsonObject } from '../../../src/util/json/json-fields.js'

const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 }
const record = (head: JsonObject): RecordView => ({
  ...{
    kind: 'session',
    id: 's',
    owner: '-',
    head,
    status: 'idle',
    leasedForMs: 0,
    turn: 0,
    epoch: 1,
    activeContext: 'main',
  },
  ...{ contexts: new Map(), cancelRequested: false, createdAt: 0, expiresAt: undefined },
})
const turn = (changes: Partial<TurnView>): TurnView => ({
  ...{ turn: 1, status: 'completed', context: 'main', input: {}, state: undefined, result: undefined },
  ...{ startedAt: 0, endedAt: undefined, firstEvent: undefined, lastEvent: undefined },
  ...changes,
})
const cycle = jsonObject(newCycleState(0))
const message = { role: 'user', content: 'x' }
const step = { status: { s: 'completed', output: 1 }, attempts: 1 }

/** Every reader of what is stored: something that this version writes, and what is not quite that. */
const ROWS: readonly (readonly [
  name: string,
  read: (value: JsonObject) => unknown,
  good: JsonObject,
  bad: readonly JsonObject[],
])[] = [
  [
    'the head of a session',
    (head) => readHead(record(head)),
    { variables: {}, usage },
    [{ variables: {} }, { variables: [], usage }, { variables: {}, usage: { ...usage, inputTokens: '1' } }],
  ],
  [
    'a message',
    readMessage,
    { id: 'm', turn: 1, message },
    [
      { id: 'm', turn: 1 },
      { id: 1, turn: 1, message },
      { id: 'm', turn: 1, message: { role: 'robot' } },
    ],
  ],
  [
    'the input of a turn',
    (input) => readInput(turn({ input })),
    { content: 'x', stream: true, limits: {} },
    [
      { stream: true, limits: {} },
      { content: 'x', limits: {} },
    ],
  ],
  [
    'the state of a turn',
    (state) => readTurnState(turn({ state })),
    { v: 1, cycle },
    [
      { v: 2, cycle },
      { v: 1 },
      { v: 1, cycle: { ...cycle, v: 2 } },
      { v: 1, cycle: { ...cycle, pending: 1 } },
    ],
  ],
  [
    'the result of a turn',
    (result) => outcomeOf('s', turn({ result }), []),
    { message, ended_by: 'answer', usage: {}, steps: 1 },
    [{}, { message, ended_by: 'answer', usage: {} }],
  ],
  [
    'the checkpoint of a task',
    readCheckpoint,
    jsonObject(newCheckpoint(0)),
    [jsonObject({ ...newCheckpoint(0), v: 2 }), { v: 1 }, jsonObject({ ...newCheckpoint(0), rounds: {} })],
  ],
  [
    'a step',
    (entry) => readRecords(new Map([['1.a', entry]])),
    step,
    [{ attempts: 1 }, { status: {}, attempts: 1 }],
  ],
  [
    'the head of a task',
    readTaskHead,
    { description: 'x', status: 'queued' },
    [{ description: 'x' }, { status: 'queued' }],
  ],
  [
    'the input of a task',
    readTaskInput,
    { description: 'x', metadata: {}, config: {}, prompts: {}, domainKnowledge: '' },
    [{ description: 'x', metadata: {}, config: {} }],
  ],
]

describe('what state hands back', () => {
  it.each(ROWS)('is read: %s', (_name, read, good, bad) => {
    expect(() => read(good)).not.toThrow()
    for (const each of bad)
      expect(() => read(each)).toThrow(expect.objectContaining({ code: 'state_unreadable' }))
  })

  it('is no step where it is no object', () => {
    for (const entry of [null, 1, 'x', []] satisfies JsonValue[])
      expect(() => readRecords(new Map([['1.a', entry]]))).toThrow(/step/)
  })
})
