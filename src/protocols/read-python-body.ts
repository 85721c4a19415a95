import type { PythonBody } from './grammar.js'
import type { Part } from './protocol.js'
import { readJsonCall } from './read-json-call.js'
import { type PythonCall, PythonScan, readPythonCalls, readWholePythonCalls } from './read-python-calls.js'
import { closes, giveUp, type Reading } from './reading.js'
import type { ScanSteps } from './scanner.js'
import type { Tag } from './tag-set.js'

/** A list of Python calls begins so, and no other text does. */
const PYTHON_START = /^\[\s*[A-Za-z_][\w.-]*\s*\(/
const MAY_BE_PYTHON = /^\[\s*(?:[A-Za-z_][\w.-]*\s*)?$/
const MAX_PYTHON_START = 200
const JSON_START = /^\[?\s*\{/
const BARE_CALL = /^[A-Za-z_][\w.-]*\s*\(/

/** Reads the Python calls behind a tag: a list, single ones, or JSON in their place. */
export function* readPythonBody(reading: Reading, open: Tag, body: PythonBody): ScanSteps<void> {
  const { scanner, tags } = reading
  const next = yield* scanner.peek()
  if (next === undefined)
    return yield* giveUp(reading, open.raw, 'A list of calls must follow the opening tag')
  scanner.take(next.at)
  yield* fill(reading)
  const start = scanner.text.slice(scanner.at, scanner.at + MAX_PYTHON_START)
  if (JSON_START.test(start)) return yield* readJsonCall(reading, open, { kind: 'json' })
  if (next.character === '[') {
    for (const part of yield* readCallList(reading)) emitBehind(reading, open.raw, part)
  } else if (BARE_CALL.test(start)) yield* readSingleCalls(reading, open.raw, body)
  else return yield* giveUp(reading, open.raw, 'A list of calls must follow the opening tag')
  const tag = yield* scanner.nextTag(tags)
  if (tag !== undefined && !closes(reading, tag.form)) scanner.unread(tag.raw)
}

/** Waits until it is known what kind of text begins here. */
function* fill({ scanner }: Reading): ScanSteps<void> {
  while (!scanner.ended && scanner.text.length - scanner.at < MAX_PYTHON_START) {
    const start = scanner.text.slice(scanner.at)
    if (JSON_START.test(start) || BARE_CALL.test(start) || PYTHON_START.test(start) || start.includes('<'))
      return
    yield
  }
}

function* readSingleCalls(reading: Reading, tag: string, { lines }: PythonBody): ScanSteps<void> {
  const { scanner } = reading
  for (let first = true; ; first = false) {
    yield* fill(reading)
    if (!BARE_CALL.test(scanner.text.slice(scanner.at, scanner.at + MAX_PYTHON_START))) return
    const text = yield* readBracket(reading)
    for (const part of toParts(`[${text}]`)) emitBehind(reading, first ? tag : '', part)
    if (lines !== true || reading.full()) return
    const next = yield* scanner.peek(/[\s,]{0,64}/y)
    if (next === undefined) return
    scanner.take(next.at)
  }
}

function emitBehind({ emit }: Reading, tag: string, part: Part): void {
  emit(part.kind === 'malformed' ? { ...part, raw: tag + part.raw } : part)
}

/** The calls of the list that begins here. */
export function* readCallList(reading: Reading): ScanSteps<readonly Part[]> {
  const { scanner } = reading
  const whole = readWholePythonCalls(scanner.text, scanner.at)
  if (whole === undefined) return toParts(yield* readBracket(reading))
  scanner.take(whole.end)
  return whole.calls.map(toPart)
}

/** What begins here, up to the bracket that closes its first, or to the end if that never comes. */
function* readBracket({ scanner }: Reading): ScanSteps<string> {
  const scan = new PythonScan()
  let text = ''
  for (;;) {
    text += scanner.take(scan.scan(scanner.text, scanner.at))
    if (scan.done || scanner.ended) return text
    yield
  }
}

/** Reads the list of calls that an answer begins with, if it does. Text that begins with `[` is held until that is known. */
export function* readPythonStart(reading: Reading): ScanSteps<void> {
  const { scanner } = reading
  const next = yield* scanner.peek()
  if (next?.character !== '[') return
  const blank = scanner.take(next.at)
  if (!(yield* beginsPythonCalls(reading))) return scanner.unread(blank)
  for (const part of yield* readCallList(reading)) reading.emit(part)
}

/** True if a list of calls begins here; nothing is read. */
export function* beginsPythonCalls({ scanner }: Reading): ScanSteps<boolean> {
  for (;;) {
    const start = scanner.text.slice(scanner.at, scanner.at + MAX_PYTHON_START)
    if (PYTHON_START.test(start)) return true
    if (scanner.ended || start.length === MAX_PYTHON_START || !MAY_BE_PYTHON.test(start)) return false
    yield
  }
}

function toParts(list: string): Part[] {
  return readPythonCalls(list).map(toPart)
}

function toPart(read: PythonCall): Part {
  return read.ok
    ? { kind: 'call', name: read.name, arguments: read.arguments }
    : { kind: 'malformed', raw: read.raw, reason: read.reason }
}
