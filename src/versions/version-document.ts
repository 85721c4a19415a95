import { createHash } from 'node:crypto'
import { describeVerdict, ownSchema } from '../schema/json-schema.js'
import { VersionStamp } from '../schema/version.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { jsonObject, objectField, textField } from '../util/json/json-fields.js'
import { runNow, type Sliced } from '../util/slices/sliced.js'
import { writeCanonicalJson } from './canonical-json.js'

/** The field that makes a document a version. */
export const VERSION_FIELD = 'x-version'

/** What has versions: prompts and agents, by the kinds of their documents. */
export const VERSIONED_KINDS = ['templates', 'agents'] as const
export type VersionedKind = (typeof VERSIONED_KINDS)[number]

/** Which version a document has to be. */
export interface VersionName {
  readonly kind: VersionedKind
  readonly id: string
  readonly number: number
}

/** A prompt that a version carries, because it is included. */
export interface Carried {
  /** Where it was written, for people: `templates:review:rules`, `extensions:review`, `bundled`. */
  readonly from: string
  /** As it was written; a pinned partial, such as `review.rules@3`, is a version and keeps its own `x-version`. */
  readonly document: JsonObject
}

/** Carried prompts by the name that templates include them by. */
export type CarriedPartials = ReadonlyMap<string, Carried>

/** What a digest is computed over. */
export interface VersionContent extends VersionName {
  /** Without `x-version`. */
  readonly document: JsonObject
  readonly partials: CarriedPartials
}

/** Who published a version, when (ISO 8601, UTC) and why. None of it changes the digest. */
export interface VersionRemarks {
  readonly author?: string | undefined
  readonly at?: string | undefined
  readonly note?: string | undefined
}

/** An immutable copy of a document, with all that it includes. */
export interface Version extends VersionRemarks {
  readonly number: number
  /** SHA-256 in hexadecimal. */
  readonly digest: string
  /** Without `x-version`. */
  readonly document: JsonObject
  readonly partials: CarriedPartials
}

/** A document is not the version that it should be. */
export class VersionFault extends Error {
  readonly code = 'invalid_version'
  override readonly name = 'VersionFault'
}

const checkStamp = ownSchema(VersionStamp)

/** SHA-256 over the canonical JSON of exactly kind, id, number, document and partials, in hexadecimal. */
export function digestOf(content: VersionContent): string {
  return runNow(digestInPieces(content))
}

/** The digest of a version, in slices: a document may have 10 MiB. */
export function* digestInPieces({ kind, id, number, document, partials }: VersionContent): Sliced<string> {
  const hash = createHash('sha256')
  const content = { kind, id, number, document, partials: Object.fromEntries(partials) }
  yield* writeCanonicalJson(content, (piece) => hash.update(piece))
  return hash.digest('hex')
}

/** Writes a version: the document with `x-version`. @throws RangeError for a document that has this field already */
export function makeVersion(content: VersionContent & VersionRemarks): JsonObject {
  const { id, number, document, partials, author, at, note } = content
  if (Object.hasOwn(document, VERSION_FIELD))
    throw new RangeError(`the document has a field ${VERSION_FIELD}`)
  const stamp = {
    of: id,
    number,
    digest: digestOf(content),
    ...(author !== undefined && { author }),
    ...(at !== undefined && { at }),
    ...(note !== undefined && { note }),
    partials: jsonObject(Object.fromEntries(partials)),
  }
  return { ...document, [VERSION_FIELD]: stamp }
}

/**
 * Reads a version.
 *
 * @throws VersionFault when its shape, id, number or digest does not fit
 */
export function readVersion(document: JsonObject, name: VersionName): Version {
  return runNow(readVersionInPieces(document, name))
}

/** Reads a version in slices. @throws VersionFault */
export function* readVersionInPieces(versionDocument: JsonObject, name: VersionName): Sliced<Version> {
  const { [VERSION_FIELD]: stampValue, ...document } = versionDocument
  const stamp = readStamp(stampValue)
  if (textField(stamp, 'of') !== name.id)
    throw new VersionFault(`it is a version of ${textField(stamp, 'of')}, not of ${name.id}`)
  if (own(stamp, 'number') !== name.number)
    throw new VersionFault(`it is version ${own(stamp, 'number')}, not ${name.number}`)
  const partials = readPartials(objectField(stamp, 'partials'))
  const digest = yield* digestInPieces({ ...name, document, partials })
  if (textField(stamp, 'digest') !== digest)
    throw new VersionFault(`its digest is ${textField(stamp, 'digest')}, but its content has ${digest}`)
  return {
    number: name.number,
    digest,
    document,
    partials,
    author: textField(stamp, 'author'),
    at: textField(stamp, 'at'),
    note: textField(stamp, 'note'),
  }
}

function readStamp(value: JsonObject[string] | undefined): JsonObject {
  if (!isJsonObject(value)) throw new VersionFault(`it has no ${VERSION_FIELD}`)
  const verdict = checkStamp(value)
  if (verdict.problems.length > 0) throw new VersionFault(describeVerdict(verdict, VERSION_FIELD))
  return value
}

function readPartials(partials: JsonObject): CarriedPartials {
  return new Map(
    Object.keys(partials).map((id) => {
      const carried = objectField(partials, id)
      return [id, { from: textField(carried, 'from') ?? '', document: objectField(carried, 'document') }]
    }),
  )
}
