import { at } from '../util/at.js'
import { placeOf } from '../util/text/place-of.js'
import { byteLength } from './format/byte-string.js'
import type { Position } from './references.js'

/** Where an offset is: lines and columns from 1, columns in UTF-16 code units, as editors count them. */
export function positionAt(source: string, offset: number): Position {
  return placeOf(source, offset)
}

/** The column of an offset as Go's messages have it: in UTF-8 bytes, from 0. */
export function goColumnAt(source: string, offset: number): number {
  return byteLength(source.slice(lineStartOf(source, offset), offset))
}

/** The offset of a place in a source, as `positionAt` counts; the end of the source when it is not there. */
export function offsetAt(source: string, { line, column }: Position): number {
  let offset = 0
  for (let left = line; left > 1; left--) {
    const end = source.indexOf('\n', offset)
    if (end < 0) return source.length
    offset = end + 1
  }
  return Math.min(source.length, offset + column - 1)
}

function lineStartOf(source: string, offset: number): number {
  return offset === 0 ? 0 : source.lastIndexOf('\n', offset - 1) + 1
}

/** The source line of an offset with a caret under it, for people. */
export function frameAt(source: string, offset: number): string {
  const start = lineStartOf(source, offset)
  const end = source.indexOf('\n', offset)
  const line = source.slice(start, end < 0 ? source.length : end)
  const from = Math.max(0, offset - start - FRAME_WIDTH / 2)
  const indent = line.slice(from, offset - start).replace(/[^\t]/g, ' ')
  return `${line.slice(from, from + FRAME_WIDTH)}\n${indent}^`
}

const FRAME_WIDTH = 120

/** Finds many places in one source: its lines are found once, not for each. */
export class Positions {
  /** Offsets at which lines start. */
  readonly #lines: number[] = [0]

  constructor(source: string) {
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) this.#lines.push(at + 1)
  }

  /** Where a character is, as `positionAt` finds it. */
  at(offset: number): Position {
    const line = lastAtMost(this.#lines, offset)
    const start = at(this.#lines, line)
    return { line: line + 1, column: offset - start + 1 }
  }

  /** The offset of a place that `at` found. */
  offsetOf({ line, column }: Position): number {
    return at(this.#lines, line - 1) + column - 1
  }
}

/** The index of the last of the sorted numbers that is at most the wanted one; the first always is. */
function lastAtMost(numbers: readonly number[], wanted: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (at(numbers, middle) <= wanted) low = middle
    else high = middle - 1
  }
  return low
}
