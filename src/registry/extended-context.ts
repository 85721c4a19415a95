import type { JsonObject } from '../util/json/json.js'
import { viewOf } from '../util/json/map-view.js'

/** The context with the request's own entries on top: the others are shared, whatever their number. */
export function extendContext(context: JsonObject, entries: JsonObject): JsonObject {
  if (Object.getPrototypeOf(context) !== null) return { ...context, ...entries }
  // Nobody reads it in pieces: that would be an entry of a WeakMap for every render, which only a major GC collects.
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
