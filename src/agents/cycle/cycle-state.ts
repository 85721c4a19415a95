import type { Message } from '../../conversation/message.js'
import type { ToolCall } from '../../conversation/tool-calls.js'
import type { Usage } from '../../llm/model.js'
import { isJsonObject, type JsonValue } from '../../util/json/json.js'
import { isUsage, NO_USAGE } from '../cost-tracker.js'
import type { EndedBy } from './turn-event.js'

/** What guards count through a turn. */
export interface CycleCounters {
  /** Rollbacks in a row for format, refusal and duplicates; an accepted message resets it. */
  readonly rollbacks: number
  /** Keys of the newest calls of this turn, oldest first. */
  readonly calls: readonly string[]
  /** Keys of read-only calls that succeeded in this turn. */
  readonly succeeded: readonly string[]
  /** How often the provider said that the request is too long. */
  readonly overflows: number
  /** Tool calls that ran. */
  readonly toolCalls: number
  /** Last answers that were asked for. */
  readonly answers: number
  /** Whether an answer was asked again for saying the same over and over. */
  readonly repeated: boolean
}

/** A call without a result yet. */
export interface PendingCall extends ToolCall {
  /** Its place among all calls of the turn, from 0. */
  readonly index: number
  /** A person has to say yes first. */
  readonly ask?: true
  /** A person has said yes. */
  readonly approved?: true
  /** Of an approved call: it may have run. Written before it does. */
  readonly begun?: true
  /** When it was asked for, its tool could be called twice without a second effect. */
  readonly repeatable?: true
}

/** A turn between two steps: enough to go on from, wherever it runs. Pure data. */
export interface CycleState {
  readonly v: 1
  /** Model calls made. */
  readonly step: number
  /** Rounds of tool calls made. */
  readonly toolTurns: number
  /** Calls the model asked for, those that did not run too. */
  readonly called: number
  /** Calls of the newest message that have no result yet. */
  readonly pending: readonly PendingCall[]
  /** Results of the newest message's calls that are not in the history yet, in no order. */
  readonly results: readonly Message[]
  readonly counters: CycleCounters
  readonly usage: Usage
  readonly cost?: number
  /** Epoch milliseconds; moved on by the time spent paused. */
  readonly startedAt: number
  /** Said with the results of the pending calls. */
  readonly remark?: string | undefined
  /** Why the turn is about to end, once that is decided. */
  readonly ending?: EndedBy
  /** An earlier answer's box, kept for the case that the last one has none. */
  readonly boxed?: string
}

/** Whether a stored value is a state of this version. */
export function isCycleState(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value)) return false
  const { v, step, pending, results, counters, usage, startedAt } = value
  const counts = [step, startedAt].every((count) => typeof count === 'number')
  const lists = [pending, results].every((list) => Array.isArray(list))
  return v === 1 && counts && lists && isJsonObject(counters) && isUsage(usage)
}

/** A turn before its first step. */
export function newCycleState(startedAt: number): CycleState {
  return {
    v: 1,
    step: 0,
    toolTurns: 0,
    called: 0,
    pending: [],
    results: [],
    counters: {
      rollbacks: 0,
      calls: [],
      succeeded: [],
      overflows: 0,
      toolCalls: 0,
      answers: 0,
      repeated: false,
    },
    usage: NO_USAGE,
    startedAt,
    remark: undefined,
  }
}
