import type { Sliced } from './slices/sliced.js'

/** Bytes that came in pieces, mostly in one, which is not copied. */
export function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
}

/** The same for many bytes. Each piece is copied by itself: where new memory is expensive, most of the time goes there. */
export function* joinedInPieces(pieces: readonly Buffer[], length: number): Sliced<Buffer> {
  const [first] = pieces
  if (first !== undefined && pieces.length === 1) return first
  const bytes = Buffer.allocUnsafeSlow(length)
  let end = 0
  for (const piece of pieces) {
    bytes.set(piece, end)
    end += piece.length
    yield
  }
  return bytes
}
