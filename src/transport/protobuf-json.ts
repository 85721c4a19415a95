import protobuf from 'protobufjs'
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json/json.js'
import { named } from '../util/named.js'
import { createSlicer } from '../util/slices/pause.js'
import { runSliced } from '../util/slices/sliced.js'
import { withoutTrailing } from '../util/text/without-trailing.js'
import { ConvertedMessage, MessageBoundError, readProtobufMessage } from './read-protobuf.js'
import { WireError } from './wire-error.js'

/**
 * JSON to protobuf and back, after protobuf's own JSON mapping, with two differences made for templates: fields keep
 * the names of the `.proto` (both spellings are understood on the way in), and 64-bit integers are numbers, exact to
 * the last digit, not strings. Fields that are not set have their default.
 */

type Message = Readonly<Record<string, unknown>>

/** Encodes an object. @throws WireError `invalid_arguments` naming the field that does not fit */
export function encodeMessage(type: protobuf.Type, value: JsonObject): Buffer {
  const message = toMessage(type, value, 'arguments')
  try {
    return Buffer.from(type.encode(type.fromObject(message)).finish())
  } catch (cause) {
    throw new WireError('invalid_arguments', `arguments do not fit ${type.fullName.slice(1)}`, { cause })
  }
}

/** Decodes a message. @throws WireError `bad_response` */
export function decodeMessage(type: protobuf.Type, bytes: Uint8Array): JsonValue {
  try {
    return fromMessage(type, messageOf(type.decode(bytes)))
  } catch (cause) {
    throw new WireError('bad_response', `the answer is not a ${type.fullName.slice(1)}`, { cause })
  }
}

/** Shorter messages are decoded in no time, whatever they hold. */
const SHORT_MESSAGE = 4_096

/** Decodes a message, a long one between other work, within the bounds of a tool's answer. Rejects with WireError. */
export async function decodeInPieces(type: protobuf.Type, bytes: Uint8Array): Promise<JsonValue> {
  if (bytes.length <= SHORT_MESSAGE) return decodeMessage(type, bytes)
  try {
    return await runSliced(readProtobufMessage(type, bytes, fromMessage), createSlicer())
  } catch (cause) {
    const problem = cause instanceof MessageBoundError ? cause.message : `is not a ${type.fullName.slice(1)}`
    throw new WireError('bad_response', `the answer ${problem}`, { cause })
  }
}

const WIDE_INTEGERS = new Set(['int64', 'uint64', 'sint64', 'fixed64', 'sfixed64'])
const WRAPPERS = /^\.google\.protobuf\.(Double|Float|U?Int64|U?Int32|Bool|String|Bytes)Value$/
const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/

/** What each scalar type accepts, in words and as a test. */
const INTEGER = /^-?\d+$/
const isInteger = (value: JsonValue) =>
  typeof value === 'bigint' || Number.isInteger(value) || (typeof value === 'string' && INTEGER.test(value))
const isNumber = (value: JsonValue) =>
  typeof value === 'number' || typeof value === 'bigint' || /^(NaN|-?Infinity)$/.test(String(value))
const SCALARS: Readonly<Record<string, readonly [test: (value: JsonValue) => boolean, words: string]>> = {
  double: [isNumber, 'a number'],
  float: [isNumber, 'a number'],
  bool: [(value) => typeof value === 'boolean', 'true or false'],
  string: [(value) => typeof value === 'string', 'a text'],
  bytes: [(value) => typeof value === 'string', 'base64 text'],
}

function toMessage(type: protobuf.Type, value: JsonValue, path: string): Message {
  const known = toWellKnown(type.fullName, value, path)
  if (known !== undefined) return known
  if (!isJsonObject(value)) throw misfit(path, 'must be an object')
  const entries = Object.entries(value)
    .filter(([, item]) => item !== null)
    .map(([name, item]) => {
      const field = findField(type, name)
      if (field === undefined) throw misfit(`${path}.${name}`, `is not a field of ${type.fullName.slice(1)}`)
      return [field.name, toField(field, item, `${path}.${name}`)] as const
    })
  return Object.fromEntries(entries)
}

function findField(type: protobuf.Type, name: string): protobuf.Field | undefined {
  if (Object.hasOwn(type.fields, name)) return type.fields[name]
  return type.fieldsArray.find((field) => protobuf.util.camelCase(field.name) === name)
}

function toField(field: protobuf.Field, value: JsonValue, path: string): unknown {
  field.resolve()
  if (field instanceof protobuf.MapField) {
    if (!isJsonObject(value)) throw misfit(path, 'must be an object')
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([key, item]) => [key, toSingle(field, item, `${path}.${key}`)]))
  }
  if (!field.repeated) return toSingle(field, value, path)
  if (!Array.isArray(value)) throw misfit(path, 'must be a list')
  return value.map((item: JsonValue, index) => toSingle(field, item, `${path}.${index}`))
}

function toSingle(field: protobuf.Field, value: JsonValue, path: string): unknown {
  const type = field.resolvedType
  if (type instanceof protobuf.Enum) return toEnum(type, value, path)
  if (type instanceof protobuf.Type) return toMessage(type, value, path)
  const [test, words] = SCALARS[field.type] ?? [isInteger, 'an integer']
  if (!test(value)) throw misfit(path, `must be ${words}`)
  if (field.type === 'bytes') return Buffer.from(String(value), 'base64')
  if (typeof value === 'bigint') return String(value)
  return isFloat(field.type) ? Number(value) : value
}

function toEnum(type: protobuf.Enum, value: JsonValue, path: string): number {
  if (typeof value === 'string' && Object.hasOwn(type.values, value)) return named(type.values, value)
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw misfit(path, `must be one of ${Object.keys(type.values).join(', ')}`)
}

function toWellKnown(name: string, value: JsonValue, path: string): Message | undefined {
  if (WRAPPERS.test(name)) return isJsonObject(value) ? undefined : { value: toWrapped(name, value) }
  switch (name) {
    case '.google.protobuf.Timestamp':
      return toTimestamp(value, path)
    case '.google.protobuf.Duration':
      return toDuration(value, path)
    case '.google.protobuf.Struct':
      if (!isJsonObject(value)) throw misfit(path, 'must be an object')
      return toStruct(value)
    case '.google.protobuf.Value':
      return toValue(value)
    case '.google.protobuf.ListValue':
      if (!Array.isArray(value)) throw misfit(path, 'must be a list')
      return { values: value.map(toValue) }
    default:
      return undefined
  }
}

function toWrapped(name: string, value: JsonValue): unknown {
  if (name.endsWith('BytesValue')) return Buffer.from(String(value), 'base64')
  return typeof value === 'bigint' ? String(value) : value
}

function toTimestamp(value: JsonValue, path: string): Message {
  const match = /^(.+T[\d:]+)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i.exec(String(value))
  const milliseconds = match === null ? Number.NaN : Date.parse(`${match[1]}${match[3]}`)
  if (Number.isNaN(milliseconds)) throw misfit(path, 'must be a time such as 2026-01-31T12:00:00Z')
  return { seconds: milliseconds / 1000, nanos: Number((match?.[2] ?? '').padEnd(9, '0')) }
}

function toDuration(value: JsonValue, path: string): Message {
  const match = DURATION.exec(String(value))
  if (match === null) throw misfit(path, 'must be a duration such as 1.5s')
  const sign = match[1] === '-' ? -1 : 1
  return { seconds: sign * Number(match[2]), nanos: sign * Number((match[3] ?? '').padEnd(9, '0')) }
}

function toStruct(value: JsonObject): Message {
  return { fields: Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toValue(item)])) }
}

function toValue(value: JsonValue): Message {
  if (value === null) return { nullValue: 0 }
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number' || typeof value === 'bigint') return { numberValue: Number(value) }
  if (isJsonObject(value)) return { structValue: toStruct(value) }
  return { listValue: { values: value.map(toValue) } }
}

function fromMessage(type: protobuf.Type, message: Message): JsonValue {
  const known = fromWellKnown(type.fullName, message)
  if (known !== undefined) return known
  const entries: (readonly [string, JsonValue])[] = []
  for (const field of type.fieldsArray) {
    field.resolve()
    const present = Object.hasOwn(message, field.name)
    // Of a oneof only the chosen field exists; a proto3 optional is a oneof of one.
    if (!present && field.partOf !== null) continue
    entries.push([field.name, present ? fromField(field, message[field.name]) : defaultOf(field)])
  }
  return Object.fromEntries(entries)
}

function fromField(field: protobuf.Field, value: unknown): JsonValue {
  if (field instanceof protobuf.MapField) {
    const entries = Object.entries(messageOf(value))
    return Object.fromEntries(entries.map(([key, item]) => [fromKey(field, key), fromSingle(field, item)]))
  }
  if (!field.repeated) return fromSingle(field, value)
  return listOf(value).map((item) => fromSingle(field, item))
}

function defaultOf(field: protobuf.Field): JsonValue {
  if (field instanceof protobuf.MapField) return {}
  if (field.repeated) return []
  if (field.resolvedType instanceof protobuf.Type) return null
  return fromSingle(field, field.typeDefault)
}

function fromSingle(field: protobuf.Field, value: unknown): JsonValue {
  const type = field.resolvedType
  if (type instanceof protobuf.Enum) return type.valuesById[Number(value)] ?? Number(value)
  if (type instanceof protobuf.Type) return jsonOf(value, (message) => fromMessage(type, message))
  return fromScalar(field.type, value)
}

function fromScalar(type: string, value: unknown): JsonValue {
  if (WIDE_INTEGERS.has(type)) return toExactInteger(String(value))
  // The default of bytes is an empty list.
  if (type === 'bytes') return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : ''
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'string' || typeof value === 'boolean') return value
  throw new TypeError(`a ${type} was decoded as ${typeof value}`)
}

/** Maps with 64-bit keys come with the keys' bits. */
function fromKey(field: protobuf.MapField, key: string): string {
  if (!WIDE_INTEGERS.has(field.keyType)) return key
  return String(protobuf.util.longFromHash(key, field.keyType.startsWith('u')))
}

function fromWellKnown(name: string, message: Message): JsonValue | undefined {
  if (WRAPPERS.test(name)) return fromWrapped(name, message['value'])
  switch (name) {
    case '.google.protobuf.Timestamp':
      return fromTimestamp(message)
    case '.google.protobuf.Duration':
      return fromDuration(message)
    case '.google.protobuf.Struct':
      return fromStruct(message)
    case '.google.protobuf.Value':
      return fromValue(message)
    case '.google.protobuf.ListValue':
      return fromList(message)
    default:
      return undefined
  }
}

function fromWrapped(name: string, value: unknown): JsonValue {
  const scalar = name.replace(WRAPPERS, '$1').toLowerCase()
  const defaults: Readonly<Record<string, unknown>> = { string: '', bytes: new Uint8Array(), bool: false }
  return fromScalar(scalar, value ?? defaults[scalar] ?? 0)
}

function fromTimestamp(message: Message): JsonValue {
  const instant = new Date(Number(message['seconds'] ?? 0) * 1000)
  if (Number.isNaN(instant.getTime())) throw new Error('a timestamp is out of range')
  return `${instant.toISOString().slice(0, 19)}${fraction(Number(message['nanos'] ?? 0))}Z`
}

function fromDuration(message: Message): JsonValue {
  const [seconds, nanos] = [Number(message['seconds'] ?? 0), Number(message['nanos'] ?? 0)]
  const sign = seconds < 0 || nanos < 0 ? '-' : ''
  return `${sign}${Math.abs(seconds)}${fraction(Math.abs(nanos))}s`
}

function fraction(nanos: number): string {
  return nanos === 0 ? '' : `.${withoutTrailing(String(nanos).padStart(9, '0'), '0')}`
}

function fromStruct(message: Message): JsonValue {
  const fields = Object.entries(messageOf(message['fields'] ?? {}))
  return Object.fromEntries(fields.map(([name, value]) => [name, jsonOf(value, fromValue)]))
}

function fromList(message: Message): JsonValue {
  return listOf(message['values'] ?? []).map((value) => jsonOf(value, fromValue))
}

/** The fields of Value are spelled in either way, by where its descriptor came from. */
function fromValue(message: Message): JsonValue {
  const [entry] = Object.entries(message)
  if (entry === undefined) return null
  const [name, value] = [protobuf.util.camelCase(entry[0]), entry[1]]
  if (name === 'structValue') return jsonOf(value, fromStruct)
  if (name === 'listValue') return jsonOf(value, fromList)
  if (name === 'nullValue') return null
  return fromScalar(name, value)
}

/** A message inside of another one as JSON, unless it is that already. */
function jsonOf(value: unknown, convert: (message: Message) => JsonValue): JsonValue {
  return value instanceof ConvertedMessage ? value.json : convert(messageOf(value))
}

/** What the library decoded to an object. */
function messageOf(value: unknown): Message {
  if (isMessage(value)) return value
  throw new TypeError('a value is not a message')
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isFloat(type: string): boolean {
  return type === 'double' || type === 'float'
}

function toExactInteger(digits: string): number | bigint {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}

function misfit(path: string, problem: string): WireError {
  return new WireError('invalid_arguments', `${path} ${problem}`)
}
