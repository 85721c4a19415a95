import { openEnum } from './open-enum.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'

/** What events call the kinds of documents. */
export const EVENT_KINDS = [
  ...(['extension', 'prompt', 'environ', 'tool', 'agent'] as const),
  ...(['release', 'agent-release'] as const),
] as const
/** What events call one kind of document. */
export type EventKind = (typeof EVENT_KINDS)[number]

/** Query of `GET /api/events`. */
export const EventsQuery = Type.Object({
  kind: Type.Optional(Type.Enum([...EVENT_KINDS], { description: 'Only changes of this kind' })),
})
export type EventsQuery = Static<typeof EventsQuery>

const kind = openEnum(EVENT_KINDS, 'Of the document')
const id = Type.String({ description: 'Of the document' })

/** A document that is new, has other contents, or is gone. */
const CatalogChange = Type.Object(
  {
    kind,
    id,
    revision: Type.Union([Type.String(), Type.Null()], {
      description: 'Of the document; null if it is gone',
    }),
    // Closed, which distinguishes this shape from the next.
    change: Type.Enum(['added', 'changed', 'removed'], { description: 'What changed' }),
  },
  { title: 'CatalogChange', description: 'Data of `change` and `release`' },
)

/** A document that has errors now, or has none any more. */
const DocumentCondition = Type.Object(
  {
    kind,
    id,
    change: Type.Enum(['broken', 'mended'], { description: 'Whether it has errors now' }),
    message: optional.text('The first error of a broken one'),
    line: optional.integer('From 1'),
    column: optional.integer('From 1, in UTF-16 code units'),
    serving_last_good: optional.flag('Of a broken one: an earlier version keeps serving'),
  },
  { title: 'DocumentCondition', description: 'Data of `broken` and `mended`' },
)

/** The state of the catalog when a reader connects. */
const CatalogPosition = Type.Object(
  {
    revision: Type.String({ description: 'Of the catalog' }),
    sequence: Type.Integer({ description: 'Counts the states of the catalog that this process has served' }),
  },
  { title: 'CatalogPosition', description: 'Data of `hello` and `reset`' },
)

/** The data of the catalog's events; the name of the event says which. */
export const CatalogEventShape = Type.Unsafe<
  Static<typeof CatalogChange> | Static<typeof DocumentCondition> | Static<typeof CatalogPosition>
>({
  title: 'CatalogEvent',
  oneOf: [CatalogChange, DocumentCondition, CatalogPosition],
  description: 'What happens in the catalog; the name of the event says which of these its data is',
})
