import { createHash, hash } from 'node:crypto'
import { documentKey } from '../store/document-key.js'
import { type DocumentAddress, isLabelKind, KINDS, type Kind } from '../store/store.js'

const LANES = 3
const DIGITS_PER_LANE = 8

/** The document that a key names. */
export function addressOfKey(key: string): DocumentAddress {
  const [first, ...path] = key.split(':')
  const kind = KINDS.find((each) => each === first)
  if (kind === undefined) throw new RangeError(`there are no documents of the kind ${first}`)
  return { kind, path }
}

/** The id that people know a document by: its path with dots, and of a label's `review.code_review@production`. */
export function idOfPath(kind: Kind, path: readonly string[]): string {
  return isLabelKind(kind) ? `${path.slice(0, -1).join('.')}@${path.at(-1)}` : path.join('.')
}

/** The id that people know the document of a key by. */
export function idOfKey(key: string): string {
  const { kind, path } = addressOfKey(key)
  return idOfPath(kind, path)
}

/** A document's revision: the start of a SHA-256 over its address and its text. */
export function revisionOf(address: DocumentAddress, text: string): string {
  return revisionOfKey(documentKey(address), text)
}

/** The revision of a document whose key is known. */
export function revisionOfKey(key: string, text: string): string {
  DIGEST.write(hash('sha256', `${key}\0${text}`, 'binary'), 'binary')
  return revisionOfDigest(DIGEST)
}

/** One for all: a buffer for each document of a catalog is more work for the collector. Row "load" of `npm run bench:scale`. */
const DIGEST = Buffer.alloc(32)

/** The revision of a document whose key and text are hashed. */
export function revisionOfDigest(digest: Buffer): string {
  // Written out from the bytes: a slice of the full digest would keep all of it in memory.
  return digest.toString('hex', 0, (LANES * DIGITS_PER_LANE) / 2)
}

/** Whether the document of this key, with these bytes of UTF-8 as its text, has this revision. */
export function fitsRevision(revision: string, key: string, bytes: Uint8Array): boolean {
  const digest = createHash('sha256').update(`${key}\0`).update(bytes).digest('hex')
  return digest.startsWith(revision)
}

/** A sum of revisions that does not depend on their order and can be kept up to date one by one. */
export class RevisionSum {
  readonly #lanes = new Uint32Array(LANES)

  add(revision: string): void {
    for (let lane = 0; lane < LANES; lane += 1)
      this.#lanes[lane] = at(this.#lanes, lane) + digits(revision, lane)
  }

  remove(revision: string): void {
    for (let lane = 0; lane < LANES; lane += 1)
      this.#lanes[lane] = at(this.#lanes, lane) - digits(revision, lane)
  }

  toString(): string {
    return [...this.#lanes].map((lane) => lane.toString(16).padStart(DIGITS_PER_LANE, '0')).join('')
  }
}

function at(lanes: Uint32Array, lane: number): number {
  return lanes[lane] ?? 0
}

function digits(revision: string, lane: number): number {
  return Number.parseInt(revision.slice(lane * DIGITS_PER_LANE, (lane + 1) * DIGITS_PER_LANE), 16)
}
