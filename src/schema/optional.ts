import { type TSchema, Type } from './type.js'

type Rules = Readonly<Record<string, unknown>>

/** Fields that may be left out: what each is for, and the keywords that bound it. */
export const optional = {
  any: (description: string) => Type.Optional(Type.Unknown({ description })),
  flag: (description: string, rules: Rules = {}) => Type.Optional(Type.Boolean({ ...rules, description })),
  integer: (description: string, rules: Rules = {}) => Type.Optional(Type.Integer({ ...rules, description })),
  number: (description: string, rules: Rules = {}) => Type.Optional(Type.Number({ ...rules, description })),
  /** A value, or null, which means the same as a missing one. */
  orNull: <Value extends TSchema>(value: Value, description: string) =>
    Type.Optional(Type.Union([value, Type.Null()], { description })),
  text: (description: string, rules: Rules = {}) => Type.Optional(Type.String({ ...rules, description })),
  texts: (description: string, rules: Rules = {}) =>
    Type.Optional(Type.Array(Type.String(rules), { description })),
} as const
