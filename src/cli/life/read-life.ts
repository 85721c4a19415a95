import { ServiceError } from '../../errors.js'
import { findPrompt } from '../../prompts/find-prompt.js'
import type { AgentEntry, PromptEntry } from '../../registry/snapshot.js'
import { isDocument, subjectPath } from '../../registry/spelled-path.js'
import type { CatalogWriter } from '../../store/catalog-writer.js'
import { isJsonObject, type JsonObject } from '../../util/json.js'
import { didYouMean, nearNames } from '../../util/near-names.js'
import {
  historyAddress,
  PROPOSAL_KINDS,
  RELEASE_KINDS,
  readLabelPath,
  readVersionPath,
  versionAddress,
} from '../../versions/addresses.js'
import type { HistoryEntry } from '../../versions/history-entry.js'
import { type Release, ReleaseFault, readRelease } from '../../versions/release-document.js'
import { readVersion, type Version, VersionFault } from '../../versions/version-document.js'
import type { Desk } from './desk.js'

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
export interface Life {
  /** Ascending. */
  readonly numbers: readonly number[]
  readonly releases: ReadonlyMap<string, ReadRelease>
  readonly proposals: ReadonlyMap<string, ReadRelease>
  readonly history: readonly (HistoryEntry | undefined)[]
  /** Whether the store keeps histories; a directory leaves them to git. */
  readonly hasHistory: boolean
}

/** Finds what an id names: the head, or what is left of one. @throws ServiceError with near names */
export async function findSubject(desk: Desk, id: string): Promise<Subject> {
  const { kind, shell, writer } = desk
  const { prompts, agents, promptLives, agentLives } = shell.registry.current
  const shelf = kind === 'agents' ? agents : prompts
  const head = shelf.get(id)
  const written = isDocument(head) ? writer.pathOf(head.location) : undefined
  const life = (kind === 'agents' ? agentLives : promptLives).get(id)
  const path = written ?? subjectPath(kind, id, head, life)
  if (head === undefined && (await numbersOf(writer, { kind, path })).length === 0) {
    // It says what keeps a broken document from being served, or which ids are near.
    if (kind === 'templates') await findPrompt(shell.registry, id)
    const near = didYouMean(nearNames(id, shelf.ids()))
    throw new ServiceError('agent_not_found', `No agent has the id ${JSON.stringify(id)}${near}`)
  }
  return { kind, id, path, head }
}

/** Reads all that was written of a subject. */
export async function readLife(
  { writer }: Desk,
  { kind, path }: Omit<Subject, 'id' | 'head'>,
): Promise<Life> {
  const history = await writer.history(historyAddress(kind, path))
  return {
    numbers: await numbersOf(writer, { kind, path }),
    releases: await releasesOf(writer, RELEASE_KINDS[kind], path),
    proposals: await releasesOf(writer, PROPOSAL_KINDS[kind], path),
    history: history?.entries ?? [],
    hasHistory: history !== undefined,
  }
}

async function numbersOf(writer: CatalogWriter, { kind, path }: Pick<Subject, 'kind' | 'path'>) {
  const found = await writer.list(kind, `${path.join(':')}@`)
  const numbers = found.flatMap((each) => readVersionPath(each)?.number ?? [])
  return numbers.sort((one, other) => one - other)
}

async function releasesOf(
  writer: CatalogWriter,
  kind: string,
  path: readonly string[],
): Promise<ReadonlyMap<string, ReadRelease>> {
  const found = await writer.list(kind, `${path.join(':')}:`)
  const releases = new Map<string, ReadRelease>()
  for (const each of found) {
    const place = readLabelPath(each)
    if (place === undefined || place.path.length !== path.length) continue
    const document = await writer.read({ kind, path: each })
    if (document !== undefined) releases.set(place.label, toRelease(document))
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

/** The releases that can be read. */
export function goodReleases({ releases, proposals }: Life): readonly Release[] {
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
  if (!isJsonObject(document.value)) throw new VersionFault(`version ${number} is no object`)
  return document.value
}

/** The ids of all that has proposals. */
export async function proposedIds({ writer, kind }: Desk): Promise<readonly string[]> {
  const paths = await writer.list(PROPOSAL_KINDS[kind], '')
  return [...new Set(paths.flatMap((path) => readLabelPath(path)?.path.join('.') ?? []))].sort()
}
