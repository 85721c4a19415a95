import { byteLength, isAscii, toBytes } from '../format/byte-string.js'
import { fromBytes } from '../format/from-bytes.js'
import { checkLength, GoError } from '../format/go-error.js'
import { RewriteCount } from '../format/rewrite-count.js'

const SPACE_BYTE = 0x20
const MARKER = '...'

/** Text seen as bytes, the way Sprig's string functions count. ASCII text, the common case, is cut directly. */
class ByteText {
  readonly length: number
  readonly #text: string
  readonly #bytes: Uint8Array | undefined

  constructor(text: string) {
    this.#text = text
    this.#bytes = isAscii(text) ? undefined : toBytes(text)
    this.length = this.#bytes?.length ?? text.length
  }

  slice(start: number, end = this.length): string {
    return this.#bytes === undefined ? this.#text.slice(start, end) : fromBytes(this.#bytes, start, end)
  }

  isSpaceAt(index: number): boolean {
    return (this.#bytes === undefined ? this.#text.charCodeAt(index) : this.#bytes[index]) === SPACE_BYTE
  }

  /** The last space in `[start, end)`, or −1. */
  lastSpace(start: number, end: number): number {
    for (let i = end - 1; i >= start; i--) {
      if (this.isSpaceAt(i)) return i
    }
    return -1
  }

  nextSpace(start: number): number {
    for (let i = start; i < this.length; i++) {
      if (this.isSpaceAt(i)) return i
    }
    return -1
  }
}

/** goutils.WrapCustom: lines of at most `width` bytes, broken at spaces; `breakWords` breaks longer words too. */
export function wrapText(text: string, width: number, newline: string, breakWords: boolean): string {
  const source = new ByteText(text)
  const limit = Math.max(width, 1)
  const lines: string[] = []
  const count = new RewriteCount()
  let offset = 0
  while (source.length - offset > limit) {
    if (source.isSpaceAt(offset)) {
      offset++
      continue
    }
    const space = source.lastSpace(offset, offset + limit + 1)
    const end = space >= 0 ? space : breakWords ? offset + limit : source.nextSpace(offset + limit)
    if (end < 0) break
    lines.push(count.one(source.slice(offset, end)))
    offset = space < 0 && breakWords ? end : end + 1
  }
  lines.push(source.slice(offset))
  const between = newline === '' ? '\n' : newline
  checkLength(text.length + (lines.length - 1) * between.length)
  return lines.join(between)
}

/** goutils.AbbreviateFull: at most `width` bytes, with `...` where text was left out. */
export function abbreviate(text: string, offset: number, width: number): string {
  const source = new ByteText(text)
  if (text === '' || source.length <= width) return text
  let start = Math.min(offset, source.length)
  if (source.length - start < width - 3) start = source.length - (width - 3)
  if (start <= 4) return source.slice(0, width - 3) + MARKER
  if (width < 7) return ''
  if (start + width - 3 >= source.length) return MARKER + source.slice(source.length - (width - 3))
  return MARKER + abbreviateStart(source.slice(start), width - 3)
}

function abbreviateStart(text: string, width: number): string {
  return width < 4 ? '' : abbreviate(text, 0, width)
}

/** Sprig's trunc: the first bytes, or with a negative count the last. */
export function truncate(count: number, text: string): string {
  const length = byteLength(text)
  if (count < 0 && length + count > 0) return new ByteText(text).slice(length + count)
  return count >= 0 && length > count ? new ByteText(text).slice(0, count) : text
}

/** Sprig's substr, with Go's complaints about bounds. */
export function substring(start: number, end: number, text: string): string {
  const source = new ByteText(text)
  if (start < 0) {
    if (end < 0) throw new GoError(`runtime error: slice bounds out of range [:${end}]`)
    if (end > source.length) throw outOfRange(`[:${end}]`, source.length)
    return source.slice(0, end)
  }
  if (end < 0 || end > source.length) {
    if (start > source.length)
      throw new GoError(`runtime error: slice bounds out of range [${start}:${source.length}]`)
    return source.slice(start)
  }
  if (start > end) throw new GoError(`runtime error: slice bounds out of range [${start}:${end}]`)
  return source.slice(start, end)
}

function outOfRange(bounds: string, length: number): GoError {
  return new GoError(`runtime error: slice bounds out of range ${bounds} with length ${length}`)
}
