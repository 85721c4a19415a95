import { randomUUID } from 'node:crypto'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'
import type { Message, WireToolCall } from './message.js'

/** One call a model asks for, understood: arguments are an object. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** Which server has the tool, where the protocol says so. */
  readonly server?: string
  readonly arguments: JsonObject
  /** The arguments were not JSON as written, and could be repaired. */
  readonly repaired?: true
}

/**
 * The calls of an assistant message, complete: a missing id becomes the call's place, arguments that are an object
 * become text, as some providers need it. What names no function is left out.
 */
export function readToolCalls(message: JsonObject): readonly WireToolCall[] {
  const calls = own(message, 'tool_calls')
  return Array.isArray(calls) ? calls.flatMap(readCall) : []
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

/** The id of a call to which its model gave none: its place in the message. */
export function callIdAt(position: number): string {
  return `call_${position}`
}

function readCall(call: JsonValue, position: number): readonly WireToolCall[] {
  if (isWireToolCall(call)) return [call]
  const called = isJsonObject(call) ? own(call, 'function') : undefined
  const name = isJsonObject(called) ? own(called, 'name') : undefined
  if (!isJsonObject(call) || !isJsonObject(called) || typeof name !== 'string') return []
  const id = own(call, 'id')
  const args = own(called, 'arguments') ?? {}
  return [
    {
      ...call,
      id: typeof id === 'string' && id !== '' ? id : callIdAt(position),
      type: 'function',
      function: { ...called, name, arguments: typeof args === 'string' ? args : stringifyJson(args) },
    },
  ]
}

function isWireToolCall(value: JsonValue): value is WireToolCall {
  if (!isJsonObject(value) || typeof own(value, 'id') !== 'string' || own(value, 'id') === '') return false
  const called = own(value, 'function')
  return (
    own(value, 'type') === 'function' &&
    isJsonObject(called) &&
    typeof own(called, 'name') === 'string' &&
    typeof own(called, 'arguments') === 'string'
  )
}

/** An id for a call that came without one. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`
}
