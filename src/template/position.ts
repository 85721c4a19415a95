import type { Position } from './api.js'
import { byteLength } from './format/byte-string.js'

/** Where an offset is: lines from 1, columns in UTF-8 bytes from 0, as Go's messages count them. */
export function positionAt(source: string, offset: number): Position {
  const lineStart = source.lastIndexOf('\n', offset - 1) + 1
  let line = 1
  for (let at = source.indexOf('\n'); at >= 0 && at < offset; at = source.indexOf('\n', at + 1)) line++
  return { line, column: byteLength(source.slice(offset === 0 ? 0 : lineStart, offset)) }
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
