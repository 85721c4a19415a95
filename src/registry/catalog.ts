import { documentKey } from '../store/document-key.js'
import { type DocumentAddress, type Kind, LABEL_KINDS, type StoredDocument } from '../store/store.js'
import type { JsonObject } from '../util/json/json.js'
import type { Sliced } from '../util/slices/sliced.js'
import type { AheadDocument } from './ahead-document.js'
import { ConditionLog } from './condition-log.js'
import { type ContextChange, contextObject, EMPTY_CONTEXT, updateContext } from './context-tree.js'
import { collectDiagnostics } from './diagnostics.js'
import { DocumentFaults, isFaulty } from './document-faults.js'
import { DocumentRecord } from './document-record.js'
import { KeptPrompt, KeptVersion, type PromptTraits } from './kept-prompt.js'
import { type KeptFacts, KeptTexts } from './kept-texts.js'
import { claimsOf, type ShelfClaim, type ShelfName, toolClaims } from './kinds.js'
import type { LabelGates } from './label-judge.js'
import { Lives } from './lives.js'
import type { LabelMove } from './log-releases.js'
import { type Reading, type ReadResult, readDocument, readInPieces, type Served } from './read-document.js'
import type { DocumentCondition, RegistryChange } from './registry.js'
import { dependencesOf } from './requirements.js'
import { addressOfKey, fitsRevision, idOfPath, RevisionSum, revisionOfKey } from './revision.js'
import { type CommittedShelves, commitShelves, createShelves, lostClaims } from './shelves.js'
import type {
  AgentVersion,
  Diagnostic,
  PromptEntry,
  PromptVersion,
  ReleaseEntry,
  Snapshot,
  ToolEntry,
} from './snapshot.js'
import type { TemplateEngine } from './template-engine.js'
import { toldOf } from './told-problems.js'
import { type ProvidedExtension, type UnmetDependence, unmetDependences } from './unmet-dependences.js'

export interface Commit {
  readonly snapshot: Snapshot
  readonly changes: readonly RegistryChange[]
  /** Documents that broke or were mended; of the first commit all that are broken. */
  readonly conditions: readonly DocumentCondition[]
  /** Labels that point elsewhere; none of the first commit. */
  readonly moves: readonly LabelMove[]
}

/**
 * The catalog while it is being kept up to date: documents go in one by one, `commit` gives the next snapshot.
 * A change costs what it touches, not what the catalog holds.
 */
export class Catalog {
  readonly #engine: TemplateEngine
  readonly #records = new Map<string, DocumentRecord>()
  /** Removed documents and as of when, until every older answer is in. */
  readonly #removed = new Map<string, number>()
  readonly #faults = new DocumentFaults()
  readonly #collisions = new Map<string, string>()
  /** Extensions that are served, by key. */
  readonly #contributing = new Map<string, DocumentRecord>()
  /** What others may depend on, by key: extensions of any type. */
  readonly #provided = new Map<string, ProvidedExtension>()
  #unmet: ReadonlyMap<string, readonly UnmetDependence[]> = new Map()
  #requirementsChanged = false
  readonly #revision = new RevisionSum()
  readonly #texts = new KeptTexts()
  /** Of the last prompt that was kept. */
  #traits: PromptTraits | undefined
  readonly #shelves = createShelves()
  readonly #promptLives: Lives<PromptVersion>
  readonly #agentLives: Lives<AgentVersion>
  /** Releases whose versions were not looked for yet. */
  #newReleases = noReleases()
  /** Digests of versions that were served and removed, by key. */
  readonly #gone = new Map<string, string>()
  #mounted: readonly ToolEntry[] = []
  #context = EMPTY_CONTEXT
  #contextChanges: ContextChange[] = []
  readonly #conditions = new ConditionLog()
  #diagnostics: readonly Diagnostic[] = []
  #diagnosticsChanged = false
  #sequence = 0
  #committed = ''

  /**
   * @param bundled prompts that are there without a document
   * @param gates what releases need before they are served, by label
   */
  constructor(engine: TemplateEngine, bundled: readonly PromptEntry[] = [], gates: LabelGates = {}) {
    this.#engine = engine
    this.#promptLives = new Lives('templates', gates)
    this.#agentLives = new Lives('agents', gates)
    for (const entry of bundled) {
      this.#revision.add(entry.revision)
      this.#claim({ shelf: 'prompts', id: entry.id, entry })
    }
  }

  get size(): number {
    return this.#records.size
  }

  /** Whether a prompt has or had a release, as far as this process saw. */
  wasReleased(id: string): boolean {
    return this.#promptLives.wasReleased(id)
  }

  /** Takes a document as it was at `asOf`; returns false when it is known already. */
  put(document: AheadDocument, asOf: number, load: number): boolean {
    const taken = this.#begin(document, asOf, load)
    return taken !== undefined && this.#end(taken, readDocument(taken))
  }

  /** The same for a document that takes long to read. Until it is in, nothing else may be written. */
  *putInPieces(document: AheadDocument, asOf: number, load: number): Sliced<boolean> {
    const taken = this.#begin(document, asOf, load)
    return taken !== undefined && this.#end(taken, yield* readInPieces(taken))
  }

  /** What there is to read; undefined for what is known, or was known later. */
  #begin(document: AheadDocument, asOf: number, load: number): Taken | undefined {
    const key = documentKey(document)
    const record = this.#records.get(key)
    if (asOf < (record?.asOf ?? this.#removed.get(key) ?? 0)) return undefined
    const revision = document.ahead?.revision ?? revisionOfKey(key, textOf(document))
    if (record !== undefined) {
      this.#see(record, asOf, load)
      if (
        record.revision === revision &&
        record.location === document.location &&
        record.note === document.note
      )
        return undefined
    }
    // Also where a document is: one that was refused for its digest is no reason to take the next one.
    const knownDigest = this.#gone.get(key)
    const known = { last: record?.served, knownDigest, engine: this.#engine }
    const taken = { document, revision, ...known, key, record, asOf, load }
    if (!KEPT_FIRST.has(document.kind)) return taken
    const kept = this.#texts.keep(document.content, { location: document.location, revision })
    return { ...taken, document: { ...document, kept } }
  }

  #end({ document, revision, last, key, record, asOf, load }: Taken, read: ReadResult): boolean {
    // A full load may have seen it meanwhile, as it is known.
    if (asOf < (record?.asOf ?? 0)) {
      document.kept?.release()
      return false
    }
    const { location, note } = document
    const { served, kept } = this.#keep(document, { location, revision }, read.served, last)
    const { problems } = read
    const seenIn = Math.max(record?.seenIn ?? 0, load)
    const text = served === undefined ? shortText(document) : undefined
    const notes = { location, revision, note, problems, told: toldOf(key, location, problems), text }
    const after = new DocumentRecord({ key, asOf, seenIn }, { served, kept }, notes)
    if (read.provides !== undefined) this.#provided.set(key, read.provides)
    this.#replace(document, key, record, after)
    this.#removed.delete(key)
    return true
  }

  /** Of a prompt more is kept than its text, and that is known once it is read. */
  #keep(
    { kind, content, kept: ahead }: AheadDocument,
    place: KeptFacts,
    served: Served | undefined,
    last: Served | undefined,
  ): Pick<DocumentRecord, 'served' | 'kept'> {
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

  #keepVersion(
    version: PromptVersion,
    content: AheadDocument['content'],
    place: KeptFacts,
  ): Pick<DocumentRecord, 'served' | 'kept'> {
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

  /** Whether the document is known with these bytes as its text at `asOf`, or as it was later: then it was seen. */
  confirm(key: string, bytes: Uint8Array, asOf: number, load: number): boolean {
    const record = this.#records.get(key)
    if (record === undefined) return false
    if (asOf < record.asOf) return true
    const isSame = record.kept?.holds(bytes) ?? fitsRevision(record.revision, key, bytes)
    if (isSame) this.#see(record, asOf, load)
    return isSame
  }

  #see(record: DocumentRecord, asOf: number, load: number): void {
    record.asOf = asOf
    record.seenIn = Math.max(record.seenIn, load)
    if (record.kept !== undefined) this.#texts.tidy(record.kept)
  }

  /** The document did not exist at `asOf`. */
  remove(address: DocumentAddress, asOf: number): boolean {
    const key = documentKey(address)
    const record = this.#records.get(key)
    if (asOf < (record?.asOf ?? this.#removed.get(key) ?? 0)) return false
    this.#removed.set(key, asOf)
    if (record === undefined) return false
    this.#provided.delete(key)
    this.#remember(key, record.served)
    this.#replace(address, key, record, undefined)
    return true
  }

  /** A number that was served keeps its digest, even when its document comes back. */
  #remember(key: string, served: Served | undefined): void {
    if (served?.kind !== 'templates' && served?.kind !== 'agents') return
    if (served.version === undefined || this.#gone.size >= MAX_GONE) return
    this.#gone.set(key, served.version.digest)
  }

  /** Where versions should be that labels name and that were never looked for; each is named once. */
  *unknownVersions(): Generator<DocumentAddress> {
    const { versions, agentVersions } = this.#shelves
    yield* this.#promptLives.missing(this.#newReleases.releases, (name) => versions.has(name))
    yield* this.#agentLives.missing(this.#newReleases['agent-releases'], (name) => agentVersions.has(name))
    this.#newReleases = noReleases()
  }

  /** Takes the tools that no document defines, instead of those it was given before. */
  mount(entries: readonly ToolEntry[]): void {
    this.#requirementsChanged = true
    const kept = new Set(entries)
    for (const entry of this.#mounted) {
      if (kept.has(entry)) continue
      this.#revision.remove(entry.revision)
      for (const claim of toolClaims(entry)) this.#release(claim)
    }
    const known = new Set(this.#mounted)
    for (const entry of entries) {
      if (known.has(entry)) continue
      this.#revision.add(entry.revision)
      for (const claim of toolClaims(entry)) this.#claim(claim)
    }
    this.#mounted = entries
  }

  /** Every answer asked for before now is in: removed documents need not be remembered. */
  forgetRemoved(): void {
    this.#removed.clear()
  }

  /** Documents that a load begun at `asOf` should have seen, and did not. */
  *unseen(load: number, asOf: number): Generator<DocumentAddress | undefined> {
    for (const record of this.#records.values()) {
      yield record.seenIn < load && record.asOf < asOf ? addressOfKey(record.key) : undefined
    }
  }

  /** Brings the context up to date with the documents so far, so that no commit has to do much at once. */
  settle(): void {
    if (this.#contextChanges.length === 0) return
    const changes = this.#contextChanges
    this.#contextChanges = []
    this.#context = updateContext(this.#context, changes, (path, message) => this.#collide(path, message))
  }

  /** The next snapshot; undefined when nothing changed since the last one. The first one lists no changes. */
  commit(): Commit | undefined {
    this.settle()
    const tools = this.#shelves.tools.commit()
    if (this.#requirementsChanged) this.#meetRequirements(tools.after)
    const shelves = commitShelves(this.#shelves, tools)
    const lives = this.#commitLives(shelves.committed)
    if (shelves.isTouched || lives.isTouched || this.#sequence === 0) this.#diagnosticsChanged = true
    const changes = this.#sequence === 0 ? [] : shelves.changes
    const revision = this.#revision.toString()
    const same = changes.length === 0 && !this.#diagnosticsChanged && revision === this.#committed
    if (same && this.#sequence > 0) return undefined
    this.#committed = revision
    this.#sequence += 1
    const { told, stalePrompts, brokenTexts } = this.#faults.commit()
    if (this.#diagnosticsChanged) this.#diagnostics = this.#collectDiagnostics(told)
    this.#diagnosticsChanged = false
    const snapshot = {
      revision,
      sequence: this.#sequence,
      ...shelves.maps,
      ...lives.maps,
      context: contextObject(this.#context),
      diagnostics: this.#diagnostics,
      stalePrompts,
      brokenTexts,
      unmetDependences: this.#unmet,
    }
    const conditions = [...this.#conditions.take(), ...lives.conditions]
    return { snapshot, changes, conditions, moves: lives.moves }
  }

  #commitLives({
    versions,
    agentVersions,
    releases,
    agentReleases,
    prompts,
    agents,
  }: CommittedShelves['committed']) {
    const ofPrompts = this.#promptLives.commit({ versions, releases, heads: prompts })
    const ofAgents = this.#agentLives.commit({
      versions: agentVersions,
      releases: agentReleases,
      heads: agents,
    })
    return {
      maps: { promptLives: ofPrompts.after, agentLives: ofAgents.after },
      conditions: [...ofPrompts.conditions, ...ofAgents.conditions],
      moves: [...ofPrompts.moves, ...ofAgents.moves],
      isTouched: ofPrompts.isTouched || ofAgents.isTouched,
    }
  }

  #replace(
    address: DocumentAddress,
    key: string,
    before: DocumentRecord | undefined,
    after: DocumentRecord | undefined,
  ): void {
    if (before !== undefined) this.#revision.remove(before.revision)
    before?.kept?.release()
    if (after !== undefined) this.#revision.add(after.revision)
    if (before?.served !== after?.served) this.#serve(before?.served, after?.served, address)
    this.#noteRequirements(address.kind, key, after)
    if (after === undefined) this.#records.delete(key)
    else this.#records.set(key, after)
    if (!isFaulty(before) && !isFaulty(after)) return
    this.#conditions.replaced(key, before, after)
    this.#faults.replace(before, after)
    this.#diagnosticsChanged = true
  }

  /** The next commit looks what is missing. */
  #noteRequirements(kind: Kind, key: string, after: DocumentRecord | undefined): void {
    if (kind !== 'extensions' && kind !== 'tools') return
    this.#requirementsChanged = true
    if (kind === 'extensions') keep(this.#contributing, key, after, after?.served?.kind === 'extensions')
  }

  /** Finds out which extensions lack something they depend on. */
  #meetRequirements(tools: Snapshot['tools']): void {
    this.#requirementsChanged = false
    const documents = [...this.#contributing].map(([key, record]) => [key, documentOf(record)] as const)
    const needy = documents.filter(([, document]) => dependencesOf(document).length > 0)
    if (needy.length === 0 && this.#unmet.size === 0) return
    const modules = new Set([...tools].map(([, { definition }]) => definition.module))
    const byId = needy.map(([key, document]) => [idOfKey(key), document] as const)
    this.#unmet = unmetDependences(byId, this.#provided.values(), modules)
    this.#diagnosticsChanged = true
  }

  #serve(before: Served | undefined, after: Served | undefined, { kind, path }: DocumentAddress): void {
    const claims = claimsOf(after)
    if (after?.kind === 'releases' || after?.kind === 'agent-releases')
      this.#newReleases[after.kind].push(after.entry)
    if (before !== undefined) this.#releaseAllBut(claims, before)
    for (const claim of claims) this.#claim(claim)
    if (kind !== 'environs') return
    this.#contextChanges.push({ path, value: after?.kind === 'environs' ? after.entry.value : undefined })
  }

  #releaseAllBut(claims: readonly ShelfClaim[], before: Served): void {
    const kept = new Set(claims.map(nameOf))
    for (const claim of claimsOf(before)) if (!kept.has(nameOf(claim))) this.#release(claim)
  }

  #claim<Shelf extends ShelfName>({ shelf, id, entry }: ShelfClaim<Shelf>): void {
    this.#shelves[shelf].claim(id, entry)
  }

  #release({ shelf, id, entry }: ShelfClaim): void {
    this.#shelves[shelf].release(id, entry.location)
  }

  #collide(path: readonly string[], message: string | undefined): void {
    if (message === undefined && this.#collisions.size === 0) return
    const key = documentKey({ kind: 'environs', path })
    if (this.#collisions.get(key) === message) return
    this.#diagnosticsChanged = true
    if (message === undefined) this.#collisions.delete(key)
    else this.#collisions.set(key, message)
  }

  #collectDiagnostics(told: readonly Diagnostic[]): readonly Diagnostic[] {
    const hidden = [...this.#collisions].flatMap(([key, message]) => {
      const record = this.#records.get(key)
      return record === undefined ? [] : [{ record, message }]
    })
    return collectDiagnostics({
      told,
      hidden,
      unmet: (this.#unmet.size === 0 ? [] : [...this.#contributing.values()]).flatMap((record) => {
        const missing = this.#unmet.get(idOfKey(record.key))?.filter(({ isRequired }) => isRequired) ?? []
        return missing.map(({ message, index }) => ({ record, message, index }))
      }),
      lost: lostClaims(this.#shelves),
      lives: [...this.#promptLives.findings(), ...this.#agentLives.findings()],
    })
  }
}

/** More removed versions are not remembered. */
const MAX_GONE = 100_000

function noReleases(): Record<'releases' | 'agent-releases', ReleaseEntry[]> {
  return { releases: [], 'agent-releases': [] }
}

/** A document that is being read, and when it was asked for. */
interface Taken extends Reading {
  readonly key: string
  /** What was known of it. */
  readonly record: DocumentRecord | undefined
  readonly asOf: number
  readonly load: number
}

function nameOf({ shelf, id, entry }: ShelfClaim): string {
  return `${shelf} ${id} ${entry.location}`
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value | undefined, wanted: boolean): void {
  if (wanted && value !== undefined) map.set(key, value)
  else map.delete(key)
}

/** Kinds whose texts are kept before they are read, so that what they serve can tell where its text is. */
const KEPT_FIRST: ReadonlySet<Kind> = new Set(['extensions', 'tools', 'agents', ...LABEL_KINDS])
/** Longer texts, in UTF-16 code units, are not kept to be shown. */
const MAX_SHOWN = 65_536

function shortText({ content }: StoredDocument): string | undefined {
  return content.kind === 'text' && content.text.length <= MAX_SHOWN ? content.text : undefined
}

function textOf({ content }: StoredDocument): string {
  return content.kind === 'text' ? content.text : `unreadable: ${content.problem}`
}

function idOfKey(key: string): string {
  const { kind, path } = addressOfKey(key)
  return idOfPath(kind, path)
}

function documentOf({ served }: DocumentRecord): JsonObject {
  return served?.kind === 'extensions' ? served.entry.document : {}
}
