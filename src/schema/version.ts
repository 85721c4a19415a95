import { anyObject, closedObject } from './any-object.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'

/** A version's number as text, from 1. It begins with a digit, a label with a letter. */
export const VERSION_PATTERN = '[1-9][0-9]{0,8}'

/** A label's name, such as `production`. */
export const LABEL_PATTERN = '[a-z][a-z0-9._-]{0,63}'

/** A SHA-256 in hexadecimal. */
export const DIGEST_PATTERN = '^[0-9a-f]{64}$'

/** A moment in UTC, as `Date.toISOString` writes it; seconds and their fractions may be left out. */
export const MOMENT_PATTERN = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?Z$'

/** What the entries of a history say was done. */
export const HISTORY_ACTIONS = ['publish', 'promote', 'rollback', 'remove', 'retire', 'rename'] as const

const MAX_VERSION = 999_999_999

const number = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_VERSION, description })
const digest = () =>
  Type.String({ pattern: DIGEST_PATTERN, description: 'Of the version: SHA-256 in hexadecimal' })
const moment = (description: string) => Type.String({ pattern: MOMENT_PATTERN, description })

/** A prompt that a version carries, for it is included. */
export const CarriedPartial = closedObject({
  from: Type.String({ maxLength: 1_000, description: 'Where it was written, for people' }),
  document: anyObject({ description: 'The document; of a version, with its own `x-version`' }),
})

/** What makes a document a version: its field `x-version`. */
export const VersionStamp = closedObject({
  of: Type.String({ minLength: 1, description: 'The id' }),
  number: number('Of this version'),
  digest: digest(),
  author: optional.text('Who published it'),
  at: Type.Optional(moment('When it was published')),
  note: optional.text('Why it was published'),
  partials: Type.Unsafe<Readonly<Record<string, Static<typeof CarriedPartial>>>>({
    type: 'object',
    additionalProperties: CarriedPartial,
    description: 'Every prompt it includes, at any depth, by the name that templates use',
  }),
})
export type VersionStamp = Static<typeof VersionStamp>

const version = { version: number('The version that is served'), digest: digest() }

/** A version that a release names. */
export const VersionReference = closedObject(version)
export type VersionReference = Static<typeof VersionReference>

/** The part of a split that one version gets. */
export const SplitTarget = closedObject({
  ...version,
  share: Type.Number({ exclusiveMinimum: 0, maximum: 100, description: 'In per cent, two decimals' }),
})

/** One signature of a release. */
export const ReleaseSignature = closedObject({
  signer: Type.String({ minLength: 1, maxLength: 64, description: 'Name in the configured signers' }),
  value: Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$', description: 'Ed25519, in base64' }),
})
export type ReleaseSignature = Static<typeof ReleaseSignature>

/** What a label points at: one version, or a split between several. */
export const ReleaseDocument = closedObject(
  {
    version: Type.Optional(version.version),
    digest: Type.Optional(version.digest),
    split: Type.Optional(
      Type.Array(SplitTarget, {
        minItems: 1,
        maxItems: 100,
        description: 'In place of `version` and `digest`; the shares sum to 100',
      }),
    ),
    sticky: optional.text('Path of the value that decides the share, such as `variables.user_id`', {
      pattern: '^variables\\.[^.]+(\\.[^.]+)*$',
      maxLength: 200,
    }),
    sequence: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Counts the releases of this label; it never falls',
    }),
    note: optional.text('Why it was moved'),
    by: optional.text('Who moved it'),
    at: Type.Optional(moment('When it was moved')),
    expires: Type.Optional(moment('From when on it is not served')),
    previous: Type.Optional(VersionReference),
    action: Type.Optional(
      Type.Enum(['rollback'], { description: 'Marks a move that undoes an earlier one' }),
    ),
    forced: optional.text('Which red gates were passed with `--force`: `check`, `tests`, `impact`'),
    tests: optional.any('What the tests said'),
    impact: optional.any('How renders with known variables differ: `{from, renders, differ, now_fail, …}`'),
    signatures: Type.Optional(Type.Array(ReleaseSignature, { maxItems: 64 })),
  },
  { $id: 'Release' },
)
export type ReleaseDocument = Static<typeof ReleaseDocument>
