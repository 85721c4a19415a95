import type { VariableReference } from '../../template/host.js'
import { at } from '../../util/at.js'
import { nearNames } from '../../util/errors/near-names.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { declaredVariables, REQUEST_ENTRIES } from './declared.js'
import { placeOfPath, writtenPath } from './places.js'
import type { PromptRule } from './rule.js'

/** More names of one object are not compared. */
const MAX_NAMES = 1_000

/** A path of the shared context that a template reads and the catalog does not have. */
export const unknownContext: PromptRule = function* (prompt, { snapshot, usageOf, called }) {
  if (called.has(prompt.id)) return
  const told = new Set<string>()
  for (const field of usageOf(prompt)) {
    for (const read of field.usage.reads) {
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

/** The part of a path that is not there, and where it is not. */
interface Missing {
  readonly depth: number
  /** What has no such name. */
  readonly parent: JsonValue
}

function missingIn(context: JsonObject, path: readonly string[]): Missing | undefined {
  const [first] = path
  if (first === undefined || REQUEST_ENTRIES.has(first)) return undefined
  let parent: JsonValue = context
  for (const [depth, name] of path.entries()) {
    if (parent === null) return undefined
    const value: JsonValue | undefined = isJsonObject(parent) ? own(parent, name) : undefined
    if (value === undefined) return { depth, parent }
    parent = value
  }
  return undefined
}

function isOptional({ conditional, guarded }: VariableReference): boolean {
  return conditional || guarded
}

function messageFor({ depth, parent }: Missing, path: string): string {
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
  { depth, parent }: Missing,
  path: readonly string[],
  declared: JsonObject,
): string | undefined {
  const name = at(path, depth)
  if (depth === 0 && Object.hasOwn(declared, name)) return `did you mean .variables.${name}?`
  const names = isJsonObject(parent) ? Object.keys(parent).slice(0, MAX_NAMES) : []
  const [near] = nearNames(name, depth === 0 ? [...names, ...REQUEST_ENTRIES] : names)
  return near === undefined ? undefined : `did you mean ${writtenPath([...path.slice(0, depth), near])}?`
}
