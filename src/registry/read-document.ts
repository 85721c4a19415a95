import { ExtensionFrame } from '../schema/extension.js'
import type { Kind } from '../store/store.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { runNow, type Sliced } from '../util/slices/sliced.js'
import { readLabelPath } from '../versions/addresses.js'
import { ReleaseFault } from '../versions/release-document.js'
import { type VersionedKind, VersionFault } from '../versions/version-document.js'
import { agentEntry } from './agent-entry.js'
import type { AheadDocument } from './ahead-document.js'
import { createShapeCheck, type ShapeCheck } from './check-shape.js'
import { checkTemplates } from './check-templates.js'
import { DocumentError, type Fault, faultOf, warning } from './fault.js'
import { KeptVersion } from './kept-prompt.js'
import { type DocumentSource, locatorOf } from './locate.js'
import { normalisePrompt } from './normalise-prompt.js'
import { normaliseTool } from './normalise-tool.js'
import { isYaml, parseText, withReadYaml } from './parse-document.js'
import { readContributions, withoutPrompts } from './read-contributions.js'
import {
  isStamped,
  placeOfDocument,
  readAgentVersion,
  readPromptVersion,
  readReleaseEntry,
  unreadableRelease,
  type VersionReading,
} from './read-version.js'
import type {
  AgentEntry,
  AgentVersion,
  EnvironEntry,
  ExtensionEntry,
  PromptEntry,
  PromptVersion,
  ReleaseEntry,
  ToolEntry,
} from './snapshot.js'
import type { TemplateEngine } from './template-engine.js'
import { type ProvidedExtension, providedBy } from './unmet-dependences.js'
import { withoutNulls } from './without-empty.js'
import { yamlWarnings } from './yaml-warnings.js'

/** What one good document adds to the catalog. */
export type Served<Name extends Kind = Kind> = {
  readonly [Each in Name]: { readonly kind: Each } & ServedParts[Each]
}[Name]

interface ServedParts {
  readonly extensions: { readonly entry: ExtensionEntry; readonly prompts: readonly PromptEntry[] }
  readonly templates: HeadOrVersion<PromptEntry, PromptVersion>
  readonly environs: { readonly entry: EnvironEntry }
  readonly tools: { readonly entry: ToolEntry }
  readonly agents: HeadOrVersion<AgentEntry, AgentVersion>
  readonly releases: { readonly entry: ReleaseEntry }
  readonly 'agent-releases': { readonly entry: ReleaseEntry }
}

/** What a document of a kind that has versions serves: itself, or a version of another one. */
type HeadOrVersion<Head, Version> =
  | { readonly entry: Head; readonly version?: undefined }
  | { readonly entry?: undefined; readonly version: Version }

export interface ReadResult {
  readonly served: Served | undefined
  readonly faults: readonly Fault[]
  /** Of an extension: what others may depend on. */
  readonly provides?: ProvidedExtension
}

/** The prompts that a document gives. */
export function promptsOf(served: Served | undefined): readonly PromptEntry[] {
  if (served?.kind === 'templates') return served.entry === undefined ? NO_PROMPTS : [served.entry]
  return served?.kind === 'extensions' ? served.prompts : []
}

const NO_PROMPTS: readonly PromptEntry[] = []
/** Longer texts take more than a millisecond, in characters. */
const LONG = 8_192
/** Shared, because most documents have no problem and there are many of them. */
const NONE: readonly Fault[] = []
const RESERVED_ENVIRONS: ReadonlySet<string> = new Set(['variables', 'args'])
const IDENTIFIER = /^[\p{L}_][\p{L}\p{Nd}_]*$/u

const checkFrame: ShapeCheck<ExtensionFrame> = createShapeCheck('invalid_extension', ExtensionFrame)

/** A document, and what it is read with. */
export interface DocumentReading {
  readonly document: AheadDocument
  readonly revision: string
  /** What is served from the document's earlier version. */
  readonly last: Served | undefined
  /** Of a version that was served and removed: its digest, which the number keeps. */
  readonly knownDigest?: string | undefined
  readonly engine: TemplateEngine
}

/** True for a document that takes long: an extension is many in one, and YAML takes ten times as long as JSON. */
export function takesPieces(document: AheadDocument): boolean {
  const { kind, content } = document
  const isLong = content.kind === 'text' && content.text.length > LONG
  return isLong || kind === 'extensions' || isYaml(document)
}

/** Reads one document. Reports what is wrong with it, and keeps serving its last good version. */
export function readDocument(given: DocumentReading): ReadResult {
  return runNow(readInPieces(given))
}

/** Reads one document that takes long: others can have a turn between its prompts, its texts, and stretches of those. */
export function* readInPieces(given: DocumentReading): Sliced<ReadResult> {
  const document = yield* withReadYaml(given.document, given.revision)
  const reading = document === given.document ? given : { ...given, document }
  try {
    checkKey(document)
    const read = readers[document.kind](reading)
    return noted(document, 'served' in read ? read : yield* read)
  } catch (error) {
    return yield* failed(error, reading)
  }
}

function* failed(error: unknown, reading: DocumentReading): Sliced<ReadResult> {
  const { document, last } = reading
  const served = lastGood(reading)
  const coded =
    error instanceof VersionFault || error instanceof ReleaseFault
      ? new DocumentError(error.code, error.message)
      : error
  return {
    served,
    faults: [yield* faultOf(coded, locatorOf(sourceOf(document)), last !== undefined)],
  }
}

/** What a document without a good version serves. A label stays there: nothing may serve in its place by mistake. */
function lastGood({ document, last, revision }: DocumentReading): Served | undefined {
  const { kind, path, location } = document
  if (last?.kind === 'templates' && last.version !== undefined)
    return { kind: 'templates', version: replacedPrompt(last.version) }
  if (last?.kind === 'agents' && last.version !== undefined)
    return { kind: 'agents', version: { ...last.version, isReplaced: true } }
  if (
    last === undefined &&
    (kind === 'releases' || kind === 'agent-releases') &&
    readLabelPath(path) !== undefined
  )
    return { kind, entry: unreadableRelease(path, { revision, location }) }
  return last
}

function replacedPrompt(version: PromptVersion): PromptVersion {
  return version instanceof KeptVersion ? version.replaced() : { ...version, isReplaced: true }
}

function checkKey({ path }: AheadDocument): void {
  if (path.includes('')) throw new DocumentError('invalid_key', 'the key has an empty part')
}

function sourceOf({ content }: AheadDocument): DocumentSource | undefined {
  return content.kind === 'text' ? content : undefined
}

/** The source as a field of an entry. */
function withSource({ content, kept }: AheadDocument): { readonly source?: DocumentSource } {
  if (kept !== undefined) return { source: kept }
  return content.kind === 'text' ? { source: { text: content.text, format: content.format } } : {}
}

function noted({ note, kind, ahead }: AheadDocument, result: ReadResult): ReadResult {
  const read = ahead?.read
  const notes = read !== undefined && 'value' in read ? read.notes : undefined
  if (note === undefined && notes === undefined) return result
  const faults = [...result.faults, ...yamlWarnings(kind, notes ?? [])]
  if (note !== undefined) faults.push(warning({ code: 'duplicate_id', message: note }))
  return { ...result, faults }
}

/** What has no templates is short, and comes at once. */
type Reader = (reading: DocumentReading) => ReadResult | Sliced<ReadResult>

const readers: Readonly<Record<Kind, Reader>> = {
  extensions: readExtension,
  environs: readEnviron,
  tools: readTool,
  templates: readTemplates,
  agents: readAgents,
  releases: readLabel,
  'agent-releases': readLabel,
}

function readEnviron({ document, revision, last }: DocumentReading): ReadResult {
  const { value, warnings, broken } = parseText(document)
  // Templates read inside it: a text in its place would fail them all.
  if (broken !== undefined && last?.kind === 'environs' && isContainer(last.entry.value)) throw broken
  const id = document.path.join('.')
  const served: Served = { kind: 'environs', entry: { id, revision, location: document.location, value } }
  const [first = ''] = document.path
  if (warnings.length === 0 && !RESERVED_ENVIRONS.has(first)) return { served, faults: NONE }
  const faults = warnings.map(warning)
  if (RESERVED_ENVIRONS.has(first)) {
    const message = `hidden while a prompt renders: the request's own ${first} take this name`
    faults.push(warning({ code: 'reserved_environ', message }))
  }
  return { served, faults }
}

function isContainer(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null
}

function readTool({ document, revision }: DocumentReading): ReadResult {
  const value = objectOf(document, 'invalid_tool')
  const functionName = document.path.join('_')
  const faults: Fault[] = []
  if (!IDENTIFIER.test(functionName)) {
    const message = `${functionName} is not a name that a template can call`
    faults.push(warning({ code: 'uncallable_tool', message }))
  }
  const entry: ToolEntry = {
    id: document.path.join('.'),
    revision,
    location: document.location,
    ...withSource(document),
    functionName,
    origin: 'direct',
    document: value,
    definition: normaliseTool(value, document.path),
  }
  return { served: { kind: 'tools', entry }, faults }
}

function* readTemplates(reading: DocumentReading): Sliced<ReadResult> {
  const place = placeOfDocument(reading.document.path)
  if (place.kind === 'head') return yield* readPrompt(reading)
  const value = objectOf(reading.document, 'invalid_prompt')
  if (!isStamped(value)) return yield* readPlain(reading, readPrompt)
  const version = yield* readPromptVersion(value, versionReading('templates', place, reading))
  return { served: { kind: 'templates', version }, faults: NONE }
}

function* readAgents(reading: DocumentReading): Sliced<ReadResult> {
  const place = placeOfDocument(reading.document.path)
  if (place.kind === 'head') return yield* readAgent(reading)
  const value = objectOf(reading.document, 'invalid_agent')
  if (!isStamped(value)) return yield* readPlain(reading, readAgent)
  const version = yield* readAgentVersion(value, versionReading('agents', place, reading))
  return { served: { kind: 'agents', version }, faults: NONE }
}

/**
 * Reads a document whose key looks like a version's but is not one. Handled as before versions existed, for one more
 * minor release.
 */
function* readPlain(
  reading: DocumentReading,
  read: (reading: DocumentReading) => Sliced<ReadResult>,
): Sliced<ReadResult> {
  const { last, knownDigest } = reading
  const message = 'a document whose name ends with @ and a number is a version, and this one has no x-version'
  const wasVersion = last !== undefined && 'version' in last && last.version !== undefined
  if (wasVersion || knownDigest !== undefined) throw new DocumentError('invalid_version', message)
  const { served, faults } = yield* read(reading)
  const hint = 'rename it: the next minor release does not serve it'
  return { served, faults: [...faults, warning({ code: 'invalid_version', message, hint })] }
}

function versionReading(
  kind: VersionedKind,
  { path, number }: { readonly path: readonly string[]; readonly number: number },
  { document, revision, last, knownDigest, engine }: DocumentReading,
): VersionReading {
  const lastVersion = last?.kind === kind ? last.version : undefined
  const known = lastVersion?.digest ?? knownDigest
  return { kind, path, number, known, engine, place: placeOfEntry(document, revision) }
}

function placeOfEntry(document: AheadDocument, revision: string): VersionReading['place'] {
  return { revision, location: document.location, ...withSource(document) }
}

function readLabel({ document, revision }: DocumentReading): ReadResult {
  const { kind, path } = document
  if (readLabelPath(path) === undefined)
    throw new DocumentError('invalid_release', 'the key of a release ends with a label, such as production')
  const value = objectOf(document, 'invalid_release')
  const entry = readReleaseEntry(value, path, placeOfEntry(document, revision))
  return { served: { kind: kind === 'releases' ? kind : 'agent-releases', entry }, faults: NONE }
}

function* readPrompt({ document, revision, engine }: DocumentReading): Sliced<ReadResult> {
  const value = objectOf(document, 'invalid_prompt')
  const definition = normalisePrompt(value, document.path.at(-1) ?? '')
  const entry: PromptEntry = {
    id: document.path.join('.'),
    revision,
    location: document.location,
    ...withSource(document),
    origin: 'direct',
    extension: undefined,
    document: value,
    definition,
  }
  yield* checkTemplates(entry.id, definition, engine)
  return { served: { kind: 'templates', entry }, faults: NONE }
}

function* readAgent({ document, revision, engine }: DocumentReading): Sliced<ReadResult> {
  const value = objectOf(document, 'invalid_agent')
  const place = { revision, location: document.location, ...withSource(document) }
  const entry = agentEntry(document.path, value, place)
  if (entry.instructions !== undefined) yield* checkTemplates(entry.id, entry.instructions.definition, engine)
  return { served: { kind: 'agents', entry }, faults: NONE }
}

function* readExtension({ document, revision, last, engine }: DocumentReading): Sliced<ReadResult> {
  const value = objectOf(document, 'invalid_extension')
  const provides = providedBy(value, document.path.at(-1) ?? '')
  const type = own(value, 'extensionType')
  if (typeof type === 'string' && type !== 'prompt') {
    const message = `extensions of type "${type}" are not served: only those of type "prompt" are`
    const faults = [warning({ code: 'unsupported_extension_type', message })]
    return { served: undefined, faults, provides }
  }
  checkFrame(withoutNulls(withoutPrompts(value)))
  const entry: ExtensionEntry = {
    id: document.path.join('.'),
    revision,
    location: document.location,
    ...withSource(document),
    document: value,
  }
  const known = last?.kind === 'extensions' ? last.prompts : []
  const { prompts, faults } = yield* readContributions(entry, known, engine)
  return { served: { kind: 'extensions', entry, prompts }, faults, provides }
}

function objectOf(document: AheadDocument, code: string): JsonObject {
  const { value } = parseText(document)
  if (isJsonObject(value)) return value
  throw new DocumentError(
    code,
    `${describeValue(value)}: a document is an object of fields`,
    {},
    FIELDS[document.kind],
  )
}

function describeValue(value: JsonValue): string {
  if (value === null) return 'the document is empty'
  if (Array.isArray(value)) return 'the document is a list'
  return `the document is a ${typeof value === 'bigint' ? 'number' : typeof value}`
}

/** The field that a document of each kind begins with. */
const FIELDS: Readonly<Record<Kind, string>> = {
  templates: 'begin with userPrompt: …',
  extensions: 'begin with name: …',
  environs: 'an environ may be anything',
  tools: 'begin with type: restful',
  agents: 'begin with instructions: …',
  releases: 'ai-prompt-shell promote writes it',
  'agent-releases': 'ai-prompt-shell promote writes it',
}
