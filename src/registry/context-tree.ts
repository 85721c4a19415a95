import { define } from '../util/define.js'
import { getOrCreate } from '../util/get-or-create.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { isJsonObject, own } from '../util/json/json.js'
import { jsonObject } from '../util/json/json-fields.js'
import { createMapView } from '../util/json/map-view.js'
import { PersistentMap } from './persistent-map.js'

/** Directories with more entries than this are a view over a persistent map, so that one change copies little. */
const MAX_PLAIN_ENTRIES = 256

/** A place in the context: an environ's value, a directory of further places, or both merged. */
export interface ContextNode {
  readonly value: JsonValue
  readonly directory?: Directory
}

interface Directory {
  /** The environ at this very path. */
  readonly own: JsonValue | undefined
  readonly children: PersistentMap<ContextNode>
}

/** One environ that came, changed or went. */
export interface ContextChange {
  readonly path: readonly string[]
  /** undefined removes it. */
  readonly value: JsonValue | undefined
}

/** Called for every directory on the path of a change, with the names of its own environ that environs below it hide. */
export type CollisionReport = (path: readonly string[], message: string | undefined) => void

const NO_CHILDREN = new PersistentMap<ContextNode>()

/** The context without any environ. */
export const EMPTY_CONTEXT: ContextNode = { value: {}, directory: { own: undefined, children: NO_CHILDREN } }

/** The root as it is after the changes; every directory on their paths is copied once and all others are shared. */
export function updateContext(
  root: ContextNode,
  changes: readonly ContextChange[],
  report: CollisionReport,
): ContextNode {
  return updated(root, changes, 0, report) ?? EMPTY_CONTEXT
}

/** The root's value, which is always an object. */
export function contextObject(root: ContextNode): JsonObject {
  return jsonObject(root.value)
}

function updated(
  node: ContextNode | undefined,
  changes: readonly ContextChange[],
  depth: number,
  report: CollisionReport,
): ContextNode | undefined {
  const [first] = changes
  // Most environs have none above or below them.
  if (changes.length === 1 && first?.path.length === depth && node?.directory === undefined)
    return leafOf(first.value)
  const here = changes.findLast((change) => change.path.length === depth)
  const ownValue = here === undefined ? ownOf(node) : here.value
  const before = node?.directory?.children ?? NO_CHILDREN
  const draft = before.edit()
  const names = new Set<string>()
  for (const [name, group] of groupByPart(changes, depth)) {
    const child = updated(draft.get(name), group, depth + 1, report)
    if (child === undefined) draft.delete(name)
    else draft.set(name, child)
    names.add(name)
  }
  const children = draft.commit()
  if (depth > 0 && first !== undefined) report(first.path.slice(0, depth), collision(ownValue, children))
  if (children.size === 0 && depth > 0) return leafOf(ownValue)
  const directory: Directory = { own: ownValue, children }
  return { directory, value: viewOf(directory, here === undefined ? node : undefined, before, names) }
}

function leafOf(value: JsonValue | undefined): ContextNode | undefined {
  return value === undefined ? undefined : { value }
}

function groupByPart(changes: readonly ContextChange[], depth: number): Map<string, ContextChange[]> {
  const groups = new Map<string, ContextChange[]>()
  for (const change of changes) {
    const name = change.path[depth]
    if (name !== undefined) getOrCreate(groups, name, () => []).push(change)
  }
  return groups
}

function ownOf(node: ContextNode | undefined): JsonValue | undefined {
  return node?.directory === undefined ? node?.value : node.directory.own
}

function viewOf(
  directory: Directory,
  previous: ContextNode | undefined,
  before: PersistentMap<ContextNode>,
  names: ReadonlySet<string>,
): JsonObject {
  const base = isJsonObject(directory.own) ? directory.own : {}
  const { children } = directory
  if (children.size + Object.keys(base).length > MAX_PLAIN_ENTRIES) return largeView(base, children)
  const onlyReplaced = [...names].every((name) => before.has(name) === children.has(name))
  if (previous?.directory !== undefined && onlyReplaced && before.size > 0)
    return replaced(jsonObject(previous.value), base, children, names)
  return plainView(base, children)
}

/** The directory with some entries replaced: the others are copied without being looked at. */
function replaced(
  view: JsonObject,
  base: JsonObject,
  children: PersistentMap<ContextNode>,
  names: Iterable<string>,
): JsonObject {
  const copy: Record<string, JsonValue> = { ...view }
  for (const name of names) {
    const entry = entryOf(base, children, name)
    // What came and went between two looks was never there.
    if (entry !== undefined) define(copy, name, entry)
  }
  return copy
}

function plainView(base: JsonObject, children: PersistentMap<ContextNode>): JsonObject {
  const view: Record<string, JsonValue> = { ...base }
  // Sorted, so that two replicas build objects with one and the same order of properties.
  for (const name of children.ids()) define(view, name, entryOf(base, children, name) ?? null)
  return view
}

function largeView(base: JsonObject, children: PersistentMap<ContextNode>): JsonObject {
  return createMapView({
    get: (name) => entryOf(base, children, name),
    has: (name) => children.has(name) || Object.hasOwn(base, name),
    prepare: (slicer) => children.prepareIds(slicer),
    names: () => [...children.ids(), ...Object.keys(base).filter((name) => !children.has(name))],
  })
}

function entryOf(
  base: JsonObject,
  children: PersistentMap<ContextNode>,
  name: string,
): JsonValue | undefined {
  const weak = own(base, name)
  const strong = children.get(name)?.value
  if (weak === undefined) return strong
  return strong === undefined ? weak : merged(weak, strong)
}

/** The deeper key wins, except that an object takes precedence over a scalar. */
function merged(weak: JsonValue, strong: JsonValue): JsonValue {
  if (!isJsonObject(weak)) return strong
  if (!isJsonObject(strong)) return weak
  const object: Record<string, JsonValue> = { ...weak }
  for (const [name, value] of Object.entries(strong)) {
    const there = own(weak, name)
    define(object, name, there === undefined ? value : merged(there, value))
  }
  return object
}

function collision(
  ownValue: JsonValue | undefined,
  children: PersistentMap<ContextNode>,
): string | undefined {
  if (ownValue === undefined || children.size === 0) return undefined
  if (!isJsonObject(ownValue))
    return 'hidden, because there are environs below this path: an object takes precedence over a scalar'
  const twice = Object.keys(ownValue).filter((name) => children.has(name))
  const clash = twice.filter(
    (name) => !isJsonObject(own(ownValue, name)) || !isJsonObject(children.get(name)?.value),
  )
  return clash.length === 0 ? undefined : `also set by environs below this path: ${clash.sort().join(', ')}`
}
