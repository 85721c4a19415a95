import { firstJson } from '../util/first-json.js'
import { isJsonObject, type JsonObject, own, parseObject, stringifyJson } from '../util/json.js'
import { repairJson } from '../util/repair-json.js'
import type { JsonBody } from './grammar.js'
import type { Part } from './protocol.js'
import { giveUp, type Reading } from './reading.js'
import type { ReadObject, Steps } from './scanner.js'
import type { Tag } from './tag-set.js'

/** White space, and a code fence that a model put around the object. */
const PREAMBLE = /^\s*(?:```\w*\s*)?$/
const MAX_PREAMBLE = 300
/** What models leave behind the object: a fence, a brace too many. */
const RUBBISH = /[\s`}\]]{0,64}/y

/** Reads a call whose body is one JSON object. */
export function* readJsonCall(reading: Reading, open: Tag, body: JsonBody): Steps<void> {
  const { scanner, tags, grammar, emit } = reading
  const head = yield* readHead(reading, open, body)
  if (head === undefined) return
  const preamble = yield* scanner.upTo(/[{<]/, MAX_PREAMBLE)
  const matched = (body.preamble ?? PREAMBLE).exec(preamble ?? '-')
  if (matched === null || scanner.text[scanner.at] !== '{') {
    return yield* endWithoutObject(reading, head, preamble ?? '', body)
  }
  const object = yield* scanner.object(tags)
  const raw = head.raw + preamble + object.text
  const tag = yield* scanner.nextTag(tags, RUBBISH)
  const closed = tag?.form === grammar.close
  if (tag !== undefined && !closed) scanner.unread(tag.raw)
  const whole = object.complete ? closed || body.mustClose !== true : closed
  if (!whole) emit({ kind: 'malformed', raw, reason: cutReason(object, grammar.close) })
  else emit(toPart(object, matched.groups?.['name'] ?? head.name, raw + (closed ? tag?.raw : '')))
}

interface Head {
  readonly raw: string
  readonly name: string | undefined
}

/** The name in front of the separator, where the form has one; undefined if there is no call. */
function* readHead(reading: Reading, open: Tag, body: JsonBody): Steps<Head | undefined> {
  if (body.separator === undefined) return { raw: open.raw, name: undefined }
  const { text, tag } = yield* reading.scanner.untilTag(reading.tags)
  const raw = open.raw + text
  if (tag?.form === body.separator)
    return { raw: raw + tag?.raw, name: body.readName?.(text.trim()) ?? text.trim() }
  const closed = tag?.form === reading.grammar.close
  if (tag !== undefined && !closed) reading.scanner.unread(tag.raw)
  reading.emit({
    kind: 'malformed',
    raw: closed ? raw + tag?.raw : raw,
    reason: `${body.separator} with the arguments is missing`,
  })
  return undefined
}

/** Where the name stands in front, nothing at all is a call without arguments. */
function* endWithoutObject(reading: Reading, head: Head, preamble: string, body: JsonBody): Steps<void> {
  const { scanner, tags, grammar, emit } = reading
  if (head.name !== undefined && preamble.trim() === '') {
    const tag = yield* scanner.nextTag(tags)
    if (tag?.form === grammar.close) return emit({ kind: 'call', name: head.name, arguments: '' })
    if (tag !== undefined) scanner.unread(tag.raw)
  }
  scanner.unread(preamble)
  const wanted = body.separator === undefined ? 'A JSON object with "name" and "arguments"' : 'A JSON object'
  yield* giveUp(reading, head.raw, `${wanted} must follow the opening tag`)
}

function toPart(object: ReadObject, name: string | undefined, raw: string): Part {
  if (object.tooDeep) return { kind: 'malformed', raw, reason: 'The arguments are nested too deep' }
  if (name !== undefined) return toNamedCall(name, object.text, raw)
  const plain = readPlainCall(object.text)
  if (plain !== undefined) return plain
  const value = parseObject(object.text) ?? repairJson(object.text)
  if (value === undefined)
    return { kind: 'malformed', raw, reason: 'The text between the tags is no JSON object' }
  return (
    toCall(value) ?? {
      kind: 'malformed',
      raw,
      reason: 'The JSON object has no "name" with the name of a tool',
    }
  )
}

function toNamedCall(name: string, args: string, raw: string): Part {
  if (name === '') return { kind: 'malformed', raw, reason: 'The name of the tool is missing' }
  return { kind: 'call', name, arguments: args }
}

/** The call that an object with `name` and `arguments` (or `parameters`) is; undefined without a name. */
export function toCall(value: JsonObject): Part | undefined {
  const called = own(value, 'function')
  const call = isJsonObject(called) ? called : value
  const name = own(call, 'name') ?? called
  if (typeof name !== 'string' || name.trim() === '') return undefined
  const args = own(call, 'arguments') ?? own(call, 'parameters')
  return { kind: 'call', name: name.trim(), arguments: toText(args) }
}

/** The form that nearly all calls have. */
const PLAIN_CALL = /^\{\s*"name"\s*:\s*"([^"\\]+)"\s*,\s*"(?:arguments|parameters)"\s*:\s*(?=\{)/

/** A call with its arguments as they were written, not read; undefined if the object has any other form. */
export function readPlainCall(text: string): Part | undefined {
  const start = PLAIN_CALL.exec(text)
  const name = start?.[1]?.trim()
  if (start === null || !name) return undefined
  const args = firstJson(text.slice(start[0].length))
  if (args?.complete !== true) return undefined
  const rest = text.slice(start[0].length + args.text.length)
  return rest.trim() === '}' ? { kind: 'call', name, arguments: args.text } : undefined
}

/** Arguments that a model already turned into text stay as they are. */
function toText(args: unknown): string {
  if (args === undefined || args === null) return ''
  return typeof args === 'string' ? args : stringifyJson(args)
}

function cutReason({ complete }: ReadObject, close: string): string {
  return complete ? `${close} is missing` : `The JSON object was cut off, and ${close} is missing`
}
