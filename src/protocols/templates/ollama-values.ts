import { type Message, messageText } from '../../conversation/message.js'
import { readToolCalls } from '../../conversation/tool-calls.js'
import { printsAs } from '../../template/host.js'
import { isJsonObject, type JsonObject, type JsonValue, own, parseObject } from '../../util/json/json.js'
import { listField, objectField, textField, textsOf } from '../../util/json/json-fields.js'
import { GoJson, goJson, goStruct } from './go-json.js'

type Fields = readonly (readonly [name: string, value: JsonValue | GoJson])[]

/** The JSON of values whose fields templates read by other names. */
const WIRE = Symbol('wire')

/** A value with fields of Go's names that prints, and is written by `json`, as the JSON of its wire form. */
function printedAsJson<Value extends object>(value: Value, wire: () => string): Value {
  return printsAs(Object.defineProperty(value, WIRE, { value: wire }), wire)
}

/** Ollama's `json` function. */
export function ollamaJson(value: JsonValue | undefined): string {
  return value === undefined ? 'null' : wireJson(value).text
}

function wireJson(value: JsonValue): GoJson {
  if (typeof value !== 'object' || value === null) return new GoJson(goJson(value))
  const wire: unknown = WIRE in value ? value[WIRE] : undefined
  if (typeof wire === 'function') return new GoJson(String(wire()))
  if (Array.isArray(value)) return new GoJson(`[${value.map((each) => wireJson(each).text).join(',')}]`)
  if (!isJsonObject(value)) return new GoJson(goJson(value))
  return new GoJson(goStruct(Object.entries(value).map(([name, each]) => [name, wireJson(each)])))
}

/** One message as Ollama's templates read it. */
export interface OllamaMessage {
  readonly Role: string
  readonly Content: string
  readonly Thinking: string
  readonly Images: readonly string[]
  readonly ToolCalls: readonly object[]
  readonly ToolName: string
  readonly ToolCallID: string
}

/** Messages as Ollama's chat completions read them. */
export function toOllamaMessages(messages: readonly Message[]): OllamaMessage[] {
  const names = new Map<string, string>()
  return messages.map((message) => {
    const calls = readToolCalls(message)
    for (const call of calls) names.set(call.id, call.function.name)
    const { role, tool_call_id: id = '', content } = message
    return {
      Role: role,
      Content: Array.isArray(content) ? textParts(content).join('\n\n') : messageText(message),
      Thinking: textField(message, 'reasoning') ?? textField(message, 'reasoning_content') ?? '',
      Images: [],
      ToolCalls: calls.map(({ id: ID, function: called }, index) => ({
        ID,
        Function: {
          Index: index,
          Name: called.name,
          Arguments: toArguments(parseObject(called.arguments) ?? {}),
        },
      })),
      ToolName: role === 'tool' ? (names.get(id) ?? textField(message, 'name') ?? '') : '',
      ToolCallID: role === 'tool' ? id : '',
    }
  })
}

function textParts(parts: readonly JsonObject[]): readonly string[] {
  return parts.flatMap((part) => textField(part, 'text') ?? [])
}

function toArguments(args: JsonObject): object {
  return printedAsJson({ ...args }, () => goJson(args))
}

/**
 * System messages joined, and messages with neighbours of the same role joined to one, but for results of tools: what
 * Ollama makes of a conversation first.
 */
export function collate(messages: readonly OllamaMessage[]): {
  readonly system: string
  readonly messages: readonly OllamaMessage[]
} {
  const joined: OllamaMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.Role !== message.Role || message.Role === 'tool') joined.push(message)
    else joined[joined.length - 1] = { ...last, Content: `${last.Content}\n\n${message.Content}` }
  }
  const system = messages.filter(({ Role }) => Role === 'system').map(({ Content }) => Content)
  return { system: system.join('\n\n'), messages: joined }
}

/** Tools as Ollama's templates read them: what it does not know of a schema is left out. */
export function toOllamaTools(tools: readonly JsonObject[]): object {
  const views = tools.map(toTool)
  const wire = () => (views.length === 0 ? 'null' : `[${views.map((view) => ollamaJson(view)).join(',')}]`)
  return printedAsJson(views, wire)
}

function toTool(tool: JsonObject): JsonObject {
  const described = objectField(tool, 'function')
  const schema = objectField(described, 'parameters')
  const name = textField(described, 'name') ?? ''
  const description = textField(described, 'description') ?? ''
  const parameters = toParameters(schema)
  const functionWire = () =>
    goStruct([
      ['name', name],
      ['description', description],
      ['parameters', new GoJson(ollamaJson(parameters))],
    ])
  const view = printedAsJson({ Name: name, Description: description, Parameters: parameters }, functionWire)
  const type = textField(tool, 'type') ?? 'function'
  return printedAsJson({ Type: type, Items: own(tool, 'items') ?? null, Function: view }, () =>
    goStruct([
      ['type', type],
      ...given('items', own(tool, 'items')),
      ['function', new GoJson(functionWire())],
    ]),
  )
}

function toParameters(schema: JsonObject): JsonObject {
  const type = textField(schema, 'type') ?? ''
  const required = textsOf(listField(schema, 'required'))
  const properties = toProperties(objectField(schema, 'properties'))
  const fields: Fields = [
    ['type', type],
    ...given('$defs', own(schema, '$defs')),
    ...given('items', own(schema, 'items')),
    ...given('required', [...required]),
    ['properties', new GoJson(ollamaJson(properties))],
  ]
  const view = {
    Type: type,
    Defs: own(schema, '$defs') ?? null,
    Items: own(schema, 'items') ?? null,
    Required: [...required],
    Properties: properties,
  }
  return printedAsJson(view, () => goStruct(fields))
}

function toProperties(schemas: JsonObject): JsonObject {
  const views = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, toProperty(schema)]),
  )
  const names = Object.keys(views).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return printedAsJson(views, () =>
    goStruct(names.map((name) => [name, new GoJson(ollamaJson(views[name]))])),
  )
}

function toProperty(given_: JsonValue): JsonObject {
  const schema = isJsonObject(given_) ? given_ : {}
  const types = typesOf(schema)
  const anyOf = listField(schema, 'anyOf').map(toProperty)
  const properties = isJsonObject(own(schema, 'properties')) ? objectField(schema, 'properties') : undefined
  const fields: Fields = [
    ...(anyOf.length === 0 ? [] : [['anyOf', new GoJson(ollamaJson(anyOf))] as const]),
    ...given('type', types.length === 1 ? (types[0] ?? '') : [...types]),
    ...given('items', own(schema, 'items')),
    ...given('description', textField(schema, 'description')),
    ...given('enum', [...listField(schema, 'enum')]),
    ...(properties === undefined ? [] : [['properties', inOrder(properties)] as const]),
    ...given('required', [...textsOf(listField(schema, 'required'))]),
  ]
  const view = {
    AnyOf: anyOf,
    Type: printsAs([...types], () => (types.length > 1 ? `[${types.join(' ')}]` : (types[0] ?? ''))),
    Items: own(schema, 'items') ?? null,
    Description: textField(schema, 'description') ?? '',
    Enum: [...listField(schema, 'enum')],
    Properties: properties === undefined ? null : toProperties(properties),
    Required: [...textsOf(listField(schema, 'required'))],
  }
  return printedAsJson(view, () => goStruct(fields))
}

/** Properties of properties keep their order. */
function inOrder(schemas: JsonObject): GoJson {
  const members = Object.entries(schemas).map(
    ([name, schema]) => [name, new GoJson(ollamaJson(toProperty(schema)))] as const,
  )
  return new GoJson(goStruct(members))
}

function typesOf(schema: JsonObject): readonly string[] {
  const type = own(schema, 'type')
  return typeof type === 'string' ? [type] : textsOf(listField(schema, 'type'))
}

/** A field that is left out where it says nothing. */
function given(name: string, value: JsonValue | undefined): Fields {
  const isEmpty =
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  return isEmpty ? [] : [[name, value]]
}

const TYPESCRIPT: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  array: 'any[]',
  object: 'Record<string, any>',
  null: 'null',
}

/** Ollama's `toTypeScriptType` function, for a property. */
export function typeScriptType(property: JsonValue | undefined): string {
  if (!isJsonObject(property)) return 'any'
  const variants = listField(property, 'AnyOf')
  if (variants.length > 0) return variants.map(typeScriptType).join(' | ')
  const types = textsOf(listField(property, 'Type')).map((type) =>
    Object.hasOwn(TYPESCRIPT, type) ? (TYPESCRIPT[type] ?? 'any') : 'any',
  )
  return types.length === 0 ? 'any' : types.join(' | ')
}
