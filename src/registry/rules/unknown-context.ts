import type { VariableReference } from '../../template/host.js'
import { at } from '../../util/at.js'
import { nearNames } from '../../util/errors/near-names.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json/json.js'
import { type PathEnd, pathEnd } from '../../util/json/json-path.js'
import { declaredVariables, REQUEST_ENTRIES } from './declared.js'
import { placeOfPath, writtenPath } from './places.js'
import { type PromptRule, withRests } from './rule.js'

/** More names of one object are not compared. */
const MAX_NAMES = 1_000

/** A path of the shared context that a template reads and the catalog does not have. */
export const unknownContext: PromptRule = function* (prompt, { snapshot, usageOf, called }) {
  if (called.has(prompt.id)) return
  const told = new Set<string>()
  for (const field of usageOf(prompt)) {
    for (const read of withRests(field.usage.reads)) {
      if (read === undefined) {
        yield
        continue
      }
      const missing = missingIn(snapshot.context, read.path)
      if (missing === undefined) continue
      const path = writtenPath(read.path)
      const hint = hintFor(missing, read.path, declaredVariables(prompt.definition) ?? {})
      // What may be missing is a mistake only where it looks like one.
      if (told.has(path) || (isOptional(read) && hint === undefined)) continue
      told.add(path)
      yield { message: messageFor(missing, path), hint, place: placeOfPath(field, read) }
    }
  }
}

/** Where a path of the context ends too early; undefined also for what may follow a null. */
function missingIn(context: JsonObject, path: readonly string[]): PathEnd | undefined {
  const [first] = path
  if (first === undefined || REQUEST_ENTRIES.has(first)) return undefined
  const end = pathEnd(context, path)
  return end?.parent === null ? undefined : end
}

function isOptional({ conditional, guarded }: VariableReference): boolean {
  return conditional || guarded
}

function messageFor({ depth, parent }: PathEnd, path: string): string {
  if (depth === 0 || isJsonObject(parent)) return `the context has no ${path}`
  const above = path
    .split('.')
    .slice(0, depth + 1)
    .join('.')
  return `${above} is ${nameOfType(parent)}, so there is no ${path}`
}

function nameOfType(value: JsonValue): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string' ? 'a text' : typeof value === 'boolean' ? 'a boolean' : 'a number'
}

function hintFor(
  { depth, parent }: PathEnd,
  path: readonly string[],
  declared: JsonObject,
): string | undefined {
  const name = at(path, depth)
  if (depth === 0 && Object.hasOwn(declared, name)) return `did you mean .variables.${name}?`
  const names = isJsonObject(parent) ? Object.keys(parent).slice(0, MAX_NAMES) : []
  const [near] = nearNames(name, depth === 0 ? [...names, ...REQUEST_ENTRIES] : names)
  return near === undefined ? undefined : `did you mean ${writtenPath([...path.slice(0, depth), near])}?`
}
