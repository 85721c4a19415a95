import { isJsonObject, own, parseObject } from '../util/json/json.js'
import { repairJson } from '../util/json/repair-json.js'
import type { Part } from './protocol.js'
import { readPlainCall, toCall } from './read-json-call.js'
import { beginsPythonCalls, readCallList } from './read-python-body.js'
import type { Reading } from './reading.js'
import type { ScanSteps } from './scanner.js'
import type { Tag } from './tag-set.js'

const SEPARATOR = /[\s;,]{0,64}/y
/** What a bare object that was cut must have had, to be taken for a call. */
const CUT_CALL = /^\{\s*"(?:type|name|function)"\s*:[^{]*"(?:parameters|arguments)"\s*:/

/** Reads the calls behind a tag: objects separated by `;`, or a list of Python calls. */
export function* readLlamaCalls(reading: Reading, open: Tag): ScanSteps<void> {
  const { scanner, tags, grammar, emit } = reading
  const next = yield* scanner.peek()
  if (next?.character === '{') {
    scanner.take(next.at)
    yield* readObjects(reading, open.raw)
  } else if (next?.character === '[') {
    scanner.take(next.at)
    yield* readTaggedList(reading, open.raw)
  } else emit({ kind: 'malformed', raw: open.raw, reason: 'A JSON object must follow the opening tag' })
  const tag = yield* scanner.nextTag(tags)
  if (tag !== undefined && tag.form !== grammar.close) scanner.unread(tag.raw)
}

/**
 * Reads what an answer begins with, if these are calls without a tag. Whatever begins with `{` or `[` is held until that
 * is known; nothing is read if they are invalid.
 */
export function* readLlamaStart(reading: Reading): ScanSteps<void> {
  const { scanner, emit } = reading
  const next = yield* scanner.peek()
  if (next?.character === '{') {
    const blank = scanner.take(next.at)
    const object = yield* scanner.object(reading.tags)
    const call = object.complete && !object.tooDeep ? toBareCall(object.text) : undefined
    if (call !== undefined) {
      emit(call)
      if (yield* reachObject(reading)) yield* readObjects(reading, '')
    } else if (!object.complete && CUT_CALL.test(object.text)) {
      emit({ kind: 'malformed', raw: object.text, reason: 'The JSON object was cut off' })
    } else scanner.unread(blank + object.text)
  } else if (next?.character === '[') {
    const blank = scanner.take(next.at)
    if (!(yield* beginsPythonCalls(reading))) return scanner.unread(blank)
    for (const part of yield* readCallList(reading)) emit(part)
  }
}

/** The scanner is at the first object. */
function* readObjects(reading: Reading, tag: string): ScanSteps<void> {
  let more = yield* readOneObject(reading, tag)
  while (more && !reading.full() && (yield* reachObject(reading))) more = yield* readOneObject(reading, '')
}

/** True if another may follow. */
function* readOneObject({ scanner, tags, emit }: Reading, tag: string): ScanSteps<boolean> {
  const { text, complete, tooDeep } = yield* scanner.object(tags)
  const raw = tag + text
  if (!complete) emit({ kind: 'malformed', raw, reason: 'The JSON object was cut off' })
  else if (tooDeep) emit({ kind: 'malformed', raw, reason: 'The arguments are nested too deep' })
  else emit(toPart(text, raw))
  return complete
}

/** Goes to the next object, if one follows. */
function* reachObject({ scanner }: Reading): ScanSteps<boolean> {
  const next = yield* scanner.peek(SEPARATOR)
  if (next?.character !== '{') return false
  scanner.take(next.at)
  return true
}

function* readTaggedList(reading: Reading, tag: string): ScanSteps<void> {
  for (const part of yield* readCallList(reading)) {
    reading.emit(part.kind === 'malformed' ? { ...part, raw: tag + part.raw } : part)
  }
}

function toPart(text: string, raw: string): Part {
  const plain = readPlainCall(text)
  if (plain !== undefined) return plain
  const value = parseObject(text) ?? repairJson(text)
  const call = value && toCall(value)
  return call ?? { kind: 'malformed', raw, reason: 'A JSON object with "name" and "parameters" was expected' }
}

/** Without a tag an object is a call only if it is one to the letter. */
function toBareCall(text: string): Part | undefined {
  const value = parseObject(text)
  if (value === undefined) return undefined
  const args = own(value, 'parameters') ?? own(value, 'arguments')
  return isJsonObject(args) && typeof own(value, 'name') === 'string' ? toCall(value) : undefined
}
