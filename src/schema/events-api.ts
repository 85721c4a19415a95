import { eventShape, eventUnion } from './event-union.js'
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

const changed = {
  kind,
  id,
  revision: Type.Union([Type.String(), Type.Null()], { description: 'Of the document; null if it is gone' }),
  change: openEnum(['added', 'changed', 'removed'], 'What changed'),
}
const condition = openEnum(['broken', 'mended'], 'The same as `type`')
const position = {
  revision: Type.String({ description: 'Of the catalog' }),
  sequence: Type.Integer({ description: 'Counts the states of the catalog that this process has served' }),
}

/** What happens in the catalog, as it is streamed. */
export const CatalogEventShape = eventUnion(
  'CatalogEvent',
  [
    eventShape('CatalogHelloEvent', 'hello', position, 'The first event: the state of the catalog'),
    eventShape(
      'CatalogResetEvent',
      'reset',
      position,
      'The first event where missed ones are gone: the lists have to be read again',
    ),
    eventShape('CatalogChangeEvent', 'change', changed, 'A document is new, has other contents, or is gone'),
    eventShape('CatalogReleaseEvent', 'release', changed, 'A label moved: `id` names it behind an `@`'),
    eventShape(
      'DocumentBrokenEvent',
      'broken',
      {
        kind,
        id,
        change: condition,
        message: optional.text('The first error'),
        line: optional.integer('From 1'),
        column: optional.integer('From 1, in UTF-16 code units'),
        serving_last_good: optional.flag('An earlier version keeps serving'),
      },
      'A document has errors now',
    ),
    eventShape(
      'DocumentMendedEvent',
      'mended',
      { kind, id, change: condition },
      'A document has no errors any more',
    ),
  ],
  'What happens in the catalog',
)
