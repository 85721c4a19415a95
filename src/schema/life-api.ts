import { anyObject, closedObject, looseObject } from './any-object.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'
import { HISTORY_ACTIONS } from './version.js'

const target = looseObject(
  {
    version: Type.Integer({ description: 'Its number' }),
    digest: Type.String({ description: 'SHA-256 of what it holds' }),
    share: optional.number('In per cent, of a label that is split'),
  },
  { title: 'LabelTarget', description: 'A version that a label serves' },
)

/** One version of a prompt, without its texts. */
export const VersionSummary = Type.Object(
  {
    version: Type.Integer({ description: 'Its number, from 1' }),
    digest: Type.String({ description: 'SHA-256 of what it holds' }),
    revision: Type.String({ description: '`x-prompt-revision` of its renders' }),
    author: optional.text('Who published it'),
    at: optional.text('When it was published'),
    note: optional.text('Why it was published'),
    labels: Type.Array(Type.String(), { description: 'Labels that serve it' }),
    replaced: optional.flag('True when its key holds something else by now'),
  },
  { title: 'VersionSummary', description: 'One version of a prompt, without its texts' },
)

/** Answer of `GET /api/prompts/{id}/versions`. */
export const VersionsAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the prompt' }),
    versions: Type.Array(VersionSummary, { description: 'The newest first' }),
  },
  { title: 'VersionsAnswer', examples: [{ id: 'review.code_review', versions: [] }] },
)

/** One label of a prompt: what its release says, and what is served. */
export const LabelSummary = Type.Object(
  {
    label: Type.String({ description: 'Its name' }),
    serves: Type.Array(target, { description: 'Empty for nothing' }),
    problem: optional.text('Why its release is not what is served'),
    sequence: optional.integer('Of the release'),
    note: optional.text('Why it was moved'),
    by: optional.text('Who moved it'),
    at: optional.text('When it was moved'),
    expires: optional.text('From when on the release is not served'),
    sticky: optional.text('The path of the value that decides the share'),
    previous: Type.Optional(
      looseObject(
        {
          version: Type.Integer({ description: 'Its number' }),
          digest: Type.String({ description: 'SHA-256 of what it holds' }),
        },
        { description: 'What a rollback goes back to, and what serves where the release cannot' },
      ),
    ),
    action: Type.Optional(Type.Enum(['rollback'], { description: 'That the last move was a rollback' })),
    forced: optional.text('Which failures were passed with `--force`: `check`, `tests`, `impact`'),
    tests: optional.any('What the tests of the version said: `{passed, failed}`'),
    impact: optional.any('How renders differed when it moved: `{from, renders, differ, now_fail, …}`'),
    signers: optional.texts('Who signed the release, by the names in its signatures'),
  },
  { title: 'LabelSummary', description: 'One label of a prompt: its release, and what is served' },
)

/** Answer of `GET /api/prompts/{id}/labels`. */
export const LabelsAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the prompt' }),
    labels: Type.Array(LabelSummary, { description: 'Those that the key may have' }),
  },
  { title: 'LabelsAnswer', examples: [{ id: 'review.code_review', labels: [] }] },
)

/** Query of `GET /api/prompts/{id}/history`. */
export const HistoryQuery = Type.Object({
  limit: optional.integer('Maximum number of entries, newest first', {
    minimum: 1,
    maximum: 1_000,
    default: 100,
  }),
})
export type HistoryQuery = Static<typeof HistoryQuery> & { readonly limit: number }

/** One entry of a history. */
export const HistoryRecord = looseObject(
  {
    action: Type.Enum([...HISTORY_ACTIONS, 'unreadable'], {
      description: 'What was done; `unreadable` for an entry that is not valid',
    }),
    at: Type.String({ description: 'When, in UTC; empty if unknown' }),
    by: optional.text('Who'),
    note: optional.text('Why'),
    label: optional.text('The label that moved or was removed; absent where a version was published'),
    sequence: optional.integer('Of the release that was written'),
    targets: Type.Array(target, {
      description: 'What was published, or what the label points at from then on; empty where it was removed',
    }),
    forced: optional.text('Which failures were passed with `--force`'),
    other: optional.text('The id before or after, of a rename'),
    digest: optional.text('Of the entry: SHA-256 over the rest of it; absent for one that is not valid'),
    previous: optional.text('The digest of the entry before; empty for the first'),
    gap: Type.Optional(
      Type.Enum(['missing', 'changed', 'unreadable'], {
        description:
          'Where the chain does not hold: entries before it are gone, it is not what was written, or it is not valid',
      }),
    ),
  },
  { title: 'HistoryRecord', description: 'One entry of a history' },
)

/** Answer of `GET /api/prompts/{id}/history`. */
export const HistoryAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the prompt' }),
    available: Type.Boolean({
      description: 'False where the store keeps none: the history of files is git’s',
    }),
    entries: Type.Array(HistoryRecord, { description: 'The newest first' }),
  },
  { title: 'HistoryAnswer', examples: [{ id: 'review.code_review', available: false, entries: [] }] },
)

/** Query of the comparison of two texts of a prompt. */
export const DiffQuery = Type.Object({
  from: optional.text('A version, a label, or `head` for the draft', { minLength: 1, default: 'head' }),
  to: optional.text('A version, a label, or `head`, to compare with', { minLength: 1, default: 'head' }),
})
/** As checked: defaults are filled in. */
export type DiffQuery = Required<Static<typeof DiffQuery>>

/** Body of `POST /api/prompts/{id}/diff`. */
export const DiffBody = closedObject(
  { variables: Type.Optional(anyObject({ description: 'Variables for both renders' })) },
  { title: 'DiffRequest', default: {}, examples: [{ variables: { code: 'x' } }] },
)
export type DiffBody = Static<typeof DiffBody>

const side = looseObject(
  {
    choice: Type.String({ description: 'As it was asked for' }),
    revision: Type.String({ description: '`x-prompt-revision` of its renders' }),
    version: optional.integer('Absent for the draft'),
    digest: optional.text('Of the version'),
  },
  { title: 'ComparedSide', description: 'One of the two texts' },
)

/** Answer of `GET /api/prompts/{id}/diff`. */
export const DiffAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the prompt' }),
    from: side,
    to: side,
    changes: Type.Array(
      looseObject({
        path: Type.String({ description: 'A field of the document, or `partials.<id>`' }),
        before: optional.any('Absent where `from` does not have it'),
        after: optional.any('Absent where `to` does not have it'),
      }),
      { description: 'What differs' },
    ),
  },
  {
    title: 'DiffAnswer',
    examples: [
      { id: 'a.b', from: { choice: '1', revision: '' }, to: { choice: 'head', revision: '' }, changes: [] },
    ],
  },
)

/** Answer of `POST /api/prompts/{id}/diff`. */
export const RenderedDiffAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the prompt' }),
    from: side,
    to: side,
    same: Type.Boolean({ description: 'Both render to the same' }),
    before: Type.Unknown({ description: 'A text or messages' }),
    after: Type.Unknown({ description: 'A text or messages' }),
  },
  {
    title: 'RenderedDiffAnswer',
    examples: [
      {
        id: 'a.b',
        from: { choice: '1', revision: '' },
        to: { choice: 'head', revision: '' },
        same: true,
        before: 'x',
        after: 'x',
      },
    ],
  },
)
