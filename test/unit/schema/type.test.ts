import TypeBox from 'typebox'
import { describe, expect, it } from 'vitest'
import { Type } from '../../../src/schema/type.js'

/** One schema of every builder, by the code that builds. */
const schemasOf = (builders: typeof Type) => [
  builders.Object({}),
  builders.Object({ a: builders.Optional(builders.String()) }, { additionalProperties: false }),
  builders.Object({ a: builders.String(), b: builders.Optional(builders.Null()) }, { description: 'x' }),
  builders.Optional(builders.Object({ a: builders.Integer({ minimum: 1 }) })),
  builders.Array(builders.Number({ maximum: 2 }), { minItems: 1 }),
  builders.Boolean({ default: false }),
  builders.Enum(['a', 'b'], { description: 'x' }),
  builders.Intersect([builders.Object({ a: builders.String() }), builders.Object({})], { description: 'x' }),
  builders.Literal('a', { description: 'x' }),
  builders.Literal(1),
  builders.Literal(true),
  builders.Record(builders.String(), builders.Number(), { default: {} }),
  builders.Record(builders.String({ pattern: '^a' }), builders.Number()),
  builders.Union([builders.String({ minLength: 1 }), builders.Null()], { default: null }),
  builders.Unknown({ description: 'x' }),
  builders.Unsafe<string>({ type: 'string' }),
]

describe('Type', () => {
  it('builds what TypeBox builds, to the letter', () => {
    const [ours, theirs] = [schemasOf(Type), schemasOf(TypeBox)]
    expect(ours.map((schema) => JSON.stringify(schema))).toEqual(
      theirs.map((schema) => JSON.stringify(schema)),
    )
  })
})
