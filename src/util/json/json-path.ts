import { isJsonObject, type JsonValue, own } from './json.js'

/** A position in a list, as paths write it. */
const INDEX = /^(?:0|[1-9]\d{0,8})$/

/** A property of an object; undefined if the value is not an object or has no such own property. */
export function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? own(value, name) : undefined
}

/** A property of an object, or what a list has at a position in digits; undefined where there is no such thing. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return INDEX.test(name) ? value[Number(name)] : undefined
  return fieldOf(value, name)
}

/**
 * The value at a path; undefined if it leads nowhere.
 *
 * @param step how to go down by one name. Default: properties of objects; `memberOf` takes positions in lists, too
 */
export function valueAt(value: JsonValue, path: readonly string[], step = fieldOf): JsonValue | undefined {
  let found: JsonValue | undefined = value
  for (const name of path) found = step(found, name)
  return found
}

/** Where a path ends before its last name. */
export interface PathEnd {
  /** The index of the name that is not there. */
  readonly depth: number
  /** What has no such name: an object, or any other value. */
  readonly parent: JsonValue
}

/** Where a path of properties ends too early; undefined for one that leads to a value. */
export function pathEnd(value: JsonValue, path: readonly string[]): PathEnd | undefined {
  let parent = value
  for (let depth = 0; depth < path.length; depth++) {
    const found = fieldOf(parent, path[depth] ?? '')
    if (found === undefined) return { depth, parent }
    parent = found
  }
  return undefined
}

/** The names of a JSON pointer: `/a~1b/0` has `a/b` and `0`. */
export function parsePointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A path as a JSON pointer: `/keys/0/expires`; `/` for the whole value. */
export function printPointer(path: readonly string[]): string {
  return `/${path.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
}
