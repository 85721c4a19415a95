import { ifStopped } from '../../util/slices/slice.js'
import type { Helpers } from '../run/operations.js'
import { isSameSource, keyOf, parametersOf, type Source } from './source.js'

/** Makes the functions of a program from the list that all of them are in, the helpers, and the program's constants. */
export type Factory<T> = (
  templates: readonly unknown[],
  helpers: Helpers,
  constants: readonly unknown[],
) => readonly T[]

/** Compiled source. */
export interface CompiledSource<T> {
  readonly factory: Factory<T>
  /** The source as all programs of its shape have it. */
  readonly source: Source
  /** Whether other programs were made of it too, until now. */
  readonly isShared: () => boolean
}

/** A compiled function; the code generator knows the type of its results. */
type Make = (given: readonly unknown[]) => readonly never[]

/** An entry of the cache. */
interface Compiled {
  readonly source: Source
  readonly make: Make
  uses: number
  /** Used since it was last looked at to forget it. */
  isRecent: boolean
}

const MAX_CACHED = 256
const MAX_CACHED_LENGTH = 100_000

/**
 * Compiled sources. Generated source holds nothing of a template but its shape, so templates of one shape share
 * one entry, and compiling a known shape again costs a look-up. A pure memo, oldest first: what was used meanwhile gets a
 * second chance, which costs less than an order by use.
 */
const cache = new Map<number, Compiled>()
let apart = 0
const forgetAll = () => cache.clear()

/** Compiles generated source, which is made of fixed fragments and integers only. */
export function compileSource<T>(source: Source): CompiledSource<T> {
  ifStopped(forgetAll)
  const key = keyOf(source)
  const known = cache.get(key)
  const isKnown = known !== undefined && isSameSource(known.source, source)
  const compiled = isKnown ? known : compiledAnew(key, source)
  compiled.uses++
  compiled.isRecent = true
  return {
    factory: factoryOf(compiled.source, compiled.make),
    source: compiled.source,
    isShared: () => compiled.uses > 1,
  }
}

function compiledAnew(key: number, { body, helpers, names }: Source): Compiled {
  // Without the room that lists keep for more.
  const source: Source = { body, helpers: helpers.slice(), names: names.slice() }
  const compiled: Compiled = { source, make: make(source), uses: 0, isRecent: true }
  if (body.length <= MAX_CACHED_LENGTH) remember(key, compiled)
  return compiled
}

/**
 * Compiles generated source for one program alone: the JavaScript engine then takes the constants for constants, and
 * what it learns of the values for what is true of this program. A number keeps it from sharing code of equal source.
 */
export function compileApart<T>(source: Source): Factory<T> {
  return compileOnce({ ...source, body: `${source.body}//${apart++}` })
}

/** Compiles generated source that is not going to be used again. */
export function compileOnce<T>(source: Source): Factory<T> {
  return factoryOf(source, make(source))
}

function make(source: Source): Make {
  const made = new Function(...parametersOf(source), source.body)
  return (given) => Reflect.apply(made, undefined, given)
}

function factoryOf<T>({ helpers: names }: Source, make: Make): Factory<T> {
  return (templates, helpers, constants) => {
    const given: unknown[] = [templates]
    for (const name of names) given.push(helpers[name])
    for (const constant of constants) given.push(constant)
    return make(given)
  }
}

function remember(key: number, compiled: Compiled): void {
  cache.delete(key)
  cache.set(key, compiled)
  if (cache.size <= MAX_CACHED) return
  for (const [oldest, entry] of cache) {
    cache.delete(oldest)
    if (!entry.isRecent) return
    entry.isRecent = false
    cache.set(oldest, entry)
  }
}
