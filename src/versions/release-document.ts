import { describeVerdict, ownSchema } from '../schema/json-schema.js'
import { ReleaseDocument, type ReleaseSignature, type VersionReference } from '../schema/version.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import {
  isJsonList,
  jsonObject,
  listField,
  numberField,
  objectField,
  textField,
} from '../util/json/json-fields.js'

/** A version and its share of the requests, in per cent with at most two decimals. */
export interface ReleaseTarget extends VersionReference {
  readonly share: number
}

/** What a label points at. */
export interface Release {
  /** At least one; their shares sum to 100. Their order decides who sees which: the newest is the last one. */
  readonly targets: readonly ReleaseTarget[]
  /** Counts the releases of the label, from 1; it never falls. */
  readonly sequence: number
  readonly note?: string | undefined
  readonly by?: string | undefined
  /** ISO 8601, UTC. */
  readonly at?: string | undefined
  /** From when on it is not served; ISO 8601, UTC. */
  readonly expires?: string | undefined
  /** What serves where a target is not there. */
  readonly previous?: VersionReference | undefined
  /** Of a move that undoes an earlier one; undefined for a promotion. */
  readonly action?: 'rollback' | undefined
  /** Which red gate was passed with `--force`. */
  readonly forced?: string | undefined
  readonly tests?: JsonValue | undefined
  readonly impact?: JsonValue | undefined
  /** The path of the value whose hash chooses the share, such as `variables.user_id`. */
  readonly sticky?: string | undefined
  readonly signatures: readonly ReleaseSignature[]
}

/** A document is not a valid release. */
export class ReleaseFault extends Error {
  readonly code = 'invalid_release'
  override readonly name = 'ReleaseFault'
}

/** All shares together, in hundredths of a per cent. */
export const ALL_SHARES = 10_000

const checkShape = ownSchema(ReleaseDocument)

/** A share in hundredths of a per cent. */
export function hundredths(share: number): number {
  return Math.round(share * 100)
}

/** Reads what a label's document says. @throws ReleaseFault when it does not fit */
export function readRelease(value: JsonValue): Release {
  const document = checked(value)
  return {
    targets: targetsIn(document),
    sequence: numberField(document, 'sequence') ?? 0,
    note: textField(document, 'note'),
    by: textField(document, 'by'),
    at: textField(document, 'at'),
    expires: momentIn(document, 'expires'),
    previous:
      own(document, 'previous') === undefined ? undefined : referenceIn(objectField(document, 'previous')),
    action: textField(document, 'action') === 'rollback' ? 'rollback' : undefined,
    forced: textField(document, 'forced'),
    tests: own(document, 'tests'),
    impact: own(document, 'impact'),
    sticky: textField(document, 'sticky'),
    signatures: objectsIn(document, 'signatures').map((signature) => ({
      signer: textField(signature, 'signer') ?? '',
      value: textField(signature, 'value') ?? '',
    })),
  }
}

/** The document of a release, as `readRelease` reads it. @throws ReleaseFault when it does not fit */
export function writeRelease(release: Release): JsonObject {
  const { targets, signatures, ...said } = release
  const [only] = targets
  const document = Object.entries({
    ...(targets.length === 1 && only !== undefined ? referenceOf(only) : { split: targets.map(targetOf) }),
    ...said,
    previous: said.previous && referenceOf(said.previous),
    signatures: signatures.length === 0 ? undefined : signatures,
  }).filter(([, value]) => value !== undefined)
  const written = jsonObject(Object.fromEntries(document))
  readRelease(written)
  return written
}

function checked(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw new ReleaseFault('a release must be an object')
  const verdict = checkShape(value)
  if (verdict.problems.length > 0) throw new ReleaseFault(describeVerdict(verdict, 'release'))
  return value
}

function targetsIn(document: JsonObject): readonly ReleaseTarget[] {
  const isSplit = isJsonList(own(document, 'split'))
  const isOne = own(document, 'version') !== undefined && own(document, 'digest') !== undefined
  const isHalf = (own(document, 'version') ?? own(document, 'digest')) !== undefined && !isOne
  if (isSplit === isOne || isHalf) throw new ReleaseFault('a release has version and digest, or a split')
  if (isOne) return [{ ...referenceIn(document), share: 100 }]
  return checkedSplit(objectsIn(document, 'split').map(splitTargetIn))
}

function checkedSplit(targets: readonly ReleaseTarget[]): readonly ReleaseTarget[] {
  const uneven = targets.find(({ share }) => Math.abs(hundredths(share) - share * 100) > 1e-6)
  if (uneven !== undefined)
    throw new ReleaseFault(
      `the share ${uneven.share} of version ${uneven.version} has more than two decimals`,
    )
  const sum = targets.reduce((all, { share }) => all + hundredths(share), 0)
  if (sum !== ALL_SHARES) throw new ReleaseFault(`the shares sum to ${sum / 100}, not to 100`)
  const twice = targets.find(
    ({ version }, index) => targets.findIndex((each) => each.version === version) < index,
  )
  if (twice !== undefined) throw new ReleaseFault(`version ${twice.version} has two shares`)
  return targets
}

function momentIn(document: JsonObject, name: string): string | undefined {
  const text = textField(document, name)
  if (text !== undefined && Number.isNaN(Date.parse(text)))
    throw new ReleaseFault(`${name} is not a moment: ${text}`)
  return text
}

function objectsIn(document: JsonObject, name: string): readonly JsonObject[] {
  return listField(document, name).filter(isJsonObject)
}

function splitTargetIn(document: JsonObject): ReleaseTarget {
  return { ...referenceIn(document), share: numberField(document, 'share') ?? 0 }
}

function referenceIn(document: JsonObject): VersionReference {
  return { version: numberField(document, 'version') ?? 0, digest: textField(document, 'digest') ?? '' }
}

function referenceOf({ version, digest }: VersionReference): VersionReference {
  return { version, digest }
}

function targetOf({ version, digest, share }: ReleaseTarget): ReleaseTarget {
  return { version, digest, share }
}
