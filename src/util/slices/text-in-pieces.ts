import { isAscii, isUtf8 } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'
import { endOfCharacter } from '../text/end-of-character.js'
import type { Sliced } from './sliced.js'

/** Bytes, or characters, that are converted together: up to half a millisecond where they are not ASCII. */
const PIECE = 65_536

/**
 * What bytes of UTF-8 say. ASCII is copied at once, in a step of its own; other scripts take ten times as long, 20 ms for 3.8 MB.
 */
export function* textInPieces(bytes: Buffer): Sliced<string> {
  if (isAscii(bytes)) {
    yield
    return bytes.toString('latin1')
  }
  const decoder = new StringDecoder('utf8')
  let text = ''
  for (let start = 0; start < bytes.length; start += PIECE) {
    text += decoder.write(bytes.subarray(start, start + PIECE))
    yield
  }
  return yield* copied(text + decoder.end())
}

/** V8 copies a text that was put together when its first character is asked for: in a step of its own. */
function* copied(text: string): Sliced<string> {
  text.charCodeAt(0)
  yield
  return text
}

/**
 * What bytes say in a charset, as `TextDecoder` reads it: without a byte order mark.
 *
 * @throws TypeError for bytes that are not in it, RangeError for an unknown one
 */
export function* strictTextInPieces(bytes: Buffer, charset: string): Sliced<string> {
  const decoder = new TextDecoder(charset, { fatal: true })
  if (decoder.encoding === 'utf-8') {
    if (!isUtf8(bytes)) throw new TypeError('the bytes are not UTF-8')
    const text = yield* textInPieces(bytes)
    return text.startsWith('\ufeff') ? text.slice(1) : text
  }
  let text = ''
  for (let start = 0; start < bytes.length; start += PIECE) {
    text += decoder.decode(bytes.subarray(start, start + PIECE), { stream: true })
    yield
  }
  return yield* copied(text + decoder.decode())
}

/** The bytes of texts, one after the other, in UTF-8. */
export function* bytesInPieces(texts: readonly string[]): Sliced<readonly Buffer[]> {
  const pieces: Buffer[] = []
  for (const text of texts)
    for (let start = 0; start < text.length; ) {
      const end = endOfCharacter(text, start + PIECE)
      pieces.push(Buffer.from(text.slice(start, end)))
      start = end
      yield
    }
  return pieces
}
