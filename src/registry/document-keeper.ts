import type { AheadDocument } from './ahead-document.js'
import type { DocumentRecord } from './document-record.js'
import { KeptPrompt, KeptVersion, type PromptTraits } from './kept-prompt.js'
import { type KeptFacts, type KeptText, KeptTexts } from './kept-texts.js'
import type { Served } from './read-document.js'
import type { PromptVersion } from './snapshot.js'

/** What is served from a document, and its text. */
export type KeptDocument = Pick<DocumentRecord, 'served' | 'kept'>

/** Keeps texts of documents outside of V8's heap, and serves prompts from them, so that a million are few objects. */
export class DocumentKeeper {
  readonly #texts = new KeptTexts()
  /** Of the last prompt that was kept. */
  #traits: PromptTraits | undefined

  /** The document with its text kept, before it is read: what it serves can tell where its text is. */
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
    const { name, description } = served.entry.definition
    const kept = this.#texts.keep(content, { ...place, name, description })
    if (kept === undefined) return { served, kept }
    if (kept.format !== 'json') return { served: { kind, entry: { ...served.entry, source: kept } }, kept }
    const prompt = new KeptPrompt(served.entry, kept, this.#traits)
    this.#traits = prompt.traits
    return { served: prompt, kept }
  }

  /** Moves a text that is still served out of a slab that mostly holds others. */
  tidy(kept: KeptText): void {
    this.#texts.tidy(kept)
  }

  #keepVersion(version: PromptVersion, content: AheadDocument['content'], place: KeptFacts): KeptDocument {
    const served = { kind: 'templates', version } as const
    // What its key holds is not what it serves.
    if (version.isReplaced) return { served, kept: this.#texts.keep(content, place) }
    const { name, description } = version.prompt.definition
    const kept = this.#texts.keep(content, { ...place, name, description, digest: version.digest })
    if (kept?.format !== 'json') return { served, kept }
    const entry = new KeptVersion(version, kept, this.#traits)
    this.#traits = entry.traits
    return { served: entry, kept }
  }
}
