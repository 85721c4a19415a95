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

/** Finds a value in JSON text that parses, without building anything; undefined when it is not there. */
export function findJsonValue(text: string, path: DocumentPath): Range | undefined {
  let found: Start = { start: skipSpace(text, 0), nameStart: undefined }
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
  let at = skipSpace(text, start + 1)
  while (text[at] === '"') {
    const end = endOfString(text, at)
    const value = skipSpace(text, skipSpace(text, end) + 1)
    if (JSON.parse(text.slice(at, end)) === name) found = { start: value, nameStart: at }
    at = nextItem(text, value)
  }
  return found
}

function elementOf(text: string, start: number, index: string | number): Start | undefined {
  if (text[start] !== '[' || typeof index !== 'number') return undefined
  let at = skipSpace(text, start + 1)
  for (let left = index; left > 0 && at < text.length && text[at] !== ']'; left -= 1) at = nextItem(text, at)
  return at >= text.length || text[at] === ']' ? undefined : { start: at, nameStart: undefined }
}

/** The item after the one whose value begins here, or what closes the list. */
function nextItem(text: string, value: number): number {
  const at = skipSpace(text, endOfValue(text, value))
  return text[at] === ',' ? skipSpace(text, at + 1) : at
}

function endOfValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return endOfString(text, start)
  if (first === '{' || first === '[') return endOfContainer(text, start)
  SCALAR_END.lastIndex = start
  return SCALAR_END.exec(text)?.index ?? text.length
}

function endOfContainer(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    const character = text[at]
    if (character === '"') {
      at = endOfString(text, at)
      continue
    }
    if (character === '{' || character === '[') depth += 1
    if (character === '}' || character === ']') depth -= 1
    at += 1
    if (depth === 0) return at
  }
  return at
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1
  return at
}
