import { joined } from './joined.js'
import { createSlicer, room } from './slices/pause.js'
import { runSliced, type Sliced } from './slices/sliced.js'

/** Fewer bytes are put together, decoded or written in no time. */
const LONG_BYTES = 65_536
/** As many pieces are put together where they are small. */
const MANY = 256
/** Each piece takes some four hundred bytes of memory beside those that it has. */
const SMALL_BYTES = 512

/** Bytes that come in pieces, usually in one. Pieces of a byte take little more memory than their bytes. */
export class GatheredBytes {
  readonly #pieces: Buffer[] = []
  /** Of the pieces that are not looked at any more. */
  #settled = 0
  /** Of the others, in bytes. */
  #unsettledLength = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Whether to put them together in turns. */
  get isLong(): boolean {
    return this.#length > LONG_BYTES
  }

  /** As they came, but for small ones. */
  get pieces(): readonly Buffer[] {
    return this.#pieces
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#length += piece.length
    this.#unsettledLength += piece.length
    if (this.#pieces.length - this.#settled >= MANY) this.#settle()
  }

  /** All of them. Bytes that came in one piece are not copied. */
  joined(): Buffer {
    return joined(this.#pieces)
  }

  /** All of many bytes. Others go first: those of many may be whole in the same turn of the event loop. */
  async joinedInTurns(): Promise<Buffer> {
    const turn = room()
    if (turn !== undefined) await turn
    return runSliced(this.joinedInPieces(), createSlicer())
  }

  /** All of many bytes. Each piece is copied by itself: where new memory is expensive, most of the time goes there. */
  *joinedInPieces(): Sliced<Buffer> {
    if (this.#pieces.length === 1) return this.joined()
    const bytes = Buffer.allocUnsafeSlow(this.#length)
    let end = 0
    for (const piece of this.#pieces) {
      bytes.set(piece, end)
      end += piece.length
      yield
    }
    return bytes
  }

  #settle(): void {
    if (this.#unsettledLength < MANY * SMALL_BYTES)
      this.#pieces.push(Buffer.concat(this.#pieces.splice(this.#settled), this.#unsettledLength))
    this.#settled = this.#pieces.length
    this.#unsettledLength = 0
  }
}
