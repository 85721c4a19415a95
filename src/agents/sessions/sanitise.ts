import type { Message, WireToolCall } from '../../conversation/message.js'
import { readToolCalls, toolResultMessage } from '../../conversation/tool-calls.js'
import { failureText } from '../cycle/tool-result.js'
import type { SessionMessage } from './session-record.js'

/** How what a turn has left open is closed. */
export interface SanitiseOptions {
  /** What the result of an open call says. */
  readonly code: 'interrupted' | 'cancelled'
  /** Results that were known and not yet in the history. */
  readonly results: readonly Message[]
  readonly newId: () => string
}

const REASONS: Readonly<Record<SanitiseOptions['code'], string>> = {
  interrupted: 'the run ended before the result was known; the call may have had its effect',
  cancelled: 'The turn was cancelled before the result was known; the call may have had its effect',
}

/**
 * The history after a turn that did not end by itself: every call has exactly one result, in the order of the calls;
 * results of no call and answers that say nothing are left out. Pure; messages that are fine stay the same objects.
 */
export function sanitise(
  messages: readonly SessionMessage[],
  options: SanitiseOptions,
): readonly SessionMessage[] {
  const known = new Map(options.results.map((result) => [result.tool_call_id ?? '', result]))
  const clean: SessionMessage[] = []
  let group: CallGroup | undefined
  for (const message of messages) {
    if (message.message.role === 'tool') {
      group?.take(message)
      continue
    }
    if (group !== undefined) clean.push(...group.close(known, options))
    group = undefined
    if (saysNothing(message.message)) continue
    clean.push(message)
    const calls = message.message.role === 'assistant' ? readToolCalls(message.message) : []
    if (calls.length > 0) group = new CallGroup(message.turn, calls)
  }
  if (group !== undefined) clean.push(...group.close(known, options))
  return clean
}

/** The calls of one message and the results found for them. */
class CallGroup {
  readonly #turn: number
  readonly #calls: readonly WireToolCall[]
  readonly #results = new Map<string, SessionMessage>()

  constructor(turn: number, calls: readonly WireToolCall[]) {
    this.#turn = turn
    this.#calls = calls
  }

  /** Keeps the first result of a call; others, and those of no call here, are dropped. */
  take(result: SessionMessage): void {
    const id = result.message.tool_call_id ?? ''
    if (this.#calls.some((call) => call.id === id) && !this.#results.has(id)) this.#results.set(id, result)
  }

  close(known: ReadonlyMap<string, Message>, { code, newId }: SanitiseOptions): readonly SessionMessage[] {
    return this.#calls.map(({ id }) => {
      const found = this.#results.get(id)
      if (found !== undefined) return found
      const result = known.get(id)
      if (result !== undefined) return { id: newId(), turn: this.#turn, kind: 'tool_result', message: result }
      const message = toolResultMessage(id, failureText(code, REASONS[code]))
      return { id: newId(), turn: this.#turn, kind: 'interrupted', message }
    })
  }
}

function saysNothing({ role, content, tool_calls: calls }: Message): boolean {
  if (role !== 'assistant' || (calls?.length ?? 0) > 0) return false
  return content === undefined || content === null || content.length === 0
}
