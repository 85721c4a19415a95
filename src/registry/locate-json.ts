import {
  endOfString,
  JsonCursor,
  LIST_OPEN,
  NO_MORE,
  OBJECT_OPEN,
  skipBlank,
  stopsAt,
} from '../util/json/cursor.js'
import type { DocumentPath } from './document-path.js'

/** Where a value begins and ends. */
interface Range {
  readonly start: number
  readonly end: number
  /** Where the member's name begins, for a member of an object. */
  readonly nameStart: number | undefined
}

/** Where a value begins, and its name. */
interface Start {
  readonly start: number
  readonly nameStart: number | undefined
}

const SCALAR_END = /[,\]}\s]/g
const BRACKETS = stopsAt('[]{}')

/** Finds a value in JSON text that parses, without building anything; undefined when it is not there. */
export function findJsonValue(text: string, path: DocumentPath): Range | undefined {
  let found: Start = { start: skipBlank(text, 0), nameStart: undefined }
  for (const part of path) {
    const { start } = found
    const child = text[start] === '{' ? memberOf(text, start, part) : elementOf(text, start, part)
    if (child === undefined) return undefined
    found = child
  }
  return { ...found, end: endOfValue(text, found.start) }
}

/** The start of a member's value: of two with one name the last one counts. */
function memberOf(text: string, start: number, name: string | number): Start | undefined {
  let found: Start | undefined
  let at = skipBlank(text, start + 1)
  while (text[at] === '"') {
    const end = endOfString(text, at) ?? text.length
    const value = skipBlank(text, skipBlank(text, end) + 1)
    if (JSON.parse(text.slice(at, end)) === name) found = { start: value, nameStart: at }
    at = nextItem(text, value)
  }
  return found
}

function elementOf(text: string, start: number, index: string | number): Start | undefined {
  if (text[start] !== '[' || typeof index !== 'number') return undefined
  let at = skipBlank(text, start + 1)
  for (let left = index; left > 0 && at < text.length && text[at] !== ']'; left -= 1) at = nextItem(text, at)
  return at >= text.length || text[at] === ']' ? undefined : { start: at, nameStart: undefined }
}

/** The item after the one whose value begins here, or what closes the list. */
function nextItem(text: string, value: number): number {
  const at = skipBlank(text, endOfValue(text, value))
  return text[at] === ',' ? skipBlank(text, at + 1) : at
}

function endOfValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return endOfString(text, start) ?? text.length
  if (first === '{' || first === '[') return endOfContainer(text, start)
  SCALAR_END.lastIndex = start
  return SCALAR_END.exec(text)?.index ?? text.length
}

function endOfContainer(text: string, start: number): number {
  const cursor = new JsonCursor(BRACKETS, start)
  let depth = 0
  do {
    const code = cursor.next(text, text.length)
    if (code === NO_MORE) break
    depth += code === OBJECT_OPEN || code === LIST_OPEN ? 1 : -1
  } while (depth > 0)
  return cursor.at
}
