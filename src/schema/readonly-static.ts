import type { Static, TSchema } from './type.js'

/** What a schema describes, for code that writes it and changes nothing of it afterwards. */
export type ReadonlyStatic<Schema extends TSchema> = ReadOnly<Static<Schema>>

/** With a name for each of its members, or any: an object of any members is JSON, which is read only already. */
type ReadOnly<Value> = Value extends readonly (infer Item)[]
  ? readonly ReadOnly<Item>[]
  : Value extends object
    ? string extends keyof Value
      ? Value
      : { readonly [Name in keyof Value]: ReadOnly<Value[Name]> }
    : Value
