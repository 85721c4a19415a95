import { joined } from './joined.js'
import { runInTurns, type Sliced } from './slices/sliced.js'

/** Fewer bytes are put together, decoded or written in no time. */
const LONG_BYTES = 65_536
/** Many more pieces are put together where they are small. */
const FEW = 256
/** Each piece takes some four hundred bytes of memory beside those that it has. */
const SMALL_BYTES = 512
/** Where small pieces are put together, in bytes. */
const SHELF_BYTES = 16_384

/** Bytes that come in pieces, usually in one. Pieces of a byte take little more memory than their bytes. */
export class GatheredBytes {
  readonly #pieces: Buffer[] = []
  /** Where small pieces are put together: those up to the end that are not among the others yet begin at the start. */
  #shelf: Buffer | undefined
  #shelfStart = 0
  #shelfEnd = 0
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
    this.#clearShelf()
    return this.#pieces
  }

  add(piece: Buffer): void {
    this.#length += piece.length
    if (this.#pieces.length >= FEW && piece.length < SMALL_BYTES) {
      this.#addSmall(piece)
      return
    }
    this.#clearShelf()
    this.#pieces.push(piece)
  }

  /** All of them. Bytes that came in one piece are not copied. */
  joined(): Buffer {
    return joined(this.pieces)
  }

  /** All of many bytes. Others go first: those of many may be whole in the same turn of the event loop. */
  joinedInTurns(): Promise<Buffer> {
    return runInTurns(this.joinedInPieces())
  }

  /** All of many bytes. Each piece is copied by itself: where new memory is expensive, most of the time goes there. */
  *joinedInPieces(): Sliced<Buffer> {
    const { pieces } = this
    if (pieces.length === 1) return this.joined()
    const bytes = Buffer.allocUnsafeSlow(this.#length)
    let end = 0
    for (const piece of pieces) {
      bytes.set(piece, end)
      end += piece.length
      yield
    }
    return bytes
  }

  /** At once: a piece that is kept for a while survives collections, and what puts many together gets new memory each time. */
  #addSmall(piece: Buffer): void {
    if (this.#shelf === undefined || this.#shelfEnd + piece.length > this.#shelf.length) {
      this.#clearShelf()
      this.#shelf = Buffer.allocUnsafeSlow(SHELF_BYTES)
      this.#shelfStart = 0
      this.#shelfEnd = 0
    }
    this.#shelf.set(piece, this.#shelfEnd)
    this.#shelfEnd += piece.length
  }

  #clearShelf(): void {
    if (this.#shelf === undefined || this.#shelfStart === this.#shelfEnd) return
    this.#pieces.push(this.#shelf.subarray(this.#shelfStart, this.#shelfEnd))
    this.#shelfStart = this.#shelfEnd
  }
}
