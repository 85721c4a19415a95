import { type JsonObject, own } from '../util/json/json.js'
import type { Sliced } from '../util/slices/sliced.js'
import { readVersionPath } from '../versions/addresses.js'
import { readRelease } from '../versions/release-document.js'
import {
  readVersionInPieces,
  VERSION_FIELD,
  type VersionedKind,
  type VersionName,
} from '../versions/version-document.js'
import { agentEntry } from './agent-entry.js'
import { carriedIn } from './carried-prompts.js'
import { checkTemplates } from './check-templates.js'
import { DocumentError } from './fault.js'
import { normalisePrompt } from './normalise-prompt.js'
import type {
  AgentVersion,
  CarriedPrompts,
  PromptEntry,
  PromptVersion,
  ReleaseEntry,
  VersionEntry,
} from './snapshot.js'
import type { TemplateEngine } from './template-engine.js'

/** What the place of a document says that it is. */
export type PlaceOfDocument =
  | { readonly kind: 'head' }
  | { readonly kind: 'version'; readonly path: readonly string[]; readonly number: number }

const HEAD: PlaceOfDocument = { kind: 'head' }

/** Distinguishes heads from versions by their keys. @throws DocumentError `invalid_id` for a key that is neither */
export function placeOfDocument(path: readonly string[]): PlaceOfDocument {
  if (!path.some((part) => part.includes('@'))) return HEAD
  const version = readVersionPath(path)
  if (version !== undefined && !version.path.some((part) => part.includes('@')))
    return { kind: 'version', ...version }
  throw new DocumentError(
    'invalid_id',
    'an id has no "@", which separates a version or a label',
    {},
    'rename it; versions end with a number, such as @8',
  )
}

/** Whether a document at the place of a version is one, or a plain document of before there were any. */
export function isStamped(document: JsonObject): boolean {
  return own(document, VERSION_FIELD) !== undefined
}

/** What is known of a version before it is read. */
export interface VersionReading {
  readonly kind: VersionedKind
  /** Of the head. */
  readonly path: readonly string[]
  readonly number: number
  /** The digest that this number had: it never changes. */
  readonly known: string | undefined
  readonly engine: TemplateEngine
  /** What entries say of their place. */
  readonly place: Pick<PromptEntry, 'revision' | 'location' | 'source'>
}

/** Reads a version of a prompt. @throws VersionFault, DocumentError, TemplateError */
export function* readPromptVersion(document: JsonObject, reading: VersionReading): Sliced<PromptVersion> {
  const { name, digest, copied, carried } = yield* readStamped(document, reading)
  const { place, engine } = reading
  const prompt: PromptEntry = {
    id: name.id,
    ...place,
    origin: 'direct',
    extension: undefined,
    document: copied,
    definition: normalisePrompt(copied, reading.path.at(-1) ?? ''),
    carries: () => carried,
  }
  yield* checkTemplates(prompt.id, prompt.definition, engine)
  return { ...versionEntry(name, digest, reading), prompt }
}

/** Reads a version of an agent. @throws VersionFault, DocumentError, TemplateError */
export function* readAgentVersion(document: JsonObject, reading: VersionReading): Sliced<AgentVersion> {
  const { name, digest, copied, carried } = yield* readStamped(document, reading)
  const agent = agentEntry(reading.path, copied, reading.place, carried)
  if (agent.instructions !== undefined)
    yield* checkTemplates(agent.id, agent.instructions.definition, reading.engine)
  return { ...versionEntry(name, digest, reading), agent }
}

/** A version as its document has it, its templates checked. */
interface Stamped {
  readonly name: VersionName
  readonly digest: string
  readonly copied: JsonObject
  readonly carried: CarriedPrompts
}

function* readStamped(document: JsonObject, reading: VersionReading): Sliced<Stamped> {
  const { kind, path, number, known, place, engine } = reading
  const name: VersionName = { kind, id: path.join('.'), number }
  const { digest, document: copied } = yield* readVersionInPieces(document, name)
  if (known !== undefined && known !== digest)
    throw new DocumentError(
      'version_changed',
      `version ${number} of ${name.id} was ${known.slice(0, 12)}…, and a version never changes`,
      {},
      'publish what it is now as the next version',
    )
  const carried = carriedIn(document, place)
  for (const [id, prompt] of carried) yield* checkTemplates(id, prompt.definition, engine)
  return { name, digest, copied, carried }
}

function versionEntry({ id, number }: VersionName, digest: string, { place }: VersionReading): VersionEntry {
  return { id, number, digest, ...place, isReplaced: false }
}

/** What the document of a label says. @throws ReleaseFault, and DocumentError `invalid_release` */
export function readReleaseEntry(
  document: JsonObject,
  path: readonly string[],
  place: VersionReading['place'],
): ReleaseEntry {
  return { ...unreadableRelease(path, place), release: readRelease(document) }
}

/** A label of which nothing can be read: it is there, and serves nothing. */
export function unreadableRelease(path: readonly string[], place: VersionReading['place']): ReleaseEntry {
  const head = path.slice(0, -1)
  return { id: head.join('.'), label: path.at(-1) ?? '', path: head, ...place, release: undefined }
}
