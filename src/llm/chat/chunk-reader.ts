import { getOrCreate } from '../../util/get-or-create.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { readUsage } from '../usage.js'
import { choicesOf, logprobsIn, reasoningIn, textIn, toFinishReason } from './read-completion.js'
import type { StreamEvent } from './stream-event.js'
import { ToolCallPositions } from './tool-call-positions.js'

/** Reads the parsed chunks of one stream, in order. */
export class ChunkReader {
  readonly #positions = new Map<number, ToolCallPositions>()
  #isStarted = false

  /** What a chunk says; at least one event. */
  read(chunk: JsonObject): readonly StreamEvent[] {
    const events: StreamEvent[] = []
    this.#readStart(chunk, events)
    for (const choice of choicesOf(chunk)) this.#readChoice(choice, events)
    const usage = readUsage(own(chunk, 'usage'))
    if (usage !== undefined) events.push({ kind: 'usage', usage })
    if (events.length === 0) events.push({ kind: 'raw', chunk })
    return events
  }

  /** Azure's first chunk is about filters, its model empty. */
  #readStart(chunk: JsonObject, events: StreamEvent[]): void {
    const model = this.#isStarted ? undefined : textIn(chunk, 'model')
    if (model === undefined) return
    this.#isStarted = true
    events.push({ kind: 'start', model })
  }

  #readChoice(choice: JsonObject, events: StreamEvent[]): void {
    const given = own(choice, 'index')
    const index = typeof given === 'number' ? given : 0
    const delta = own(choice, 'delta')
    if (isJsonObject(delta)) this.#readDelta(delta, index, logprobsIn(choice), events)
    const reason = toFinishReason(own(choice, 'finish_reason'))
    if (reason !== undefined) events.push({ kind: 'finish', index, reason })
  }

  #readDelta(
    delta: JsonObject,
    index: number,
    logprobs: readonly JsonValue[] | undefined,
    events: StreamEvent[],
  ): void {
    const reasoning = reasoningIn(delta)
    if (reasoning !== undefined) events.push({ kind: 'reasoning', index, text: reasoning })
    const text = textIn(delta, 'content')
    if (text !== undefined)
      events.push(
        logprobs === undefined ? { kind: 'text', index, text } : { kind: 'text', index, text, logprobs },
      )
    const refusal = textIn(delta, 'refusal')
    if (refusal !== undefined) events.push({ kind: 'refusal', index, text: refusal })
    const calls = own(delta, 'tool_calls')
    if (!Array.isArray(calls)) return
    for (const call of calls.filter(isJsonObject)) events.push(this.#readCall(call, index))
  }

  #readCall(call: JsonObject, index: number): StreamEvent {
    const called = own(call, 'function')
    const definition = isJsonObject(called) ? called : {}
    const id = textIn(call, 'id')
    const name = textIn(definition, 'name')
    const { position, isNew } = getOrCreate(this.#positions, index, newPositions).take(
      own(call, 'index'),
      id,
      name,
    )
    const beginning = isNew ? { ...(id !== undefined && { id }), ...(name !== undefined && { name }) } : {}
    return {
      kind: 'tool_call',
      index,
      position,
      ...beginning,
      arguments: textIn(definition, 'arguments') ?? '',
    }
  }
}

function newPositions(): ToolCallPositions {
  return new ToolCallPositions()
}
