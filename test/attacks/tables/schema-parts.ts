/** A list of this many. */
export function many<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** An object of this many names. */
export function named(count: number, make: (index: number) => unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(many(count, (index) => [`n${index}`, make(index)]))
}

/** A schema of the variable `a`. */
export function about(schema: unknown): { readonly properties: object } {
  return { properties: { a: schema } }
}

/** Schemas one inside another. */
export function nested(count: number, wrap: (inner: unknown) => unknown): unknown {
  let schema: unknown = {}
  for (let level = 0; level < count; level += 1) schema = wrap(schema)
  return schema
}
