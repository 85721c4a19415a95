import type { StoredDocument, TextFormat } from '../store/store.js'
import { at } from '../util/at.js'
import type { DocumentSource } from './locate.js'

/** So many bytes are one thing for the collector of garbage, and freed together. */
const SLAB_BYTES = 1 << 20
/** Longer texts, in UTF-16 code units, are kept by V8: there are few of them, and they take long to copy. */
const LONGEST = 65_536
/** More than that is kept by V8, too: the text and what is known of it, in bytes. */
const MOST_BYTES = SLAB_BYTES / 2
/** The text, and each member of `KeptFacts`. */
const PARTS = 6
/** Bytes of a number. */
const WORD = 4

/** What is known of a text, and asked for seldom. */
export interface KeptFacts {
  readonly revision: string
  /** Where it was read, for people. */
  readonly location: string
  /** Of a prompt. */
  readonly name?: string
  readonly description?: string
  /** Of a version. */
  readonly digest?: string
}

interface Slab {
  readonly bytes: Buffer
  /** Bytes of texts that are still served. */
  live: number
}

/**
 * Texts of documents and what is known of them, kept outside of V8's heap, whose collections of what is new take the
 * longer, the larger it is. Nothing is written twice in one place, so that whoever holds a text of an earlier snapshot can read it.
 */
export class KeptTexts {
  #filling = emptySlab()
  #used = 0

  /** Keeps a text and what is known of it; undefined for one that is long, or none. */
  keep(content: StoredDocument['content'], facts: KeptFacts): KeptText | undefined {
    if (content.kind !== 'text' || content.text.length > LONGEST) return undefined
    const { revision, location, name = '', description = '', digest = '' } = facts
    const parts = [content.text, revision, location, name, description, digest]
    // Half a character is no UTF-8.
    if (!parts.every((part) => part.isWellFormed())) return undefined
    const ends = endsOf(parts)
    const bytes = at(ends, parts.length)
    if (bytes > MOST_BYTES) return undefined
    const place = this.#take(bytes)
    write(place, parts, ends)
    return new KeptText(place, content.format)
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

/** Where each part begins, counted from the first of these numbers, and where the last one ends. */
function endsOf(parts: readonly string[]): readonly number[] {
  const ends = [(parts.length + 1) * WORD]
  for (const [index, part] of parts.entries()) ends.push(at(ends, index) + Buffer.byteLength(part))
  return ends
}

function write({ slab, start }: Place, parts: readonly string[], ends: readonly number[]): void {
  for (const [index, end] of ends.entries()) slab.bytes.writeUInt32LE(end, start + index * WORD)
  for (const [index, part] of parts.entries()) slab.bytes.write(part, start + at(ends, index))
}

/** The text of one document, and what is known of it. */
export class KeptText implements DocumentSource {
  readonly format: TextFormat
  slab: Slab
  #start: number

  constructor({ slab, start }: Place, format: TextFormat) {
    this.slab = slab
    this.#start = start
    this.format = format
  }

  get text(): string {
    return partOf(this.slab, this.#start, 0)
  }

  get revision(): string {
    return partOf(this.slab, this.#start, 1)
  }

  get location(): string {
    return partOf(this.slab, this.#start, 2)
  }

  get name(): string {
    return partOf(this.slab, this.#start, 3)
  }

  get description(): string {
    return partOf(this.slab, this.#start, 4)
  }

  get digest(): string {
    return partOf(this.slab, this.#start, 5)
  }

  /** Of all of it. */
  get bytes(): number {
    return edgeOf(this.slab.bytes, this.#start, PARTS)
  }

  /** Whether these bytes are the text's. */
  holds(bytes: Uint8Array): boolean {
    const { length } = bytes
    const kept = this.slab.bytes
    const start = this.#start + edgeOf(kept, this.#start, 0)
    const end = this.#start + edgeOf(kept, this.#start, 1)
    if (length !== end - start) return false
    return kept.compare(bytes, 0, length, start, end) === 0
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

/** A part as it was written. No method: those that are private cost each object a field. */
function partOf({ bytes }: Slab, start: number, index: number): string {
  return bytes.toString('utf8', start + edgeOf(bytes, start, index), start + edgeOf(bytes, start, index + 1))
}

/** Where a part begins, and the one before it ends. */
function edgeOf(bytes: Buffer, start: number, index: number): number {
  return bytes.readUInt32LE(start + index * WORD)
}
