import { JsonScan } from '../util/json/first-json.js'
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  own,
  parseObject,
  stringifyJson,
} from '../util/json/json.js'
import { repairJson } from '../util/json/repair-json.js'
import { MAX_JSON_DEPTH } from '../util/limits.js'
import type { CallName, JsonBody } from './grammar.js'
import type { Part } from './protocol.js'
import { closes, giveUp, type Reading } from './reading.js'
import type { ReadObject, ScanSteps } from './scanner.js'
import type { Tag } from './tag-set.js'

/** White space, and a code fence that a model put around the object. */
const PREAMBLE = /^\s*(?:```\w*\s*)?$/
const MAX_PREAMBLE = 300
/** What models leave behind the object: a fence, a brace too many. */
const RUBBISH = /[\s`}\]]{0,64}/y
/** The separator of the objects of a list. */
const BETWEEN = /[\s,;]{0,64}/y
/** White space before the end of a list. */
const BEFORE_END = /[\s,}]{0,64}/y
const NOTHING = /(?:)/y

/** Reads a call whose body is JSON: one object, or several. */
export function* readJsonCall(reading: Reading, open: Tag, body: JsonBody): ScanSteps<void> {
  const { scanner } = reading
  const head = yield* readHead(reading, open, body)
  if (head === undefined) return
  const preamble = (yield* scanner.upTo(/[{<[]/, MAX_PREAMBLE)) ?? ''
  const matched = (body.preamble ?? PREAMBLE).exec(preamble)
  const next = scanner.text[scanner.at]
  const isList = head.name === undefined && next === '['
  if (matched === null || (next !== '{' && !isList))
    return yield* endWithoutObject(reading, head, preamble, body)
  const name = matched.groups?.['name'] ?? head.name
  const raw = head.raw + preamble
  if (name === undefined) yield* readObjects(reading, raw, body)
  else yield* readNamedObject(reading, { ...head, name, raw }, body)
}

interface Head {
  readonly raw: string
  readonly name?: string
  readonly id?: string
}

/** Name and id in front of the object, where the form has them there; undefined if there is no call. */
function* readHead(reading: Reading, open: Tag, body: JsonBody): ScanSteps<Head | undefined> {
  const { separator, idSeparator, bareName } = body
  if (separator === undefined) return { raw: open.raw }
  if (bareName === true && (yield* beginsObjects(reading))) return { raw: open.raw }
  const { scanner, tags } = reading
  let raw = open.raw
  let name: string | undefined
  let text = ''
  for (;;) {
    const piece = (yield* scanner.upTo(/[{<[]/, MAX_PREAMBLE)) ?? ''
    raw += piece
    text += piece
    const tag = yield* scanner.nextTag(tags, NOTHING)
    const character = scanner.text[scanner.at]
    if (tag?.form === idSeparator && tag !== undefined && name === undefined) {
      name = text.trim()
      text = ''
    } else if (tag?.form === separator && tag !== undefined) {
      return yield* withName(reading, raw + tag.raw, name, text, body)
    } else if (tag === undefined && bareName === true && character === '{' && (name ?? text.trim()) !== '') {
      return yield* withName(reading, raw, name, text, body)
    } else if (tag === undefined && character === '<' && separator !== undefined && piece.length > 0) {
      text += '<'
      raw += scanner.take(scanner.at + 1)
    } else {
      if (tag !== undefined) scanner.unread(tag.raw)
      const reason = bareName === true ? 'The JSON object' : separator
      yield* giveUp(reading, raw, `${reason} with the arguments is missing`)
      return undefined
    }
    raw += tag?.raw ?? ''
  }
}

/** @param text The text before the object: the id if the name came first. */
function* withName(
  reading: Reading,
  raw: string,
  name: string | undefined,
  text: string,
  body: JsonBody,
): ScanSteps<Head | undefined> {
  const head = text.trim()
  if (name !== undefined) return { raw, name, ...(head !== '' && { id: head }) }
  if (body.readName === undefined) return { raw, name: head }
  const read: CallName | undefined = body.readName(head, (each) => reading.schemas.knows(each))
  if (read !== undefined) return { raw, ...read }
  yield* giveUp(reading, raw, `${JSON.stringify(head)} names no tool`)
  return undefined
}

/** Whether objects follow that have their names inside. */
function* beginsObjects({ scanner }: Reading): ScanSteps<boolean> {
  const next = yield* scanner.peek()
  if (next?.character !== '[') return next?.character === '{'
  for (;;) {
    const behind = /^\s{0,256}\[\s{0,64}(\S)/.exec(scanner.text.slice(scanner.at))?.[1]
    if (behind !== undefined) return behind === '{' || behind === ']'
    if (scanner.ended) return false
    yield
  }
}

/** The object behind a name. */
function* readNamedObject(
  reading: Reading,
  head: Head & { readonly name: string },
  body: JsonBody,
): ScanSteps<void> {
  const object = yield* reading.scanner.object(reading.tags)
  const raw = head.raw + object.text
  const tag = yield* readClose(reading)
  const problem = problemOf(reading, object, tag, body)
  if (problem !== undefined) reading.emit({ kind: 'malformed', raw, reason: problem })
  else if (head.name === '') {
    reading.emit({ kind: 'malformed', raw, reason: 'The name of the tool is missing' })
  } else {
    const { name, id } = head
    reading.emit({ kind: 'call', name, arguments: object.text, ...(id !== undefined && { id }) })
  }
}

/** Objects that have their names inside, in a list or one behind the other; one of them is the usual case. */
function* readObjects(reading: Reading, before: string, body: JsonBody): ScanSteps<void> {
  const { scanner, emit } = reading
  let raw = before
  const isList = scanner.text[scanner.at] === '['
  if (isList) raw += scanner.take(scanner.at + 1)
  let object: ReadObject | undefined
  for (;;) {
    const next = yield* scanner.peek(BETWEEN)
    if (next?.character !== '{' || object?.complete === false || reading.full()) break
    if (object !== undefined) {
      emit(toPart(object, raw + object.text, body))
      raw = ''
    }
    raw += scanner.take(next.at)
    object = yield* scanner.object(reading.tags)
  }
  const end = isList ? yield* scanner.peek(BEFORE_END) : undefined
  if (end?.character === ']') scanner.take(end.at + 1)
  const tag = yield* readClose(reading)
  if (object === undefined) {
    emit({ kind: 'malformed', raw: raw + (tag?.raw ?? ''), reason: 'The list has no call' })
    return
  }
  const written = raw + object.text
  const problem = problemOf(reading, object, tag, body)
  if (problem !== undefined) emit({ kind: 'malformed', raw: written, reason: problem })
  else emit(toPart(object, written + (tag?.raw ?? ''), body))
}

function* readClose(reading: Reading): ScanSteps<Tag | undefined> {
  const { scanner, tags } = reading
  const tag = yield* scanner.nextTag(tags, RUBBISH)
  if (tag === undefined || closes(reading, tag.form)) return tag
  scanner.unread(tag.raw)
  return undefined
}

function problemOf(
  { grammar }: Reading,
  { complete, tooDeep }: ReadObject,
  close: Tag | undefined,
  { mustClose }: JsonBody,
): string | undefined {
  const whole = complete ? close !== undefined || mustClose !== true : close !== undefined
  if (whole) return tooDeep ? 'The arguments are nested too deep' : undefined
  const missing = grammar.close === undefined ? '' : `, and ${grammar.close} is missing`
  return complete ? `${grammar.close} is missing` : `The JSON object was cut off${missing}`
}

/** If the name comes first, an empty body is a call without arguments. */
function* endWithoutObject(reading: Reading, head: Head, preamble: string, body: JsonBody): ScanSteps<void> {
  const { scanner, tags, emit } = reading
  const { name, id } = head
  if (name !== undefined && preamble.trim() === '') {
    const tag = yield* scanner.nextTag(tags)
    if (tag !== undefined && closes(reading, tag.form)) {
      return emit({ kind: 'call', name, arguments: '', ...(id !== undefined && { id }) })
    }
    if (tag !== undefined) scanner.unread(tag.raw)
  }
  scanner.unread(preamble)
  const wanted = body.separator === undefined ? 'A JSON object with "name" and "arguments"' : 'A JSON object'
  yield* giveUp(reading, head.raw, `${wanted} must follow the opening tag`)
}

function toPart(object: ReadObject, raw: string, body: JsonBody): Part {
  if (object.tooDeep) return { kind: 'malformed', raw, reason: 'The arguments are nested too deep' }
  const plain = readPlainCall(object.text)
  if (plain !== undefined) return plain
  const value = parseObject(object.text) ?? repairJson(object.text)
  if (value === undefined)
    return { kind: 'malformed', raw, reason: 'The text between the tags is not a JSON object' }
  return (
    toCall(value, body.keys) ?? {
      kind: 'malformed',
      raw,
      reason: 'The JSON object has no "name" with the name of a tool',
    }
  )
}

const NAME_KEYS = ['name', 'tool_name', 'tool', 'function'] as const
const ARGUMENT_KEYS = ['arguments', 'parameters', 'args', 'input'] as const
const ID_KEYS = ['id', 'tool_call_id', 'call_id'] as const
/** Beside the name; everything else in an object without arguments is one of them. */
const NO_ARGUMENTS: ReadonlySet<string> = new Set([
  ...NAME_KEYS,
  ...ARGUMENT_KEYS,
  ...ID_KEYS,
  'type',
  'index',
])

/**
 * The call that an object with a name and its arguments is, whatever the keys are called; arguments may also be beside
 * the name. Undefined without a name.
 */
export function toCall(value: JsonObject, keys: JsonBody['keys'] = {}): Part | undefined {
  const called = own(value, 'function')
  const call = isJsonObject(called) ? called : value
  const name = firstText(call, [keys.name, ...NAME_KEYS])
  if (name === undefined) return undefined
  const id = firstText(value, [keys.id, ...ID_KEYS])
  const args = argumentsIn(call, keys.arguments)
  return { kind: 'call', name, arguments: args, ...(id !== undefined && { id }) }
}

function firstText(value: JsonObject, keys: readonly (string | undefined)[]): string | undefined {
  for (const key of keys) {
    const text = key === undefined ? undefined : own(value, key)
    if (typeof text === 'string' && text.trim() !== '') return text.trim()
  }
  return undefined
}

function argumentsIn(call: JsonObject, usual: string | undefined): string {
  const given = [usual, ...ARGUMENT_KEYS].flatMap((key) => {
    const value = key === undefined ? undefined : own(call, key)
    return isEmpty(value) ? [] : [value]
  })
  const [first] = given
  if (first !== undefined) return typeof first === 'string' ? first : stringifyJson(first)
  const beside = Object.entries(call).filter(([key]) => !NO_ARGUMENTS.has(key))
  return beside.length === 0 ? emptyOf(call) : stringifyJson(Object.fromEntries(beside))
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'string'
    ? value.trim() === ''
    : isJsonObject(value) && Object.keys(value).length === 0
}

function emptyOf(call: JsonObject): string {
  return ARGUMENT_KEYS.some((key) => isJsonObject(own(call, key))) ? '{}' : ''
}

/** The form that nearly all calls have: the id, if there is one, and the name. */
const PLAIN_CALL =
  /\{\s*(?:"tool_call_id"\s*:\s*"([^"\\]*)"\s*,\s*)?"(?:tool_)?name"\s*:\s*"([^"\\]+)"\s*,\s*"(?:arguments|parameters)"\s*:\s*(?=\{)/y
const BLANK = /\s*/y
const NEWLINE = 0x0a
const BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/** A call with its arguments as they were written, not read; undefined if the object has any other form. */
export function readPlainCall(text: string): Part | undefined {
  const found = plainCallAt(text, 0, false)
  return found?.end === text.length ? found.part : undefined
}

/** @param isWhole Nothing in the object may look like a tag. */
function plainCallAt(text: string, from: number, isWhole: boolean): { part: Part; end: number } | undefined {
  PLAIN_CALL.lastIndex = from
  const start = PLAIN_CALL.exec(text)
  const name = start?.[2]?.trim()
  if (start === null || !name) return undefined
  const at = PLAIN_CALL.lastIndex
  const behind = endOfObject(text, at, isWhole)
  if (behind === undefined) return undefined
  const id = start[1]?.trim()
  const end = text.charCodeAt(behind) === CLOSING_BRACE ? behind : behindBlank(text, behind)
  if (text.charCodeAt(end) !== CLOSING_BRACE) return undefined
  const args = text.slice(at, behind)
  const part: Part = id
    ? { kind: 'call', name, arguments: args, id }
    : { kind: 'call', name, arguments: args }
  return { part, end: end + 1 }
}

/** Where the object ends that begins here; undefined where it does not, or is nested too deep to be the inside of another. */
function endOfObject(text: string, from: number, isWhole: boolean): number | undefined {
  const scan = new JsonScan()
  let at = scan.scan(text, from)
  while (!isWhole && !scan.done && at < text.length) at = scan.scan(text, at + 1)
  return scan.done && scan.deepest < MAX_JSON_DEPTH ? at : undefined
}

function behindBlank(text: string, at: number): number {
  BLANK.lastIndex = at
  BLANK.test(text)
  return BLANK.lastIndex
}

const PLAIN_HEAD = /[^<{[]{1,256}/y

/**
 * Reads a call of which nothing is unusual, if all of it is there: one object, with the name inside or in front, and the closing
 * tag. False where nothing was read.
 */
export function takePlainJson(reading: Reading, { separator, bareName, readName }: JsonBody): boolean {
  const { scanner, schemas } = reading
  const { close } = reading.grammar
  const { text, at } = scanner
  if (close === undefined || bareName === true) return false
  if (separator === undefined) {
    const found = plainCallAt(text, behindNewline(text, at), true)
    return found !== undefined && takesClose(reading, found.part, found.end, close)
  }
  PLAIN_HEAD.lastIndex = at
  if (!PLAIN_HEAD.test(text)) return false
  const head = text.slice(at, PLAIN_HEAD.lastIndex).trim()
  const from = PLAIN_HEAD.lastIndex + separator.length
  if (!text.startsWith(separator, PLAIN_HEAD.lastIndex) || text.charCodeAt(from) !== BRACE) return false
  const named = readName === undefined ? { name: head } : readName(head, (name) => schemas.knows(name))
  const end = endOfObject(text, from, true)
  if (named === undefined || named.name === '' || end === undefined) return false
  return takesClose(reading, { kind: 'call', ...named, arguments: text.slice(from, end) }, end, close)
}

function takesClose({ scanner, emit }: Reading, part: Part, end: number, close: string): boolean {
  const at = behindNewline(scanner.text, end)
  if (!scanner.text.startsWith(close, at)) return false
  scanner.at = at + close.length
  emit(part)
  return true
}

function behindNewline(text: string, at: number): number {
  return text.charCodeAt(at) === NEWLINE ? at + 1 : at
}
