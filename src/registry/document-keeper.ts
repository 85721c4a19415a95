import type { AheadDocument } from './ahead-document.js'
import { type DocumentRecord, hasNothing, NotedRecord, type RecordNotes } from './document-record.js'
import { KeptPrompt, KeptVersion, keptLocation, type PromptTraits, traitsOf } from './kept-prompt.js'
import { type KeptPlace, type KeptText, KeptTexts, type TextFacts } from './kept-texts.js'
import type { Served } from './read-document.js'
import type { PromptEntry, PromptVersion } from './snapshot.js'
import type { StampedKey } from './stamp.js'

/** What is served from a document, and its text. */
export type KeptDocument = Pick<DocumentRecord, 'served' | 'kept'>

/** What is known of a document when it is kept. */
interface KeptFacts extends TextFacts, StampedKey {}

/** The record of a document: what is kept of it, where that says all. */
export function recordOf(
  place: StampedKey,
  { served, kept }: KeptDocument,
  notes: RecordNotes,
): DocumentRecord {
  if (kept instanceof KeptPrompt || kept instanceof KeptVersion)
    if (Object.is(served, kept) && hasNothing(notes)) return kept
  return new NotedRecord(place, { served, kept }, notes)
}

/** Keeps texts of documents outside of V8's heap, and serves prompts from them, so that a million are few objects. */
export class DocumentKeeper {
  readonly #texts = new KeptTexts()
  /** Of the last prompt that was kept. */
  #traits: PromptTraits | undefined
  /** Ids of versions since the last commit: those of one prompt share a string. */
  readonly #ids = new Map<string, string>()

  /** The document with its text kept, before it is parsed, so that its entries can refer to the stored text. */
  ahead(document: AheadDocument, revision: string): AheadDocument {
    const kept = this.#texts.keep(document.content, { location: document.location, revision })
    return { ...document, kept }
  }

  /** Of a prompt more is kept than its text, and that is known once it is read. */
  keep(
    { kind, content, kept: ahead }: AheadDocument,
    place: KeptFacts,
    served: Served | undefined,
    last: Served | undefined,
  ): KeptDocument {
    if (kind !== 'templates') return { served, kept: ahead }
    if (served === undefined || served === last) return { served, kept: this.#texts.keep(content, place) }
    if (served.kind !== 'templates') return { served, kept: undefined }
    if (served.version !== undefined) return this.#keepVersion(served.version, content, place)
    return this.#keepHead(served.entry, content, place)
  }

  /** Moves a text that is still served out of a slab that mostly holds others. */
  tidy(kept: KeptText): void {
    this.#texts.tidy(kept)
  }

  /** What was read so far is committed. */
  settle(): void {
    this.#ids.clear()
  }

  #keepHead(entry: PromptEntry, content: AheadDocument['content'], place: KeptFacts): KeptDocument {
    const { name, description } = entry.definition
    const { key, stamp, revision } = place
    if (!isJsonText(content)) {
      const kept = this.#texts.keep(content, { revision, location: place.location, name, description })
      const withText = kept === undefined ? entry : { ...entry, source: kept }
      return { served: { kind: 'templates', entry: withText }, kept }
    }
    const traits = this.#traitsOf(entry)
    const create = (where: KeptPlace) => new KeptPrompt(entry.id, { place: where, traits, key, stamp })
    const location = keptLocation(key, place.location)
    const kept = this.#texts.keep(content, { revision, location, name, description }, create)
    return { served: kept ?? { kind: 'templates', entry }, kept }
  }

  #keepVersion(version: PromptVersion, content: AheadDocument['content'], place: KeptFacts): KeptDocument {
    const served = { kind: 'templates', version } as const
    // What its key holds is not what it serves.
    if (version.isReplaced) return { served, kept: this.#texts.keep(content, place) }
    const { prompt, number, digest } = version
    const { name, description } = prompt.definition
    const facts = { ...place, name, description, digest }
    if (!isJsonText(content)) return { served, kept: this.#texts.keep(content, facts) }
    const traits = this.#traitsOf(prompt)
    const named = { id: this.#sharedId(version.id), number }
    const { key, stamp } = place
    const create = (where: KeptPlace) => new KeptVersion(named, { place: where, traits, key, stamp })
    const location = keptLocation(key, place.location)
    const kept = this.#texts.keep(content, { ...facts, location }, create)
    return { served: kept ?? served, kept }
  }

  #sharedId(id: string): string {
    const known = this.#ids.get(id)
    if (known === undefined) this.#ids.set(id, id)
    return known ?? id
  }

  /** Most prompts of a catalog share them with the last one. */
  #traitsOf({ definition }: PromptEntry): PromptTraits {
    this.#traits = traitsOf(definition, this.#traits)
    return this.#traits
  }
}

function isJsonText(content: AheadDocument['content']): boolean {
  return content.kind === 'text' && content.format === 'json'
}
