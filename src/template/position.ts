import { at } from '../util/at.js'
import { byteLength } from './format/byte-string.js'
import type { Position } from './references.js'

/** Where an offset is: lines from 1, columns in UTF-8 bytes from 0, as Go's messages count them. */
export function positionAt(source: string, offset: number): Position {
  const lineStart = source.lastIndexOf('\n', offset - 1) + 1
  let line = 1
  for (let at = source.indexOf('\n'); at >= 0 && at < offset; at = source.indexOf('\n', at + 1)) line++
  return { line, column: byteLength(source.slice(offset === 0 ? 0 : lineStart, offset)) }
}

/** The offset of a place in a source, as `positionAt` counts; the end of the source when it is not there. */
export function offsetAt(source: string, { line, column }: Position): number {
  let offset = 0
  for (let left = line; left > 1; left--) {
    const end = source.indexOf('\n', offset)
    if (end < 0) return source.length
    offset = end + 1
  }
  let bytes = 0
  for (const character of source.slice(offset, offset + column)) {
    if (bytes >= column) break
    bytes += byteLength(character)
    offset += character.length
  }
  return offset
}

/** The source line of an offset with a caret under it, for people. */
export function frameAt(source: string, offset: number): string {
  const start = offset === 0 ? 0 : source.lastIndexOf('\n', offset - 1) + 1
  const end = source.indexOf('\n', offset)
  const line = source.slice(start, end < 0 ? source.length : end)
  const from = Math.max(0, offset - start - FRAME_WIDTH / 2)
  const indent = line.slice(from, offset - start).replace(/[^\t]/g, ' ')
  return `${line.slice(from, from + FRAME_WIDTH)}\n${indent}^`
}

const FRAME_WIDTH = 120

/** How far apart the offsets are whose bytes are counted in advance. */
const STRIDE = 1024

/** Finds many places in one source: what is before them is counted once, not for each. */
export class Positions {
  readonly #source: string
  /** Offsets at which lines start. */
  readonly #lines: number[] = [0]
  /** Offsets about a stride apart, none inside a surrogate pair, and the bytes before each. */
  readonly #marks: { readonly offset: number; readonly bytes: number }[] = [{ offset: 0, bytes: 0 }]

  constructor(source: string) {
    this.#source = source
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) this.#lines.push(at + 1)
    for (let next = STRIDE; next < source.length; next += STRIDE) this.#mark(next)
  }

  /** The same as `positionAt`. */
  at(offset: number): Position {
    const line = lastAtMost(this.#lines, (start) => start, offset)
    const start = at(this.#lines, line)
    return { line: line + 1, column: this.#bytesBefore(offset) - this.#bytesBefore(start) }
  }

  #mark(next: number): void {
    const offset = isLowSurrogate(this.#source.charCodeAt(next)) ? next + 1 : next
    const last = at(this.#marks, -1)
    this.#marks.push({ offset, bytes: last.bytes + byteLength(this.#source.slice(last.offset, offset)) })
  }

  #bytesBefore(offset: number): number {
    const mark = at(
      this.#marks,
      lastAtMost(this.#marks, (each) => each.offset, offset),
    )
    return mark.bytes + byteLength(this.#source.slice(mark.offset, offset))
  }
}

/** The index of the last item whose key is at most the wanted one; the first item's always is. */
function lastAtMost<Item>(items: readonly Item[], keyOf: (item: Item) => number, wanted: number): number {
  let low = 0
  let high = items.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (keyOf(at(items, middle)) <= wanted) low = middle
    else high = middle - 1
  }
  return low
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
