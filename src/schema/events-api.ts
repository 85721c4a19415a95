import { type Static, Type } from './type.js'

const KINDS = ['extension', 'prompt', 'environ', 'tool', 'agent', 'release', 'agent-release'] as const

/** Query of `GET /api/events`. */
export const EventsQuery = Type.Object({
  kind: Type.Optional(Type.Enum([...KINDS], { description: 'Only changes of this kind' })),
})
export type EventsQuery = Static<typeof EventsQuery>
