import { type Static, type TSchema, Type } from './type.js'

const TYPE = 'The name of the event, and of this shape'

/** One kind of event of a stream: what its `type` says, and what it carries. */
export function eventShape<Name extends string, Fields extends Record<string, TSchema>>(
  title: string,
  type: Name,
  fields: Fields,
  description: string,
) {
  return Type.Object({ type: Type.Literal(type, { description: TYPE }), ...fields }, { title, description })
}

/** All events of a stream, distinguished by `type`. Readers pass over events that they do not know. */
export function eventUnion<Events extends readonly TSchema[]>(
  title: string,
  events: readonly [...Events],
  description: string,
) {
  return Type.Unsafe<Static<Events[number]>>({
    title,
    description,
    oneOf: [...events],
    discriminator: { propertyName: 'type' },
  })
}
