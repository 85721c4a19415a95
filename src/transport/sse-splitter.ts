import { MAX_EVENT_LINES } from './limits.js'

/** Gets whole events, in order. */
export interface SseSink {
  /**
   * One or more whole events as canonical text: `event:` if any, `data: …` lines, a blank line; LF only.
   *
   * @param text the same bytes as Latin-1: names and structure are ASCII
   */
  onEvents(bytes: Buffer, text: string): void
  /** The `[DONE]` that ends an OpenAI stream. What follows it is ignored. */
  onDone(): void
}

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const SPACE = 0x20
const LINE_END = Buffer.from('\n')
const DATA_LINE = 'data: '
const DATA_PREFIX = Buffer.from(DATA_LINE)
const DONE_EVENT = 'data: [DONE]\n\n'
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const NO_BYTES = Buffer.alloc(0)

/**
 * Cuts the bytes of an event stream into whole events, whatever the network did to them. Bytes that are whole events
 * in canonical form already, the usual case, are passed on as they are; everything else (CR and CRLF, missing space
 * after the colon, comments, several data lines, parts of lines) goes through a line parser after the WHATWG rules.
 * Works on bytes, so that a UTF-8 sequence cut in two is never decoded in halves.
 */
export class SseSplitter {
  readonly #sink: SseSink
  readonly #maxEventBytes: number
  /** The beginning of a line whose end has not come yet. */
  #partial: Buffer[] = []
  #eventBytes = 0
  #afterCarriageReturn = false
  #atStart = true
  #done = false
  #name = NO_BYTES
  #id = NO_BYTES
  #data: Buffer[] = []

  constructor(sink: SseSink, maxEventBytes: number) {
    this.#sink = sink
    this.#maxEventBytes = maxEventBytes
  }

  /** @throws RangeError when one event grows beyond the limit, in bytes or lines */
  push(chunk: Buffer): void {
    // Searched as a text, which takes a fraction of the time of a buffer. Row `fast` of `npm run bench:chat`.
    const text = chunk.toString('latin1')
    const mayBeCanonical = !text.includes('\r')
    for (let at = 0; at < chunk.length && !this.#done; ) {
      const end = mayBeCanonical && this.#isBetweenEvents() ? endOfCanonical(text, at) : at
      if (end > at) this.#pass(chunk.subarray(at, end), text.slice(at, end))
      at = end > at ? end : chunk.length - this.#parseEvent(chunk.subarray(at)).length
    }
  }

  /**
   * The bytes are over. An event whose blank line never came still counts when it is whole, for sloppy servers end
   * that way; half an event is dropped.
   */
  end(): void {
    if (this.#done) return
    const line = this.#line(NO_BYTES)
    if (line.length > 0 && !isWholePayload(line.toString('utf8'))) return
    if (line.length > 0) this.#takeLine(line)
    this.#dispatch()
  }

  #isBetweenEvents(): boolean {
    return this.#eventBytes === 0 && !this.#afterCarriageReturn
  }

  #pass(events: Buffer, text: string): void {
    this.#atStart = false
    const done = indexOfDone(text)
    if (done === -1) {
      this.#sink.onEvents(events, text)
      return
    }
    if (done > 0) this.#sink.onEvents(events.subarray(0, done), text.slice(0, done))
    this.#finish()
  }

  /** Takes lines until an event is complete or the chunk is used up; returns what is left. */
  #parseEvent(chunk: Buffer): Buffer {
    let position = 0
    if (this.#afterCarriageReturn) {
      this.#afterCarriageReturn = false
      if (chunk[0] === LF) position = 1
    }
    while (position < chunk.length) {
      const end = lineEnd(chunk, position)
      if (end === -1) {
        this.#keep(chunk.subarray(position))
        return NO_BYTES
      }
      const line = this.#line(chunk.subarray(position, end))
      position = end + 1
      if (chunk[end] === CR && position === chunk.length) this.#afterCarriageReturn = true
      if (chunk[end] === CR && chunk[position] === LF) position += 1
      this.#takeLine(line)
      if (line.length === 0) break
    }
    return chunk.subarray(position)
  }

  /** A chunk's memory may be reused by its owner, and a tiny part would hold the whole chunk: parts are copied. */
  #keep(part: Buffer): void {
    this.#partial.push(Buffer.from(part))
    this.#count(part.length)
  }

  #count(bytes: number): void {
    this.#eventBytes += bytes
    if (this.#eventBytes > this.#maxEventBytes) {
      throw new RangeError(`an event is larger than ${this.#maxEventBytes} bytes`)
    }
  }

  #line(rest: Buffer): Buffer {
    if (this.#partial.length === 0) return rest
    const line = Buffer.concat([...this.#partial, rest])
    // Counted when they came; the whole line is counted next.
    this.#eventBytes -= line.length - rest.length
    this.#partial = []
    return line
  }

  #takeLine(bytes: Buffer): void {
    const line = this.#atStart ? withoutByteOrderMark(bytes) : bytes
    this.#atStart = false
    if (line.length === 0) {
      this.#dispatch()
      return
    }
    this.#count(line.length + 1)
    const colon = line.indexOf(COLON)
    if (colon === 0) return
    const field = line.toString('latin1', 0, colon === -1 ? line.length : colon)
    this.#takeField(field, colon === -1 ? NO_BYTES : fieldValue(line, colon))
  }

  #takeField(field: string, value: Buffer): void {
    if (field === 'data') this.#addData(value)
    else if (field === 'event') this.#name = Buffer.from(value)
    else if (field === 'id') this.#id = Buffer.from(value)
  }

  #addData(value: Buffer): void {
    if (this.#data.length === MAX_EVENT_LINES)
      throw new RangeError(`an event has more than ${MAX_EVENT_LINES} lines of data`)
    this.#data.push(Buffer.from(value))
  }

  #dispatch(): void {
    const lines: Buffer[] = []
    if (this.#name.length > 0) lines.push(Buffer.from('event: '), this.#name, LINE_END)
    if (this.#id.length > 0) lines.push(Buffer.from('id: '), this.#id, LINE_END)
    const { length } = this.#data
    for (const data of this.#data) lines.push(DATA_PREFIX, data, LINE_END)
    this.#reset()
    if (length === 0) return
    const event = Buffer.concat([...lines, LINE_END])
    const text = event.toString('latin1')
    if (text === DONE_EVENT) this.#finish()
    else this.#sink.onEvents(event, text)
  }

  #reset(): void {
    this.#data = []
    this.#name = NO_BYTES
    this.#id = NO_BYTES
    this.#eventBytes = 0
  }

  #finish(): void {
    this.#done = true
    this.#sink.onDone()
  }
}

/** The `data` payloads of whole, canonical events, as text. */
export function payloadsOf(events: Buffer): string[] {
  const blocks = events.toString('utf8').split('\n\n')
  blocks.pop()
  return blocks.map(payloadOf)
}

function payloadOf(block: string): string {
  // Most events are one line.
  if (!block.includes('\n')) return dataOf(block) ?? ''
  return block
    .split('\n')
    .flatMap((line) => dataOf(line) ?? [])
    .join('\n')
}

function dataOf(line: string): string | undefined {
  return line.startsWith(DATA_LINE) ? line.slice(DATA_LINE.length) : undefined
}

/** Up to where there are whole events of one `data: ` line each: nothing to rewrite. */
function endOfCanonical(text: string, start: number): number {
  let end = start
  while (text.startsWith(DATA_LINE, end)) {
    const lineEnd = text.indexOf('\n', end)
    if (lineEnd === -1 || text.charCodeAt(lineEnd + 1) !== LF) break
    end = lineEnd + 2
  }
  return end
}

/** A last line without its line end: is it all there? */
function isWholePayload(line: string): boolean {
  const payload = line.replace(/^data: ?/, '')
  if (payload === '[DONE]') return true
  try {
    JSON.parse(payload)
    return payload !== line
  } catch {
    return false
  }
}

/** Where the closing event begins; the same text inside another event's data does not count. */
function indexOfDone(text: string): number {
  let at = text.indexOf(DONE_EVENT)
  while (at > 0 && text.charCodeAt(at - 1) !== LF) at = text.indexOf(DONE_EVENT, at + 1)
  return at
}

function lineEnd(chunk: Buffer, from: number): number {
  const feed = chunk.indexOf(LF, from)
  const line = feed === -1 ? chunk.subarray(from) : chunk.subarray(from, feed)
  const carriageReturn = line.indexOf(CR)
  return carriageReturn === -1 ? feed : from + carriageReturn
}

function fieldValue(line: Buffer, colon: number): Buffer {
  return line.subarray(line[colon + 1] === SPACE ? colon + 2 : colon + 1)
}

function withoutByteOrderMark(line: Buffer): Buffer {
  return line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? line.subarray(BYTE_ORDER_MARK.length)
    : line
}
