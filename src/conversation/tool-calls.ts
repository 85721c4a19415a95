import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json.js'
import type { Message, WireToolCall } from './message.js'

/** One call a model asks for, understood: arguments are an object. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** Which server has the tool, where the protocol says so. */
  readonly server?: string
  readonly arguments: JsonObject
  /** The arguments were not JSON as written, and could be mended. */
  readonly repaired?: true
}

/** The calls of an assistant message as they were written; entries that are no call are left out. */
export function readToolCalls(message: JsonObject): readonly WireToolCall[] {
  const calls = own(message, 'tool_calls')
  return Array.isArray(calls) ? calls.filter(isWireToolCall) : []
}

/** A call as an assistant message holds it. */
export function toWireToolCall({
  id,
  name,
  arguments: args,
}: Pick<ToolCall, 'id' | 'name' | 'arguments'>): WireToolCall {
  return { id, type: 'function', function: { name, arguments: stringifyJson(args) } }
}

/** The message that answers a call. */
export function toolResultMessage(callId: string, content: string): Message {
  return { role: 'tool', tool_call_id: callId, content }
}

function isWireToolCall(value: JsonValue): value is WireToolCall {
  if (!isJsonObject(value) || typeof own(value, 'id') !== 'string') return false
  const called = own(value, 'function')
  return (
    isJsonObject(called) &&
    typeof own(called, 'name') === 'string' &&
    typeof own(called, 'arguments') === 'string'
  )
}
