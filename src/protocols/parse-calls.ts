import type { ToolCall } from '../conversation/tool-calls.js'
import { choicesOf } from '../llm/chat/read-completion.js'
import { invalidInput } from '../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { isJsonList, listField } from '../util/json/json-fields.js'
import type { Part, ProtocolId } from './protocol.js'
import { splitName } from './resolve-tool.js'
import { type LoadedJson, safeJsonLoads } from './safe-json-loads.js'
import { toolProtocol } from './tool-protocol.js'
import type { ToolSignature, WireTool } from './typed-tools.js'

/** A call that could not be read, and why. */
export interface MalformedCall {
  readonly raw: string
  readonly reason: string
}

/** How a text is read for calls. */
export interface ParseOptions {
  readonly protocol?: ProtocolId
  readonly tools?: readonly (ToolSignature | WireTool)[]
}

/** What was found; names are as the model wrote them. */
export interface ParsedCalls {
  readonly calls: readonly ToolCall[]
  readonly malformed: readonly MalformedCall[]
}

/** A call whose arguments are not read yet. */
interface RawCall {
  readonly id?: string
  readonly name: string
  readonly server?: string
  readonly arguments: LoadedJson
}

/**
 * The calls in what a model answered: in its text, in the `tool_calls` of a chat completion, in the `output` items of a
 * response, or in either of these whole. Text in thoughts and code fences has none. Calls of text get ids of their own, `call_1` and on, which are
 * unique in one answer only. A name `server-tool` in fields is split at its last `-`.
 *
 * @param options The form of the text, alone or with the tools. Without: `mcp-xml`, and if that finds nothing, `hermes`.
 * @param tools Give values their types, where the form has none; as tools, or as a request has them.
 * @throws ServiceError `invalid_request` for an unknown protocol, and for options and tools that are invalid.
 */
export function parseToolCalls(
  input: string | readonly JsonObject[] | JsonObject,
  options?: ProtocolId | ParseOptions,
  tools?: readonly (ToolSignature | WireTool)[],
): ParsedCalls {
  const given = readOptions(options)
  const { protocol } = given
  if (typeof input !== 'string') return toParsed(itemsOf(input).flatMap(readItem), [])
  const candidates: readonly ProtocolId[] = protocol === undefined ? ['mcp-xml', 'hermes'] : [protocol]
  const found = candidates.map((id) => parseText(input, id, tools ?? given.tools ?? []))
  return (
    found.find(({ calls }) => calls.length > 0) ??
    found.find(({ malformed }) => malformed.length > 0) ?? { calls: [], malformed: [] }
  )
}

/** Calls, or what holds them: a message, a chat completion or a response, whole. */
function itemsOf(input: readonly JsonObject[] | JsonObject): readonly JsonObject[] {
  if (isJsonList(input)) return input.filter(isJsonObject)
  const messages = choicesOf(input)
    .map((choice) => own(choice, 'message'))
    .filter(isJsonObject)
  const calls = [input, ...messages].flatMap((message) => listField(message, 'tool_calls'))
  return [...calls, ...listField(input, 'output')].filter(isJsonObject)
}

function readOptions(options: ProtocolId | ParseOptions | undefined): ParseOptions {
  if (options === undefined) return {}
  if (typeof options === 'string') return { protocol: options }
  if (!isJsonObject(options)) throw invalidInput('options', 'The options must be a protocol or an object')
  const unknown = Object.keys(options).filter((name) => name !== 'protocol' && name !== 'tools')
  if (unknown.length > 0) {
    throw invalidInput('options', `Unknown option "${unknown[0]}". Supported: protocol, tools`)
  }
  return options
}

function parseText(
  text: string,
  protocol: ProtocolId,
  tools: readonly (ToolSignature | WireTool)[],
): ParsedCalls {
  const parser = toolProtocol(protocol).parser(tools)
  return readParts([...parser.push(text), ...parser.end()])
}

/** The calls among the parts of an answer, with their arguments read, and what of them cannot be. */
export function readParts(parts: readonly Part[]): ParsedCalls {
  const calls = parts
    .filter((part) => part.kind === 'call')
    .map(({ kind: _, ...call }): RawCall => ({ ...call, arguments: safeJsonLoads(call.arguments) }))
  const malformed = parts
    .filter((part) => part.kind === 'malformed')
    .map(({ raw, reason }) => ({ raw, reason }))
  return toParsed(calls, malformed)
}

function toParsed(raw: readonly RawCall[], malformed: readonly MalformedCall[]): ParsedCalls {
  const calls: ToolCall[] = []
  const failed: MalformedCall[] = [...malformed]
  for (const [index, call] of raw.entries()) {
    const { id: given, arguments: loaded, ...named } = call
    const id = given === undefined || calls.some((each) => each.id === given) ? `call_${index + 1}` : given
    if (!loaded.ok) failed.push({ raw: loaded.raw, reason: `${loaded.error} of ${call.name}` })
    else {
      const read = { id, ...named, arguments: loaded.value }
      calls.push(loaded.repaired ? { ...read, repaired: true } : read)
    }
  }
  return { calls, malformed: failed }
}

/** An entry of `tool_calls`, or an item of a response's `output` if it is a call. */
function readItem(item: JsonObject): RawCall[] {
  const called = own(item, 'function')
  const call = isJsonObject(called) ? called : own(item, 'type') === 'function_call' ? item : undefined
  const name = call && own(call, 'name')
  if (call === undefined || typeof name !== 'string' || name.trim() === '') return []
  const id = textOf(own(item, 'call_id')) ?? textOf(own(item, 'id'))
  const read = { ...splitName(name.trim()), arguments: loadArguments(own(call, 'arguments')) }
  return [id === undefined ? read : { id, ...read }]
}

/** Some providers send an object, or null where there is nothing. */
function loadArguments(value: JsonValue | undefined): LoadedJson {
  if (value === undefined || value === null) return safeJsonLoads('')
  if (typeof value === 'string') return safeJsonLoads(value)
  if (isJsonObject(value)) return { ok: true, value }
  return { ok: false, error: 'Failed to parse arguments', raw: JSON.stringify(value) }
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
