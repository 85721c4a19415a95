import type { StoredDocument, TextFormat } from '../store/store.js'
import { at } from '../util/at.js'
import type { DocumentSource } from './locate.js'

/** Bytes of one slab. The garbage collector sees and frees a slab as a whole. */
const SLAB_BYTES = 1 << 20
/** Longer texts, in UTF-16 code units, are kept by V8: there are few of them, and they take long to copy. */
const LONGEST = 65_536
/** More than that is kept by V8, too: the text and what is known of it, in bytes. */
const MAX_BYTES = SLAB_BYTES / 2
/** Longer facts are kept by V8, too, in bytes each. */
const MAX_FACT = 0xffff
/** Where the numbers of a kept text are, from its beginning: four bytes for the first two, two for the others. */
const TEXT_BYTES = 0
/** One more than the place of the digest in the text; 0 for none. */
const DIGEST_PLACE = 4
/** Of location, name, description and revision. */
const FACT_BYTES = 8
/** The text begins here, and the facts follow in the order of their numbers. */
const HEAD_BYTES = 16
const DIGEST_LENGTH = 64
const HEX = /^(?:[0-9a-f]{2})*$/

/** What is known of a text, and asked for seldom. */
export interface TextFacts {
  /** In hexadecimal. */
  readonly revision: string
  /** Where it was read, for people. */
  readonly location: string
  /** Of a prompt. */
  readonly name?: string
  readonly description?: string
  /** Of a version: it is in the text. */
  readonly digest?: string
}

interface Slab {
  readonly bytes: Buffer
  /** Bytes of texts that are still served. */
  live: number
}

/**
 * Texts of documents and facts about them. Stored outside the V8 heap: minor GC pauses grow with the size of the heap.
 * Slabs are append-only, so readers of an older snapshot never see changed bytes.
 */
export class KeptTexts {
  /** Full, so that the first text takes a slab: a catalog without texts needs none. */
  #filling: Slab = { bytes: Buffer.alloc(0), live: 0 }
  #used = SLAB_BYTES

  /**
   * Keeps a text and the facts about it; undefined for a long text and for a document without one.
   *
   * @param create makes the object that refers to the kept text
   */
  keep(content: StoredDocument['content'], facts: TextFacts): KeptText | undefined
  keep<Kept extends KeptText>(
    content: StoredDocument['content'],
    facts: TextFacts,
    create: (place: KeptPlace, format: TextFormat) => Kept,
  ): Kept | undefined
  keep(
    content: StoredDocument['content'],
    facts: TextFacts,
    create = (place: KeptPlace, format: TextFormat): KeptText => new PlainKeptText(place, format),
  ): KeptText | undefined {
    if (content.kind !== 'text' || content.text.length > LONGEST) return undefined
    const parts = partsOf(content.text, facts)
    return parts && create(this.#write(parts), content.format)
  }

  /** Brings a text out of a slab of which less than half is served, so that the slab can go. */
  tidy(kept: KeptText): void {
    const { slab } = kept
    if (slab.live < SLAB_BYTES / 2 && slab !== this.#filling) kept.moveTo(this.#take(kept.bytes))
  }

  #write({ text, textBytes, digestPlace, facts, factBytes, revision }: Parts): KeptPlace {
    let length = HEAD_BYTES + textBytes
    for (const each of factBytes) length += each
    const place = this.#take(length)
    const { slab, start } = place
    const { bytes } = slab
    bytes.writeUInt32LE(textBytes, start + TEXT_BYTES)
    bytes.writeUInt32LE(digestPlace, start + DIGEST_PLACE)
    for (let index = 0; index < factBytes.length; index += 1)
      bytes.writeUInt16LE(at(factBytes, index), start + FACT_BYTES + index * 2)
    const afterText = start + HEAD_BYTES + bytes.write(text, start + HEAD_BYTES)
    const afterFacts = afterText + bytes.write(facts, afterText)
    bytes.write(revision, afterFacts, 'hex')
    return place
  }

  #take(bytes: number): KeptPlace {
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

/** Where a text is kept. */
export interface KeptPlace {
  readonly slab: Slab
  readonly start: number
}

/** Memory that the collector does not count: it would look through everything for each 64 MB of it. */
function emptySlab(): Slab {
  return { bytes: Buffer.from(new SharedArrayBuffer(SLAB_BYTES)), live: 0 }
}

/** What is written of a text. */
interface Parts {
  readonly text: string
  readonly textBytes: number
  readonly digestPlace: number
  /** In the order of their numbers but for the revision, and written together: `bench:scale`, load. */
  readonly facts: string
  /** Of each fact, and of the revision. */
  readonly factBytes: readonly number[]
  readonly revision: string
}

/** undefined for what cannot be read back as it was, or is very long. */
function partsOf(
  text: string,
  { revision, location, name = '', description = '', digest }: TextFacts,
): Parts | undefined {
  const facts = [location, name, description]
  // Half a character is not valid UTF-8.
  if (!text.isWellFormed() || !facts.every((each) => each.isWellFormed()) || !HEX.test(revision))
    return undefined
  const factBytes = [...facts.map((each) => Buffer.byteLength(each)), revision.length / 2]
  if (factBytes.some((length) => length > MAX_FACT)) return undefined
  const textBytes = Buffer.byteLength(text)
  // What is written with escapes is not found.
  const digestPlace = digest === undefined ? 0 : Buffer.from(text).indexOf(digest) + 1
  const isLost = digest !== undefined && (digestPlace === 0 || digest.length !== DIGEST_LENGTH)
  return isLost || textBytes > MAX_BYTES
    ? undefined
    : { text, textBytes, digestPlace, facts: facts.join(''), factBytes, revision }
}

/** The text of one document, and what is known of it. */
export abstract class KeptText implements DocumentSource {
  slab: Slab
  #start: number

  constructor({ slab, start }: KeptPlace) {
    this.slab = slab
    this.#start = start
  }

  abstract get format(): TextFormat

  get text(): string {
    return partOf(this.slab, this.#start, 0)
  }

  get location(): string {
    return partOf(this.slab, this.#start, 1)
  }

  get name(): string {
    return partOf(this.slab, this.#start, 2)
  }

  get description(): string {
    return partOf(this.slab, this.#start, 3)
  }

  get revision(): string {
    return partOf(this.slab, this.#start, 4)
  }

  /** Of a version; else empty. */
  get digest(): string {
    const { bytes } = this.slab
    const place = bytes.readUInt32LE(this.#start + DIGEST_PLACE)
    if (place === 0) return ''
    const start = this.#start + HEAD_BYTES + place - 1
    return bytes.toString('latin1', start, start + DIGEST_LENGTH)
  }

  /** Of all of it. */
  get bytes(): number {
    return edgeOf(this.slab.bytes, this.#start, PARTS)
  }

  /** Where it is kept now. */
  get place(): KeptPlace {
    return { slab: this.slab, start: this.#start }
  }

  /** Whether these bytes are the text's. */
  holds(bytes: Uint8Array): boolean {
    const kept = this.slab.bytes
    const length = kept.readUInt32LE(this.#start + TEXT_BYTES)
    const start = this.#start + HEAD_BYTES
    return bytes.length === length && kept.compare(bytes, 0, length, start, start + length) === 0
  }

  /** It is not served any more. */
  release(): void {
    this.slab.live -= this.bytes
  }

  moveTo({ slab, start }: KeptPlace): void {
    this.slab.bytes.copy(slab.bytes, start, this.#start, this.#start + this.bytes)
    this.release()
    this.slab = slab
    this.#start = start
  }
}

/** A text of any format. */
class PlainKeptText extends KeptText {
  readonly #format: TextFormat

  constructor(place: KeptPlace, format: TextFormat) {
    super(place)
    this.#format = format
  }

  get format(): TextFormat {
    return this.#format
  }
}

/** The text, its location, name and description, and its revision, which is kept as bytes. */
const PARTS = 5
const REVISION = 4

/** A part as it was written. No method: those that are private cost each object a field. */
function partOf({ bytes }: Slab, start: number, index: number): string {
  const encoding = index === REVISION ? 'hex' : 'utf8'
  return bytes.toString(
    encoding,
    start + edgeOf(bytes, start, index),
    start + edgeOf(bytes, start, index + 1),
  )
}

/** Where a part begins, and the one before it ends, from the beginning of a kept text. */
function edgeOf(bytes: Buffer, start: number, index: number): number {
  if (index === 0) return HEAD_BYTES
  let edge = HEAD_BYTES + bytes.readUInt32LE(start + TEXT_BYTES)
  for (let part = 1; part < index; part += 1) edge += bytes.readUInt16LE(start + FACT_BYTES + (part - 1) * 2)
  return edge
}
