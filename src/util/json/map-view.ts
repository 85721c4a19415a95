import type { Slicer } from '../slices/pause.js'
import type { JsonObject, JsonValue } from './json-value.js'

/** What a view shows: entries by name, looked up when they are read. */
export interface MapViewSource {
  get(name: string): JsonValue | undefined
  has(name: string): boolean
  names(): readonly string[]
  /** Makes `names` cheap, giving way to others; undefined when it is. */
  prepare?(slicer: Slicer): Promise<void> | undefined
}

/** What views show, for those who read large ones in pieces. */
const sources = new WeakMap<JsonObject, MapViewSource>()

/** The source of a view; undefined for every other object. */
export function sourceOfView(value: JsonObject): MapViewSource | undefined {
  return sources.get(value)
}

/** A read-only object whose own properties are the entries of a map. It has nothing else, not even a prototype. */
export function createMapView(source: MapViewSource): JsonObject {
  const view = viewOf(source)
  sources.set(view, source)
  return view
}

/** A view that nobody reads in pieces. */
export function viewOf(source: MapViewSource): JsonObject {
  return new Proxy(Object.create(null), {
    get: (_, name) => (typeof name === 'string' ? source.get(name) : undefined),
    has: (_, name) => typeof name === 'string' && source.has(name),
    ownKeys: () => [...source.names()],
    getOwnPropertyDescriptor: (_, name) => {
      const value = typeof name === 'string' ? source.get(name) : undefined
      return value === undefined
        ? undefined
        : { value, writable: false, enumerable: true, configurable: true }
    },
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
    preventExtensions: () => false,
  })
}
