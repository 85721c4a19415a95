import protobuf from 'protobufjs'
import { define } from '../util/define.js'
import type { JsonValue } from '../util/json/json.js'
import { TOOL_ANSWER_BOUNDS } from '../util/limits.js'
import type { Sliced } from '../util/slices/sliced.js'

/** A message inside of another one that is JSON already: each is converted as soon as it was read. */
export class ConvertedMessage {
  readonly json: JsonValue

  constructor(json: JsonValue) {
    this.json = json
  }
}

/** What was read of a message: its fields by name, as the library decodes them. */
export type ReadMessage = Readonly<Record<string, unknown>>

/** A message holds more, or is nested deeper, than an answer may. */
export class MessageBoundError extends Error {
  override readonly name = 'MessageBoundError'
}

type Convert = (type: protobuf.Type, message: ReadMessage) => JsonValue

/** How many fields are read between two looks at the clock. */
const FIELDS_PER_STEP = 64
/** How the fields of a message are written: the last three bits of a tag. */
const GROUP_END = 4
const DELIMITED = 2

/**
 * Reads a message as the library's own decoder does, but in steps between which others have their turn, and within the
 * bounds of a tool's answer.
 *
 * @throws MessageBoundError; RangeError and others of the library for what is not such a message
 */
export function* readProtobufMessage(
  type: protobuf.Type,
  bytes: Uint8Array,
  convert: Convert,
): Sliced<JsonValue> {
  const reader = protobuf.Reader.create(bytes)
  return convert(type, yield* new MessageReader(reader, convert).message(type, 0))
}

class MessageReader {
  readonly #reader: protobuf.Reader
  readonly #convert: Convert
  #values = 0

  constructor(reader: protobuf.Reader, convert: Convert) {
    this.#reader = reader
    this.#convert = convert
  }

  /** @param groupEnd the tag that ends it, of a group */
  *message(type: protobuf.Type, depth: number, groupEnd?: number): Sliced<ReadMessage> {
    if (depth > TOOL_ANSWER_BOUNDS.maxDepth)
      throw new MessageBoundError(`is nested deeper than ${TOOL_ANSWER_BOUNDS.maxDepth} levels`)
    const reader = this.#reader
    const message: Record<string, unknown> = {}
    while (reader.pos < reader.len) {
      if (this.#isStepOver()) yield
      const tag = reader.uint32()
      if (tag === groupEnd) break
      const field = type.fieldsById[tag >>> 3]?.resolve()
      if (field === undefined) reader.skipType(tag & 7)
      else if (field instanceof protobuf.MapField) yield* this.#entry(field, message, depth)
      else if (field.repeated) yield* this.#repeated(field, message, tag, depth)
      else message[field.name] = yield* this.#single(field, tag, depth)
    }
    for (const { name, required } of type.fieldsArray)
      if (required && !Object.hasOwn(message, name)) throw new TypeError(`${name} is missing`)
    return message
  }

  /** Reads what is as long as the next number says. */
  *#delimited<Result>(read: () => Sliced<Result>): Sliced<Result> {
    const reader = this.#reader
    const end = reader.uint32() + reader.pos
    const { len } = reader
    if (end > len) throw new RangeError('it is longer than what it is in')
    reader.len = end
    const result = yield* read()
    if (reader.pos !== end) throw new RangeError('it is longer than it says')
    reader.len = len
    return result
  }

  *#single(field: protobuf.FieldBase, tag: number, depth: number): Sliced<unknown> {
    const { resolvedType } = field
    if (!(resolvedType instanceof protobuf.Type)) return this.#scalar(field)
    const isGroup = field instanceof protobuf.Field && field.delimited
    const read = isGroup
      ? yield* this.message(resolvedType, depth + 1, (tag & ~7) | GROUP_END)
      : yield* this.#delimited(() => this.message(resolvedType, depth + 1))
    return new ConvertedMessage(this.#convert(resolvedType, read))
  }

  *#repeated(
    field: protobuf.Field,
    message: Record<string, unknown>,
    tag: number,
    depth: number,
  ): Sliced<void> {
    const known = message[field.name]
    const list: unknown[] = Array.isArray(known) ? known : []
    message[field.name] = list
    const isPacked = (tag & 7) === DELIMITED && isPackable(field)
    if (isPacked) yield* this.#delimited(() => this.#packed(field, list))
    else list.push(yield* this.#single(field, tag, depth))
  }

  *#packed(field: protobuf.Field, list: unknown[]): Sliced<void> {
    while (this.#reader.pos < this.#reader.len) {
      if (this.#isStepOver()) yield
      list.push(this.#scalar(field))
    }
  }

  *#entry(field: protobuf.MapField, message: Record<string, unknown>, depth: number): Sliced<void> {
    const known = message[field.name]
    const map = isRecord(known) ? known : {}
    message[field.name] = map
    const { key, value } = yield* this.#delimited(() => this.#keyAndValue(field, depth))
    define(map, key, value)
  }

  *#keyAndValue(
    field: protobuf.MapField,
    depth: number,
  ): Sliced<{ readonly key: string; readonly value: unknown }> {
    const reader = this.#reader
    let key = field.keyType === 'string' ? '' : field.keyType === 'bool' ? 'false' : '0'
    let value: unknown = field.resolvedType instanceof protobuf.Type ? null : field.typeDefault
    while (reader.pos < reader.len) {
      const tag = reader.uint32()
      if (tag >>> 3 === 1) key = this.#key(field.keyType)
      else if (tag >>> 3 === 2) value = yield* this.#single(field, tag, depth)
      else reader.skipType(tag & 7)
    }
    return { key, value }
  }

  /** The key of a map's entry; of 64 bits as the library has them. */
  #key(type: string): string {
    const reader = this.#reader
    const { longToHash } = protobuf.util
    switch (type) {
      case 'int64':
        return longToHash(reader.int64())
      case 'uint64':
        return longToHash(reader.uint64())
      case 'sint64':
        return longToHash(reader.sint64())
      case 'fixed64':
        return longToHash(reader.fixed64())
      case 'sfixed64':
        return longToHash(reader.sfixed64())
      default:
        return String(this.#scalarOf(type))
    }
  }

  #scalar(field: protobuf.FieldBase): unknown {
    return this.#scalarOf(field.resolvedType instanceof protobuf.Enum ? 'int32' : field.type)
  }

  #scalarOf(type: string): unknown {
    const reader = this.#reader
    switch (type) {
      case 'double':
        return reader.double()
      case 'float':
        return reader.float()
      case 'int32':
        return reader.int32()
      case 'uint32':
        return reader.uint32()
      case 'sint32':
        return reader.sint32()
      case 'fixed32':
        return reader.fixed32()
      case 'sfixed32':
        return reader.sfixed32()
      case 'int64':
        return reader.int64()
      case 'uint64':
        return reader.uint64()
      case 'sint64':
        return reader.sint64()
      case 'fixed64':
        return reader.fixed64()
      case 'sfixed64':
        return reader.sfixed64()
      case 'bool':
        return reader.bool()
      case 'string':
        return reader.string()
      case 'bytes':
        return reader.bytes()
      default:
        throw new TypeError(`there is no type ${type}`)
    }
  }

  /** Counts one value more. */
  #isStepOver(): boolean {
    this.#values += 1
    if (this.#values > TOOL_ANSWER_BOUNDS.maxValues)
      throw new MessageBoundError(`has more than ${TOOL_ANSWER_BOUNDS.maxValues} values`)
    return this.#values % FIELDS_PER_STEP === 0
  }
}

/** Texts, bytes and messages come one by one. */
function isPackable({ type, resolvedType }: protobuf.Field): boolean {
  return !(resolvedType instanceof protobuf.Type) && type !== 'string' && type !== 'bytes'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
