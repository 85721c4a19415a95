import { nearNames } from '../util/errors/near-names.js'
import { isJsonObject, type JsonObject } from '../util/json/json.js'
import { pathEnd } from '../util/json/json-path.js'

/** Shorter names are near to everything. */
const MIN_NAME = 3

/** What a template that reads a missing path probably meant: `.variables.x` for `.x`, or a name that is there and near. */
export function pathHint(path: string, context: JsonObject, variables: JsonObject): string | undefined {
  const parts = path.split('.')
  const [first = ''] = parts
  if (Object.hasOwn(variables, first)) return `did you mean .variables.${path}?`
  const isOwn = first === 'variables' || first === 'args'
  const meant = isOwn
    ? nearPath(parts.slice(1), variables, [first])
    : nearPath(parts, { ...namedIn(context), variables, args: variables }, [])
  return meant === undefined ? undefined : `did you mean .${meant}?`
}

/** What a request probably meant with a variable that its prompt does not know. */
export function sentHint(
  missing: string,
  variables: JsonObject,
  known: ReadonlySet<string> | undefined,
): string | undefined {
  if (known === undefined || missing.length < MIN_NAME) return undefined
  const unknown = Object.keys(variables).filter((name) => !known.has(name))
  const [near] = nearNames(missing, unknown)
  return near === undefined ? undefined : `the request has "${near}": is ${missing} meant?`
}

/** The path with its first wrong name set right; undefined where no name is near. */
function nearPath(parts: readonly string[], root: JsonObject, before: readonly string[]): string | undefined {
  const end = pathEnd(root, parts)
  if (end === undefined || !isJsonObject(end.parent)) return undefined
  const { depth, parent } = end
  const part = parts[depth] ?? ''
  const near = part.length < MIN_NAME ? undefined : nearNames(part, Object.keys(parent))[0]
  if (near === undefined) return undefined
  return [...before, ...parts.slice(0, depth), near, ...parts.slice(depth + 1)].join('.')
}

/** A context of very many entries is a view without a prototype: listing it takes long. */
function namedIn(context: JsonObject): JsonObject {
  return Object.getPrototypeOf(context) === null ? {} : context
}
