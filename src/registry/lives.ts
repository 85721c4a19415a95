import type { DocumentAddress } from '../store/store.js'
import { RELEASE_KINDS, versionAddress } from '../versions/addresses.js'
import type { VersionedKind } from '../versions/version-document.js'
import type { Claim, Committed } from './claim-table.js'
import { type LabelGates, LabelJudge } from './label-judge.js'
import { isMoved, type LabelMove } from './log-releases.js'
import { PersistentMap } from './persistent-map.js'
import type { DocumentCondition } from './registry.js'
import type { Label, Life, ReleaseEntry, VersionEntry } from './snapshot.js'
import { headPath, isDocument, spelledPath } from './spelled-path.js'

/** What was committed of the shelves that lives are made of. */
export interface LifeCommits<Version extends VersionEntry> {
  readonly versions: Committed<Version>
  readonly releases: Committed<ReleaseEntry>
  /** Prompts or agents by id. */
  readonly heads: Committed<Claim>
}

/** What a commit of lives gives. */
export interface CommittedLives<Version extends VersionEntry> {
  readonly after: PersistentMap<Life<Version>>
  /** Whether there is something else to say. */
  readonly isJudgedAnew: boolean
  readonly conditions: readonly DocumentCondition[]
  /** Labels that point elsewhere; none of the first commit. */
  readonly moves: readonly LabelMove[]
}

const EVENTS = { templates: 'release', agents: 'agent-release' } as const

/** A label whose release does not serve, or a version without its head. */
export interface LifeFinding {
  readonly code: 'release_unusable' | 'orphan_version' | 'ambiguous_key'
  /** Of the document that it is about. */
  readonly kind: DocumentAddress['kind']
  readonly id: string
  readonly location: string
  readonly message: string
}

/**
 * Versions and labels by the id of their prompt or agent. What a label serves is worked out when one of the documents
 * changes; a change costs what its prompt has.
 */
export class Lives<Version extends VersionEntry> {
  readonly #kind: VersionedKind
  readonly #judge: LabelJudge
  #lives = new PersistentMap<Life<Version>>()
  #isLoaded = false
  readonly #findings = new Map<string, readonly LifeFinding[]>()
  /** Labels whose releases were seen: a prompt that had one is not served as its head any more. */
  readonly #released = new Set<string>()

  constructor(kind: VersionedKind, gates: LabelGates) {
    this.#kind = kind
    this.#judge = new LabelJudge(kind, gates)
  }

  /** What there is to say about all labels and versions. */
  *findings(): Generator<LifeFinding> {
    for (const each of this.#findings.values()) yield* each
  }

  /** Whether a prompt has or had a release, as far as this process saw. */
  wasReleased(id: string): boolean {
    return this.#released.has(id)
  }

  /** Takes what was committed. */
  commit(commits: LifeCommits<Version>): CommittedLives<Version> {
    const isFirst = !this.#isLoaded
    const touched = isFirst ? everythingIn(commits) : touchedIn(commits)
    this.#isLoaded = true
    if (touched.size === 0)
      return { after: this.#lives, isJudgedAnew: false, conditions: NO_CONDITIONS, moves: NO_MOVES }
    const draft = this.#lives.edit()
    const heads = new Set(commits.heads.touched)
    let isJudgedAnew = false
    const conditions: DocumentCondition[] = []
    const moves: LabelMove[] = []
    for (const [id, changed] of touched) {
      const before = this.#lives.get(id)
      // Most prompts have no versions, and their heads come and go by here, too.
      if (before === undefined && changed.size === 0) continue
      const life = this.#follow(before, changed, commits)
      if (life === undefined) draft.delete(id)
      else draft.set(id, life)
      const head = commits.heads.after.get(id)
      const isMoved = isFirst || heads.has(id) || !isDocument(head)
      if (this.#find({ id, life, head, changed: isMoved ? undefined : changed })) isJudgedAnew = true
      conditions.push(...this.#broken(before, life))
      if (!isFirst) moves.push(...this.#moved(id, before, life))
    }
    this.#lives = draft.commit()
    return { after: this.#lives, isJudgedAnew, conditions, moves }
  }

  /** Labels that stopped serving their release, or serve it again. */
  *#broken(
    before: Life<Version> | undefined,
    after: Life<Version> | undefined,
  ): Generator<DocumentCondition> {
    for (const { name, entry, problem, targets } of after?.labels.values() ?? []) {
      const wasUsable = before?.labels.get(name)?.problem === undefined
      const isUsable = problem === undefined
      // A malformed document says itself that it broke, and that it is good again.
      if (wasUsable === isUsable || entry.release === undefined) continue
      const subject = {
        kind: EVENTS[this.#kind],
        id: `${entry.id}@${name}`,
        location: entry.location,
      } as const
      if (isUsable) yield { ...subject, change: 'mended' }
      else yield { ...subject, change: 'broken', message: problem, servingLastGood: targets.length > 0 }
    }
  }

  /** Labels that point elsewhere, came or went. */
  *#moved(
    id: string,
    before: Life<Version> | undefined,
    after: Life<Version> | undefined,
  ): Generator<LabelMove> {
    const names = new Set([...(before?.labels.keys() ?? []), ...(after?.labels.keys() ?? [])])
    for (const label of names) {
      const move = { before: before?.labels.get(label), after: after?.labels.get(label) }
      if (isMoved(move.before, move.after)) yield { kind: this.#kind, id, label, ...move }
    }
  }

  /** Where versions should be that releases name and nobody has seen. */
  *missing(releases: Iterable<ReleaseEntry>, isThere: (name: string) => boolean): Generator<DocumentAddress> {
    for (const { id, path, release } of releases) {
      if (release === undefined) continue
      const named = [...release.targets, ...(release.previous === undefined ? [] : [release.previous])]
      for (const { version } of named)
        if (!isThere(`${id}@${version}`)) yield versionAddress(this.#kind, path, version)
    }
  }

  /** @param changed ids of shelves */
  #follow(
    before: Life<Version> | undefined,
    changed: ReadonlySet<string>,
    { versions, releases }: LifeCommits<Version>,
  ): Life<Version> | undefined {
    const names = [...changed]
    const numbered = followed(before?.versions ?? [], names.filter(isNumbered), versions.after, byNumber)
    const entries = [...(before?.labels.values() ?? [])].map(({ entry }) => entry)
    const labelled = followed(entries, names.filter(isLabelled), releases.after, byLabel)
    if (numbered.length === 0 && labelled.length === 0) return undefined
    return this.#life(numbered, labelled)
  }

  #life(versions: readonly Version[], entries: readonly ReleaseEntry[]): Life<Version> {
    // Most prompts have versions and no labels.
    if (entries.length === 0) return { versions, labels: NO_LABELS }
    const labels = new Map<string, Label<Version>>()
    for (const entry of entries) {
      this.#released.add(entry.id)
      labels.set(entry.label, this.#judge.judge(entry, { versions }))
    }
    return { versions, labels }
  }

  /** Looks at a life again. @returns whether there is or was something to say */
  #find(judged: JudgedLife<Version>): boolean {
    const { id, life, head } = judged
    const said = this.#findings.get(id) ?? NO_FINDINGS
    const found =
      life === undefined
        ? []
        : [
            ...this.#unusable(id, life),
            ...this.#orphans(id, life, head),
            ...this.#spelledOtherwise({ ...judged, life }, said),
          ]
    if (found.length > 0) this.#findings.set(id, found)
    else this.#findings.delete(id)
    return found.length + said.length > 0
  }

  #unusable(id: string, { labels }: Life<Version>): readonly LifeFinding[] {
    return [...labels.values()].flatMap(({ name, entry, problem, targets }) => {
      // A malformed document says itself what is wrong with it.
      if (problem === undefined || entry.release === undefined) return []
      const served = targets.map(({ version }) => `version ${version.number}`).join(', ')
      const message = `${problem}: ${served === '' ? 'nothing' : served} is served`
      const { location } = entry
      return [
        { code: 'release_unusable', kind: RELEASE_KINDS[this.#kind], id: `${id}@${name}`, location, message },
      ]
    })
  }

  #orphans(id: string, life: Life<Version>, head: Claim | undefined): readonly LifeFinding[] {
    const newest = life.versions.at(-1)
    if (head !== undefined || newest === undefined) return []
    const message = `${id} has versions and no document of its own: they are served by number and label`
    const { location } = newest
    return [{ code: 'orphan_version', kind: this.#kind, id: `${id}@${newest.number}`, location, message }]
  }

  /**
   * One id can be spelled `a:b.c` and `a.b:c`: commands look for versions and labels where the head is.
   *
   * @param said findings of before, which stay for what did not change
   */
  #spelledOtherwise(
    { id, life, head, changed }: JudgedLife<Version> & { readonly life: Life<Version> },
    said: readonly LifeFinding[],
  ): readonly LifeFinding[] {
    const kind = this.#kind
    const expected = isDocument(head)
      ? spelledPath(kind, head.location)
      : headPath(kind, life.versions.at(-1))
    if (expected === undefined) return []
    const spelling = expected.join(':')
    const isNew = (name: string) => changed?.has(name) ?? true
    const kept = said.filter((each) => each.code === 'ambiguous_key' && !isNew(each.id))
    const versions = life.versions
      .map((version) => ({ kind, id: nameOf(version), location: version.location, version }))
      .filter(({ id: name, version }) => isNew(name) && headPath(kind, version)?.join(':') !== spelling)
      .map(({ version: _, ...each }) => each)
    const labels = [...life.labels.values()]
      .filter(({ name, entry }) => isNew(`${id}@${name}`) && entry.path.join(':') !== spelling)
      .map(({ name, entry }) => ({
        kind: RELEASE_KINDS[kind],
        id: `${id}@${name}`,
        location: entry.location,
      }))
    const message = `the key of ${id} is spelled ${spelling}, and this one otherwise: rename it`
    return [
      ...kept,
      ...[...versions, ...labels].map((each) => ({ code: 'ambiguous_key' as const, ...each, message })),
    ]
  }
}

/** A life to say something about. */
interface JudgedLife<Version extends VersionEntry> {
  readonly id: string
  readonly life: Life<Version> | undefined
  readonly head: Claim | undefined
  /** Names of versions and labels that are looked at again; undefined for all. */
  readonly changed: ReadonlySet<string> | undefined
}

type Touched = ReadonlyMap<string, ReadonlySet<string>>

const NO_LIVES: Touched = new Map()
const NO_CONDITIONS: readonly DocumentCondition[] = []
const NO_MOVES: readonly LabelMove[] = []

function touchedIn<Version extends VersionEntry>({
  versions,
  releases,
  heads,
}: LifeCommits<Version>): Touched {
  // Most changes are of neither: `bench:registry`, SET → swap.
  if (versions.touched.length + releases.touched.length + heads.touched.length === 0) return NO_LIVES
  const touched = grouped([versions.touched, releases.touched])
  for (const id of heads.touched) if (!touched.has(id)) touched.set(id, NOTHING)
  return touched
}

function everythingIn<Version extends VersionEntry>({ versions, releases }: LifeCommits<Version>): Touched {
  return grouped([keysOf(versions.after), keysOf(releases.after)])
}

function grouped(lists: readonly Iterable<string>[]): Map<string, ReadonlySet<string>> {
  const byId = new Map<string, Set<string>>()
  for (const names of lists)
    for (const name of names) {
      const id = name.slice(0, name.lastIndexOf('@'))
      const known = byId.get(id)
      if (known === undefined) byId.set(id, new Set([name]))
      else known.add(name)
    }
  return byId
}

function* keysOf(map: Iterable<readonly [string, unknown]>): Generator<string> {
  for (const [key] of map) yield key
}

/** Entries with those that changed in their place: the list itself where none did. */
function followed<Entry extends VersionEntry | ReleaseEntry>(
  entries: readonly Entry[],
  changed: readonly string[],
  after: { get(name: string): Entry | undefined },
  order: (one: Entry, other: Entry) => number,
): readonly Entry[] {
  if (changed.length === 0) return entries
  const byName = new Map(entries.map((entry) => [nameOf(entry), entry]))
  for (const name of changed) {
    const entry = after.get(name)
    if (entry === undefined) byName.delete(name)
    else byName.set(name, entry)
  }
  return [...byName.values()].sort(order)
}

/** As shelves spell it. */
function nameOf(entry: VersionEntry | ReleaseEntry): string {
  return `${entry.id}@${'label' in entry ? entry.label : entry.number}`
}

/** Numbers of versions begin with a digit, labels with a letter. */
function isNumbered(name: string): boolean {
  const first = name.charCodeAt(name.lastIndexOf('@') + 1)
  return first >= 0x30 && first <= 0x39
}

function isLabelled(name: string): boolean {
  return !isNumbered(name)
}

const NOTHING: ReadonlySet<string> = new Set()
const NO_FINDINGS: readonly LifeFinding[] = []
const NO_LABELS: ReadonlyMap<string, never> = new Map<string, never>()

function byNumber(one: VersionEntry, other: VersionEntry): number {
  return one.number - other.number
}

function byLabel(one: ReleaseEntry, other: ReleaseEntry): number {
  return one.label < other.label ? -1 : 1
}
