import { missingAgent } from '../../agents/catalog-agents.js'
import { ServiceError } from '../../errors.js'
import { findPrompt, realIdOf } from '../../prompts/find-prompt.js'
import type { AgentEntry, PromptEntry } from '../../registry/snapshot.js'
import { isDocument, subjectPath } from '../../registry/spelled-path.js'
import type { VersionReference } from '../../schema/version.js'
import type { CatalogWriter } from '../../store/catalog-writer.js'
import { didYouMean, nearNames } from '../../util/errors/near-names.js'
import { isJsonObject, type JsonObject } from '../../util/json/json.js'
import {
  historyAddress,
  type LifeAddress,
  proposalAddress,
  releaseAddress,
  versionAddress,
} from '../../versions/addresses.js'
import type { HistoryEntry } from '../../versions/history-entry.js'
import { splitChoice } from '../../versions/prompt-choice.js'
import { type Release, ReleaseFault, readRelease } from '../../versions/release-document.js'
import { readVersion, type Version, VersionFault } from '../../versions/version-document.js'
import { UsageError } from '../command.js'
import { idsOfDocuments, namedInCatalog } from '../named-in-catalog.js'
import type { Desk } from './desk.js'
import type { LifeIndex } from './life-index.js'

/** A prompt or an agent that a command is about. */
export interface Subject {
  readonly kind: Desk['kind']
  readonly id: string
  /** The parts of its key. */
  readonly path: readonly string[]
  /** As the catalog has it; undefined where only versions are left. */
  readonly head: PromptEntry | AgentEntry | undefined
}

/** A release or a proposal that was read. */
export interface ReadRelease {
  /** undefined where the document is not a release. */
  readonly release: Release | undefined
  /** Why it is not a release. */
  readonly fault: string | undefined
  /** As it is stored. */
  readonly text: string
}

/** All that was written of a subject's versions and labels. */
export interface WrittenLife {
  /** Ascending. */
  readonly numbers: readonly number[]
  readonly releases: ReadonlyMap<string, ReadRelease>
  readonly proposals: ReadonlyMap<string, ReadRelease>
  readonly history: readonly (HistoryEntry | undefined)[]
  /** Whether the store keeps histories; a directory leaves them to git. */
  readonly hasHistory: boolean
}

/**
 * Finds what an id names: the head, or what is left of one. An id that a prompt had elsewhere finds the prompt.
 *
 * @throws ServiceError with near names, or with the ids there are; UsageError for the id of a version or a label
 */
export async function findSubject(desk: Desk, id: string): Promise<Subject> {
  const { kind, shell } = desk
  const { current } = shell.registry
  const real = kind === 'templates' ? realIdOf(current, id) : id
  const subject = (await subjectOf(desk, id)) ?? (real === id ? undefined : await subjectOf(desk, real))
  if (subject !== undefined) return subject
  const { id: bare, choice } = splitChoice(id)
  if (choice !== undefined && (await subjectOf(desk, bare)) !== undefined)
    throw new UsageError(`${id} names a version or a label: give the id alone, ${bare}`)
  const ids = kind === 'agents' ? current.agents.ids() : idsOfDocuments(current.prompts)
  throw namedInCatalog(await missing(desk, id), ids, shell.registry)
}

/** What keeps a broken document from being served, or which ids are near. */
async function missing({ kind, shell: { registry } }: Desk, id: string): Promise<unknown> {
  if (kind === 'agents') return missingAgent(registry.current, id)
  try {
    await findPrompt(registry, id)
  } catch (error) {
    return error
  }
  return new Error(`${id} came to the catalog meanwhile: repeat the command`)
}

async function subjectOf(desk: Desk, id: string): Promise<Subject | undefined> {
  const { kind, shell, writer, index } = desk
  const { prompts, agents, promptLives, agentLives } = shell.registry.current
  const shelf = kind === 'agents' ? agents : prompts
  const head = shelf.get(id)
  const written = isDocument(head) ? writer.pathOf(head.location) : undefined
  const life = (kind === 'agents' ? agentLives : promptLives).get(id)
  const path = written ?? subjectPath(kind, id, head, life)
  return head === undefined && !(await hasLife(index, kind, path)) ? undefined : { kind, id, path, head }
}

async function hasLife(index: LifeIndex, kind: Desk['kind'], path: readonly string[]): Promise<boolean> {
  const { numbers, labels } = await index.at(kind, path)
  return numbers.length + labels.length > 0
}

/** Reads all that was written of a subject. */
export async function readLife(
  { writer, index }: Pick<Desk, 'writer' | 'index'>,
  { kind, path }: Omit<Subject, 'id' | 'head'>,
): Promise<WrittenLife> {
  const { numbers, labels, proposals } = await index.at(kind, path)
  const history = await writer.history(historyAddress(kind, path))
  return {
    numbers,
    releases: await releasesOf(writer, (label) => releaseAddress(kind, path, label), labels),
    proposals: await releasesOf(writer, (label) => proposalAddress(kind, path, label), proposals),
    history: history?.entries ?? [],
    hasHistory: history !== undefined,
  }
}

async function releasesOf(
  writer: CatalogWriter,
  addressOf: (label: string) => LifeAddress,
  labels: readonly string[],
): Promise<ReadonlyMap<string, ReadRelease>> {
  const releases = new Map<string, ReadRelease>()
  for (const label of labels) {
    const document = await writer.read(addressOf(label))
    if (document !== undefined) releases.set(label, toRelease(document))
  }
  return releases
}

/** A release as it was read, or why it is not one. */
export function toRelease({
  value,
  text,
}: NonNullable<Awaited<ReturnType<CatalogWriter['read']>>>): ReadRelease {
  try {
    return { text, release: readRelease(value ?? null), fault: undefined }
  } catch (error) {
    if (!(error instanceof ReleaseFault)) throw error
    return { text, release: undefined, fault: error.message }
  }
}

/** Versions that a message names, the newest. */
const MAX_NAMED = 5

/** @throws ServiceError that names the versions there are */
export function assertVersion(
  { id }: Pick<Subject, 'id'>,
  { numbers }: Pick<WrittenLife, 'numbers'>,
  number: number,
): void {
  if (!numbers.includes(number))
    throw new ServiceError('version_not_found', `${id} has no version ${number}; ${namedVersions(numbers)}`)
}

/** A version that is there, with its digest. @throws ServiceError, VersionFault */
export async function referenceTo(
  desk: Pick<Desk, 'writer'>,
  subject: Subject,
  life: WrittenLife,
  number: number,
): Promise<VersionReference> {
  assertVersion(subject, life, number)
  const { digest } = await loadVersion(desk, subject, number)
  return { version: number, digest }
}

function namedVersions(numbers: readonly number[]): string {
  if (numbers.length === 0) return 'it has none: publish it first'
  const newest = numbers.slice(-MAX_NAMED).join(', ')
  return numbers.length > MAX_NAMED ? `the newest are ${newest}` : `it has ${newest}`
}

/** The error for a label that is not there: with those there are, and the one that may be meant. */
export function labelNotFound(
  { id }: Pick<Subject, 'id'>,
  { releases }: Pick<WrittenLife, 'releases'>,
  label: string,
): ServiceError {
  const labels = [...releases.keys()].sort()
  const known = labels.length === 0 ? 'it has none' : `it has ${labels.join(', ')}`
  const near = didYouMean(nearNames(label, labels))
  return new ServiceError('label_not_found', `${id} has no label ${label}: ${known}${near}`)
}

/**
 * What a label points at, in the order of its release.
 *
 * @throws ServiceError for a label that is not there, or whose document is malformed
 */
export function releaseAt(subject: Pick<Subject, 'id'>, life: WrittenLife, label: string): Release {
  const found = life.releases.get(label)
  if (found === undefined) throw labelNotFound(subject, life, label)
  if (found.release === undefined)
    throw new ServiceError('release_unusable', `${subject.id}@${label} is malformed: ${found.fault}`)
  return found.release
}

/** The releases that can be read. */
export function goodReleases({ releases, proposals }: WrittenLife): readonly Release[] {
  return [...releases.values(), ...proposals.values()].flatMap(({ release }) => release ?? [])
}

/** A version, read and checked. @throws VersionFault */
export async function loadVersion(
  { writer }: Pick<Desk, 'writer'>,
  { kind, id, path }: Pick<Subject, 'kind' | 'id' | 'path'>,
  number: number,
): Promise<Version> {
  return readVersion(await versionDocument({ writer }, { kind, path }, number), { kind, id, number })
}

/** A version's whole document, as it is stored. @throws VersionFault */
export async function versionDocument(
  { writer }: Pick<Desk, 'writer'>,
  { kind, path }: Pick<Subject, 'kind' | 'path'>,
  number: number,
): Promise<JsonObject> {
  const document = await writer.read(versionAddress(kind, path, number))
  if (document === undefined) throw new VersionFault(`there is no version ${number}`)
  if (!isJsonObject(document.value)) throw new VersionFault(`version ${number} is not an object`)
  return document.value
}
