/** Makes the functions of a program from its constants and the helpers. */
export type Factory<T> = (constants: readonly unknown[], helpers: object) => T[]

/** Compiled source and how many programs were made of it so far. */
export interface CompiledSource<T> {
  readonly factory: Factory<T>
  readonly uses: number
}

const MAX_CACHED = 256
const MAX_CACHED_LENGTH = 100_000

/**
 * Compiled sources. Generated source holds nothing of a template but its shape, so templates of one shape share
 * one entry, and compiling a known shape again costs a look-up. A pure memo, least recently used first.
 */
const cache = new Map<string, { factory: Factory<unknown>; uses: number }>()
let apart = 0

/** Compiles generated source, which is made of fixed fragments and integers only. */
export function compileSource<T>(source: string): CompiledSource<T> {
  const compiled = cache.get(source) ?? { factory: toFactory(source), uses: 0 }
  compiled.uses++
  cache.delete(source)
  if (source.length <= MAX_CACHED_LENGTH) remember(source, compiled)
  return compiled as CompiledSource<T>
}

/**
 * Compiles generated source for one program alone: the JavaScript engine then takes the constants for constants, and
 * what it learns of the values for what is true of this program. A number keeps it from sharing code of equal source.
 */
export function compileApart<T>(source: string): Factory<T> {
  return toFactory(`${source}//${apart++}`) as Factory<T>
}

/** Compiles generated source that is not going to be used again. */
export function compileOnce<T>(source: string): Factory<T> {
  return toFactory(source) as Factory<T>
}

function toFactory(source: string): Factory<unknown> {
  return new Function('constants', 'helpers', source) as Factory<unknown>
}

function remember(source: string, compiled: { factory: Factory<unknown>; uses: number }): void {
  cache.set(source, compiled)
  if (cache.size <= MAX_CACHED) return
  const oldest = cache.keys().next().value
  if (oldest !== undefined) cache.delete(oldest)
}
