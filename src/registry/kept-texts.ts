import type { StoredDocument, TextFormat } from '../store/store.js'
import type { DocumentSource } from './locate.js'

/** So many bytes are one thing for the collector of garbage, and freed together. */
const SLAB_BYTES = 1 << 20
/** Longer texts, in UTF-16 code units, are kept by V8: there are few of them, and they take long to copy. */
const LONGEST = 65_536

interface Slab {
  readonly bytes: Buffer
  /** Bytes of texts that are still served. */
  live: number
}

/**
 * Texts of documents, kept outside of V8's heap, whose collections of what is new take the longer, the larger it is.
 * Nothing is written twice in one place, so that whoever holds a text of an earlier snapshot can read it.
 */
export class KeptTexts {
  #filling = emptySlab()
  #used = 0

  /** Keeps a text; undefined for one that is long, or none. */
  keep(content: StoredDocument['content']): KeptText | undefined {
    if (content.kind !== 'text' || content.text.length > LONGEST) return undefined
    const { text, format } = content
    const bytes = Buffer.byteLength(text)
    const place = this.#take(bytes)
    place.slab.bytes.write(text, place.start, bytes)
    const kept = new KeptText(place, bytes, format)
    // Half a character is no UTF-8.
    if (bytes === text.length || kept.text === text) return kept
    kept.release()
    return undefined
  }

  /** Brings a text out of a slab of which less than half is served, so that the slab can go. */
  tidy(kept: KeptText): void {
    const { slab } = kept
    if (slab.live < SLAB_BYTES / 2 && slab !== this.#filling) kept.moveTo(this.#take(kept.bytes))
  }

  #take(bytes: number): Place {
    if (this.#used + bytes > SLAB_BYTES) {
      this.#filling = emptySlab()
      this.#used = 0
    }
    const place = { slab: this.#filling, start: this.#used }
    this.#used += bytes
    place.slab.live += bytes
    return place
  }
}

interface Place {
  readonly slab: Slab
  readonly start: number
}

/** Memory that the collector does not count: it would look through everything for each 64 MB of it. */
function emptySlab(): Slab {
  return { bytes: Buffer.from(new SharedArrayBuffer(SLAB_BYTES)), live: 0 }
}

/** The text of one document. */
export class KeptText implements DocumentSource {
  readonly format: TextFormat
  readonly bytes: number
  slab: Slab
  #start: number

  constructor({ slab, start }: Place, bytes: number, format: TextFormat) {
    this.slab = slab
    this.#start = start
    this.bytes = bytes
    this.format = format
  }

  get text(): string {
    return this.slab.bytes.toString('utf8', this.#start, this.#start + this.bytes)
  }

  /** Whether these bytes are the text's. */
  holds(bytes: Uint8Array): boolean {
    const { length } = bytes
    if (length !== this.bytes) return false
    return this.slab.bytes.compare(bytes, 0, length, this.#start, this.#start + length) === 0
  }

  /** It is not served any more. */
  release(): void {
    this.slab.live -= this.bytes
  }

  moveTo({ slab, start }: Place): void {
    this.slab.bytes.copy(slab.bytes, start, this.#start, this.#start + this.bytes)
    this.release()
    this.slab = slab
    this.#start = start
  }
}
