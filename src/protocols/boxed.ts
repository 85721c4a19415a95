import { at } from '../util/at.js'

/** What models write into a box when they have no answer. */
const PLACEHOLDERS = new Set(['?', '??', '???', '？', '...', '…', '……', 'unknown'])

const BOX = '\\boxed{'
/** A box begins, an escaped character, a brace. */
const TOKENS = /\\boxed\{|\\[\s\S]|[{}]/g

/** Where the content of a box begins and ends. */
type Span = readonly [start: number, end: number]

/**
 * The answer in the last `\boxed{…}` of a text, trimmed: the last that is closed, not empty and no placeholder
 * (`?`, `…`, `unknown`). Braces may be nested; `\{` and `\}` are plain characters. A box that is never closed may have
 * been cut, and is none. Undefined without such a box.
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
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === BOX) open.push(index + BOX.length)
    else if (token === '{' && open.length > 0) open.push(-1)
    else if (token === '}') {
      const start = open.pop() ?? -1
      if (start !== -1) closed.push([start, index])
    }
  }
  return closed
}
