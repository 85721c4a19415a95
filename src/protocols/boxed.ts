import { at } from '../util/at.js'

/** What models write into a box when they have no answer. */
const PLACEHOLDERS = new Set(['?', '??', '???', '？', '...', '…', '……', 'unknown'])

/** Models copy escaping, so that there may be several backslashes, and put white space in front of the brace. */
const BOX = /boxed\s{0,16}\{/y
const NAME = '\\boxed'
const BACKSLASH = 0x5c
const OPENING = 0x7b
const CLOSING = 0x7d

/** Where the content of a box begins and ends. */
type Span = readonly [start: number, end: number]

/**
 * The answer in the last `\boxed{…}` of a text (also `\\boxed{…}` and `\boxed {…}`), trimmed: the last one that is
 * closed, not empty and not a placeholder (`?`, `…`, `unknown`). Braces may be nested; `\{` and `\}` are plain
 * characters. A box that is never closed may be truncated and does not count. Undefined without such a box.
 */
export function extractBoxed(text: string): string | undefined {
  const boxes = closedBoxes(text)
  for (let index = boxes.length - 1; index >= 0; index -= 1) {
    const [start, end] = at(boxes, index)
    const content = text.slice(start, end).trim()
    if (content !== '' && !PLACEHOLDERS.has(content.toLowerCase())) return content
  }
  return undefined
}

/** In the order of their ends, so that a box comes behind those inside of it. */
function closedBoxes(text: string): Span[] {
  const closed: Span[] = []
  /** Of every open brace: where its box begins, or -1. Braces outside of boxes do not count. */
  const open: number[] = []
  // By hand: a pattern makes an object of every brace, and an answer may be code.
  for (let offset = firstBox(text); offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset)
    if (code === BACKSLASH) {
      const run = offset
      while (text.charCodeAt(offset + 1) === BACKSLASH) offset += 1
      const box = boxAt(text, offset + 1)
      if (box > 0) open.push(offset + 1 + box)
      // An odd number escapes the next character.
      offset += box > 0 ? box : (offset + 1 - run) % 2
    } else if (code === OPENING && open.length > 0) open.push(-1)
    else if (code === CLOSING) {
      const start = open.pop() ?? -1
      if (start !== -1) closed.push([start, offset])
    }
  }
  return closed
}

/** How long the beginning of a box is, behind its backslashes; 0 where none is. */
function boxAt(text: string, offset: number): number {
  BOX.lastIndex = offset
  return BOX.test(text) ? BOX.lastIndex - offset : 0
}

/** Where the backslashes of what may be the first box begin; the end without one. */
function firstBox(text: string): number {
  let start = text.indexOf(NAME)
  if (start === -1) return text.length
  while (start > 0 && text.charCodeAt(start - 1) === BACKSLASH) start -= 1
  return start
}
