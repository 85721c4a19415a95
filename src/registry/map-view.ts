import type { JsonObject, JsonValue } from '../util/json/json.js'
import type { Slicer } from '../util/slices/pause.js'

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

function viewOf(source: MapViewSource): JsonObject {
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

/** The context with the request's own entries on top: the others are shared, whatever their number. */
export function extendContext(context: JsonObject, entries: JsonObject): JsonObject {
  if (Object.getPrototypeOf(context) !== null) return { ...context, ...entries }
  // Not one of `sources`, since it is created for every render: entries of a WeakMap are only collected by a major GC.
  return viewOf({
    get: (name) => (Object.hasOwn(entries, name) ? entries[name] : context[name]),
    has: (name) => Object.hasOwn(entries, name) || Object.hasOwn(context, name),
    names: () => [...new Set([...Object.keys(context), ...Object.keys(entries)])],
  })
}

/** Contexts with room for the variables: copying an object and adding to the copy is slow, replacing is not. */
const shapes = new WeakMap<JsonObject, JsonObject>()

/** The data of a render: the context with the request's variables on top, as `variables` and as `args`. */
export function withVariables(context: JsonObject, variables: JsonObject): JsonObject {
  if (Object.getPrototypeOf(context) === null) return extendContext(context, { variables, args: variables })
  let shape = shapes.get(context)
  if (shape === undefined) {
    shape = { ...context, variables: null, args: null }
    shapes.set(context, shape)
  }
  return { ...shape, variables, args: variables }
}
