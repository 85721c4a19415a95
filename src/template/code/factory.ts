/** Makes the functions of a program from its constants and the helpers. */
export type Factory<T> = (constants: readonly unknown[], helpers: object) => T[]

const MAX_CACHED = 256
const MAX_CACHED_LENGTH = 100_000

/**
 * Compiled sources. Generated source holds nothing of a template but its shape, so templates of one shape share
 * one entry, and compiling a known shape again costs a look-up. A pure memo, least recently used first.
 */
const cache = new Map<string, Factory<unknown>>()

/** Compiles generated source. */
export function compileSource<T>(source: string): Factory<T> {
  const known = cache.get(source)
  if (known !== undefined) {
    cache.delete(source)
    cache.set(source, known)
    return known as Factory<T>
  }
  // The source is made of fixed fragments and integers only.
  const factory = new Function('c', 'h', source) as Factory<T>
  if (source.length <= MAX_CACHED_LENGTH) remember(source, factory as Factory<unknown>)
  return factory
}

function remember(source: string, factory: Factory<unknown>): void {
  cache.set(source, factory)
  if (cache.size <= MAX_CACHED) return
  const oldest = cache.keys().next().value
  if (oldest !== undefined) cache.delete(oldest)
}
