import { documentKey } from '../store/document-key.js'
import { type DocumentAddress, type Kind, LABEL_KINDS, type StoredDocument } from '../store/store.js'
import type { Sliced } from '../util/slices/sliced.js'
import type { AheadDocument } from './ahead-document.js'
import { ConditionLog } from './condition-log.js'
import { type ContextChange, contextObject, EMPTY_CONTEXT, updateContext } from './context-tree.js'
import { collectDiagnostics } from './diagnostics.js'
import { DocumentFaults, isFaulty } from './document-faults.js'
import { DocumentKeeper, recordOf } from './document-keeper.js'
import type { DocumentRecord } from './document-record.js'
import { ExtensionNeeds } from './extension-needs.js'
import { diagnosticsOf } from './faults-in-order.js'
import { claimsOf, type ShelfClaim, type ShelfName, toolClaims } from './kinds.js'
import type { LabelGates } from './label-judge.js'
import { MAX_GONE_VERSIONS } from './limits.js'
import { Lives } from './lives.js'
import type { LabelMove } from './log-releases.js'
import type { PersistentMap } from './persistent-map.js'
import {
  type DocumentReading,
  type ReadResult,
  readDocument,
  readInPieces,
  type Served,
} from './read-document.js'
import type { DocumentCondition, RegistryChange } from './registry.js'
import { addressOfKey, fitsRevision, RevisionSum, revisionOfKey } from './revision.js'
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
import type { Stamp } from './stamp.js'
import type { TemplateEngine } from './template-engine.js'

export interface CatalogCommit {
  readonly snapshot: Snapshot
  readonly changes: readonly RegistryChange[]
  /** Documents that broke or recovered; for the first commit, all broken documents. */
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
  /** Removed documents and the answer that missed them, until every answer to an earlier question is in. */
  readonly #removed = new Map<string, Stamp>()
  readonly #faults = new DocumentFaults()
  readonly #collisions = new Map<string, string>()
  readonly #needs = new ExtensionNeeds()
  readonly #revision = new RevisionSum()
  readonly #keeper = new DocumentKeeper()
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
  /** Of the last snapshot. */
  #maps: readonly Readonly<Record<string, PersistentMap<unknown>>>[] = []

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

  /** Takes a document as an answer of the store has it; returns false when it is known already. */
  put(document: AheadDocument, stamp: Stamp): boolean {
    const taken = this.#begin(document, stamp)
    return taken !== undefined && this.#end(taken, readDocument(taken))
  }

  /** Takes a document that takes long to read. Until it is in, nothing else may be written. */
  *putInPieces(document: AheadDocument, stamp: Stamp): Sliced<boolean> {
    const taken = this.#begin(document, stamp)
    return taken !== undefined && this.#end(taken, yield* readInPieces(taken))
  }

  /** What there is to read; undefined for what is known, or was known later. */
  #begin(document: AheadDocument, stamp: Stamp): Taken | undefined {
    const key = documentKey(document)
    const record = this.#records.get(key)
    if (this.#isOutdated(stamp, key, record)) return undefined
    const revision = document.ahead?.revision ?? revisionOfKey(key, textOf(document))
    if (record !== undefined) {
      this.#see(record, stamp)
      if (
        record.revision === revision &&
        record.location === document.location &&
        record.note === document.note
      )
        return undefined
    }
    // Also where a document exists: after one was refused for its digest, the next text has to pass the same check.
    const knownDigest = this.#gone.get(key)
    const isKeptFirst = KEPT_FIRST.has(document.kind)
    const ready = isKeptFirst ? this.#keeper.ahead(document, revision) : document
    const last = record?.served
    // Named one by one, here and below: to spread takes a microsecond for each document (`bench:registry`, load).
    return { document: ready, revision, last, knownDigest, engine: this.#engine, key, record, stamp }
  }

  #end({ document, revision, last, key, record, stamp }: Taken, read: ReadResult): boolean {
    // A full load may have seen it meanwhile, as it is known.
    if (record !== undefined && stamp.isOlderThan(record.stamp)) {
      document.kept?.release()
      return false
    }
    const { location, note } = document
    const place = { key, stamp, location, revision }
    const keptDocument = this.#keeper.keep(document, place, read.served, last)
    const { served } = keptDocument
    const faults = diagnosticsOf(key, location, read.faults)
    const brokenText = served === undefined ? shortText(document) : undefined
    const notes = { location, revision, note, faults, brokenText }
    const after = recordOf(place, keptDocument, notes)
    // What an extension gives to others outlives its mistakes.
    if (read.provides !== undefined) this.#needs.provide(key, read.provides)
    this.#replace(document, key, record, after)
    this.#removed.delete(key)
    return true
  }

  /** True for an answer to an earlier question than the one that is known. */
  #isOutdated(stamp: Stamp, key: string, record: DocumentRecord | undefined): boolean {
    const known = record?.stamp ?? this.#removed.get(key)
    return known !== undefined && stamp.isOlderThan(known)
  }

  /** Whether the document is known with these bytes as its text, or from a later answer: then it was seen. */
  confirm(key: string, bytes: Uint8Array, stamp: Stamp): boolean {
    const record = this.#records.get(key)
    if (record === undefined) return false
    if (stamp.isOlderThan(record.stamp)) return true
    const isSame = record.kept?.holds(bytes) ?? fitsRevision(record.revision, key, bytes)
    if (isSame) this.#see(record, stamp)
    return isSame
  }

  #see(record: DocumentRecord, stamp: Stamp): void {
    record.stamp = stamp
    if (record.kept !== undefined) this.#keeper.tidy(record.kept)
  }

  /** An answer of the store does not have the document. */
  remove(address: DocumentAddress, stamp: Stamp): boolean {
    const key = documentKey(address)
    const record = this.#records.get(key)
    if (this.#isOutdated(stamp, key, record)) return false
    this.#removed.set(key, stamp)
    if (record === undefined) return false
    this.#needs.provide(key, undefined)
    this.#remember(key, record.served)
    this.#replace(address, key, record, undefined)
    return true
  }

  /** A number that was served keeps its digest, even when its document comes back. */
  #remember(key: string, served: Served | undefined): void {
    if (served?.kind !== 'templates' && served?.kind !== 'agents') return
    if (served.version === undefined || this.#gone.size >= MAX_GONE_VERSIONS) return
    this.#gone.set(key, served.version.digest)
  }

  /** Where versions should be that labels name and that were never looked for; each is named once. */
  unknownVersions(): readonly DocumentAddress[] {
    const { releases, 'agent-releases': agentReleases } = this.#newReleases
    if (releases.length + agentReleases.length === 0) return NO_ADDRESSES
    this.#newReleases = noReleases()
    const { versions, agentVersions } = this.#shelves
    return [
      ...this.#promptLives.missing(releases, (name) => versions.has(name)),
      ...this.#agentLives.missing(agentReleases, (name) => agentVersions.has(name)),
    ]
  }

  /** Takes the tools that no document defines, instead of those it was given before. */
  mount(entries: readonly ToolEntry[]): void {
    this.#needs.toolsChanged()
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

  /** Documents that no answer had since a load began: one step for each document, undefined for those that were seen. */
  *unseen(begun: Stamp): Generator<DocumentAddress | undefined> {
    for (const { stamp, key } of this.#records.values())
      yield stamp.isOlderThan(begun) ? addressOfKey(key) : undefined
  }

  /** Brings the context up to date with the documents so far, so that no commit has to do much at once. */
  settle(): void {
    if (this.#contextChanges.length === 0) return
    const changes = this.#contextChanges
    this.#contextChanges = []
    this.#context = updateContext(this.#context, changes, (path, message) => this.#collide(path, message))
  }

  /** Gives back memory that the last snapshot took while it grew. It says the same afterwards. */
  *trim(): Sliced<void> {
    for (const maps of this.#maps) for (const map of Object.values(maps)) yield* map.trim()
  }

  /** The next snapshot; undefined when nothing changed since the last one. The first one lists no changes. */
  commit(): CatalogCommit | undefined {
    this.settle()
    const shelves = commitShelves(this.#shelves)
    if (this.#needs.meet(shelves.maps.tools)) this.#diagnosticsChanged = true
    const lives = this.#commitLives(shelves.committed)
    if (shelves.isContested || lives.isJudgedAnew || this.#sequence === 0) this.#diagnosticsChanged = true
    const changes = this.#sequence === 0 ? [] : shelves.changes
    const revision = this.#revision.toString()
    const same = changes.length === 0 && !this.#diagnosticsChanged && revision === this.#committed
    if (same && this.#sequence > 0) return undefined
    this.#committed = revision
    this.#sequence += 1
    this.#keeper.settle()
    const { faults, stalePrompts, brokenTexts } = this.#faults.commit()
    if (this.#diagnosticsChanged) this.#diagnostics = this.#collectDiagnostics(faults)
    this.#diagnosticsChanged = false
    this.#maps = [shelves.maps, lives.maps]
    // A spread of all maps takes longer than the rest of a commit: `bench:registry`, SET → swap.
    const snapshot = Object.assign(
      {
        revision,
        sequence: this.#sequence,
        context: contextObject(this.#context),
        diagnostics: this.#diagnostics,
        stalePrompts,
        brokenTexts,
        unmetDependences: this.#needs.unmet,
      },
      shelves.maps,
      lives.maps,
    )
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
      isJudgedAnew: ofPrompts.isJudgedAnew || ofAgents.isJudgedAnew,
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
    if (address.kind === 'extensions') this.#needs.replaced(key, after)
    if (address.kind === 'tools') this.#needs.toolsChanged()
    if (after === undefined) this.#records.delete(key)
    else this.#records.set(key, after)
    if (!isFaulty(before) && !isFaulty(after)) return
    this.#conditions.replaced(key, before, after)
    this.#faults.replace(before, after)
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
    const released = claimsOf(before)
    const [first] = released
    // Most documents claim one place, and keep it: `bench:registry`, SET → next render.
    if (released.length === 1 && claims[0] !== undefined && isSamePlace(claims[0], first)) return
    const kept = new Set(claims.map(nameOf))
    for (const claim of released) if (!kept.has(nameOf(claim))) this.#release(claim)
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

  #collectDiagnostics(faults: readonly Diagnostic[]): readonly Diagnostic[] {
    const hidden = [...this.#collisions].flatMap(([key, message]) => {
      const record = this.#records.get(key)
      return record === undefined ? [] : [{ record, message }]
    })
    return collectDiagnostics({
      faults,
      hidden,
      unmet: this.#needs.required(),
      lost: lostClaims(this.#shelves),
      lives: [...this.#promptLives.findings(), ...this.#agentLives.findings()],
    })
  }
}

const NO_ADDRESSES: readonly DocumentAddress[] = []

function noReleases(): Record<'releases' | 'agent-releases', ReleaseEntry[]> {
  return { releases: [], 'agent-releases': [] }
}

/** A document that is being read, and the answer that it is from. */
interface Taken extends DocumentReading {
  readonly key: string
  /** What was known of it. */
  readonly record: DocumentRecord | undefined
  readonly stamp: Stamp
}

function isSamePlace(one: ShelfClaim, other: ShelfClaim | undefined): boolean {
  return one.shelf === other?.shelf && one.id === other.id && one.entry.location === other.entry.location
}

function nameOf({ shelf, id, entry }: ShelfClaim): string {
  return `${shelf} ${id} ${entry.location}`
}

/** Kinds whose texts are kept before they are parsed, so that entries can refer to their stored text. */
const KEPT_FIRST: ReadonlySet<Kind> = new Set(['extensions', 'tools', 'agents', ...LABEL_KINDS])
/** Longer texts, in UTF-16 code units, are not kept to be shown. */
const MAX_SHOWN = 65_536

function shortText({ content }: StoredDocument): string | undefined {
  return content.kind === 'text' && content.text.length <= MAX_SHOWN ? content.text : undefined
}

function textOf({ content }: StoredDocument): string {
  return content.kind === 'text' ? content.text : `unreadable: ${content.problem}`
}
