import { at } from '../util/at.js'
import { inSlices, type Slicer } from '../util/pause.js'
import { hashOf } from './hash-of.js'
import type { SnapshotMap } from './snapshot.js'
import { filterInPieces, finish, type InPieces, mergeInPieces, sortInPieces } from './sort-in-pieces.js'

/**
 * A map of which every version stays valid: a change copies the few nodes on its path and shares the rest.
 * It is a hash trie of 32-way nodes; while one is being built, nodes that belong to the build are edited in place.
 */
interface Leaf<Value> {
  readonly hash: number
  readonly key: string
  value: Value
}

interface Branch<Value> {
  readonly owner: object
  bitmap: number
  readonly slots: (Branch<Value> | Leaf<Value> | Collision<Value>)[]
}

/** Keys with one and the same hash. */
interface Collision<Value> {
  readonly hash: number
  readonly leaves: readonly Leaf<Value>[]
}

type Node<Value> = Branch<Value> | Leaf<Value> | Collision<Value>

/** Sorted ids of an earlier version, and the keys that came or went since. */
interface IdHistory {
  readonly base: readonly string[]
  readonly touched: Touched | undefined
}

/** A list that versions share: one more key costs one link. */
interface Touched {
  readonly key: string
  readonly count: number
  readonly next: Touched | undefined
}

const BITS = 5
const MASK = 31
/** More changes of the key set than this, and the ids are sorted anew. */
const MAX_TOUCHED = 16_384

const NOBODY = {}

/** An immutable map; `edit` makes the next version. */
export class PersistentMap<Value> implements SnapshotMap<Value> {
  readonly size: number
  readonly #root: Branch<Value>
  #ids: readonly string[] | undefined
  #history: IdHistory | undefined
  #preparing: Promise<void> | undefined

  constructor(root?: Branch<Value>, size = 0, history?: IdHistory) {
    this.#root = root ?? { owner: NOBODY, bitmap: 0, slots: [] }
    this.size = size
    this.#history = history
    if (size === 0) this.#ids = []
  }

  get(key: string): Value | undefined {
    return find(this.#root, key)?.value
  }

  has(key: string): boolean {
    return find(this.#root, key) !== undefined
  }

  ids(): readonly string[] {
    return this.#ids ?? this.#keep(finish(this.#sorting()))
  }

  prepareIds(slicer: Slicer): Promise<void> | undefined {
    if (this.#ids !== undefined) return undefined
    this.#preparing ??= inSlices(this.#sorting(), slicer).then((ids) => void this.#keep(ids))
    return this.#preparing
  }

  *[Symbol.iterator](): Iterator<readonly [string, Value]> {
    yield* entries(this.#root)
  }

  /** A draft of the next version; this one is not affected. */
  edit(): MapDraft<Value> {
    const history = this.#ids === undefined ? this.#history : { base: this.#ids, touched: undefined }
    return new MapDraft(this, this.#root, this.size, history)
  }

  #keep(ids: readonly string[]): readonly string[] {
    this.#ids ??= ids
    this.#history = undefined
    return this.#ids
  }

  #sorting(): InPieces<readonly string[]> {
    return this.#history === undefined ? sortInPieces(keysOf(this.#root)) : followed(this.#history, this)
  }
}

/** The next version of a map while it is being written. */
export class MapDraft<Value> {
  readonly #before: PersistentMap<Value>
  readonly #owner = {}
  #history: IdHistory | undefined
  #root: Branch<Value>
  #size: number
  #changed = false

  constructor(
    before: PersistentMap<Value>,
    root: Branch<Value>,
    size: number,
    history: IdHistory | undefined,
  ) {
    this.#before = before
    this.#root = root
    this.#size = size
    this.#history = history
  }

  get size(): number {
    return this.#size
  }

  get(key: string): Value | undefined {
    return find(this.#root, key)?.value
  }

  set(key: string, value: Value): void {
    const leaf: Leaf<Value> = { hash: hashOf(key), key, value }
    const known = find(this.#root, key)
    if (known?.value === value && known !== undefined) return
    this.#root = inserted(this.#root, leaf, 0, this.#owner)
    this.#changed = true
    if (known === undefined) this.#count(key, 1)
  }

  delete(key: string): void {
    if (find(this.#root, key) === undefined) return
    this.#root = removed(this.#root, hashOf(key), key, 0, this.#owner) ?? emptyBranch(this.#owner)
    this.#changed = true
    this.#count(key, -1)
  }

  /** The new version, or the old one when nothing changed. */
  commit(): PersistentMap<Value> {
    if (!this.#changed) return this.#before
    return new PersistentMap(this.#root, this.#size, this.#history)
  }

  #count(key: string, difference: number): void {
    this.#size += difference
    if (this.#history === undefined) return
    const { base, touched } = this.#history
    const count = (touched?.count ?? 0) + 1
    this.#history = count > MAX_TOUCHED ? undefined : { base, touched: { key, count, next: touched } }
  }
}

function* followed(history: IdHistory, map: PersistentMap<unknown>): InPieces<readonly string[]> {
  const touched = new Set<string>()
  for (let link = history.touched; link !== undefined; link = link.next) touched.add(link.key)
  if (touched.size === 0) return history.base
  const arrived = [...touched].filter((key) => map.has(key)).sort()
  const stayed = yield* filterInPieces(history.base, (key) => !touched.has(key))
  return yield* mergeInPieces(stayed, arrived)
}

function* keysOf(root: Node<unknown>): Generator<string> {
  for (const [key] of entries(root)) yield key
}

function emptyBranch<Value>(owner: object): Branch<Value> {
  return { owner, bitmap: 0, slots: [] }
}

function isBranch<Value>(node: Node<Value>): node is Branch<Value> {
  return 'slots' in node
}

function isLeaf<Value>(node: Node<Value>): node is Leaf<Value> {
  return 'key' in node
}

function find<Value>(root: Branch<Value>, key: string): Leaf<Value> | undefined {
  const hash = hashOf(key)
  let node: Node<Value> | undefined = root
  for (let shift = 0; node !== undefined && isBranch(node); shift += BITS) {
    const bit = 1 << ((hash >>> shift) & MASK)
    if ((node.bitmap & bit) === 0) return undefined
    node = node.slots[countBits(node.bitmap & (bit - 1))]
  }
  if (node === undefined || node.hash !== hash) return undefined
  if (isLeaf(node)) return node.key === key ? node : undefined
  return node.leaves.find((leaf) => leaf.key === key)
}

function inserted<Value>(
  branch: Branch<Value>,
  leaf: Leaf<Value>,
  shift: number,
  owner: object,
): Branch<Value> {
  const bit = 1 << ((leaf.hash >>> shift) & MASK)
  const index = countBits(branch.bitmap & (bit - 1))
  const target = owned(branch, owner)
  const there = target.slots[index]
  if ((target.bitmap & bit) === 0 || there === undefined) {
    target.slots.splice(index, 0, leaf)
    target.bitmap |= bit
  } else {
    target.slots[index] = joined(there, leaf, shift + BITS, owner)
  }
  return target
}

function joined<Value>(there: Node<Value>, leaf: Leaf<Value>, shift: number, owner: object): Node<Value> {
  if (isBranch(there)) return inserted(there, leaf, shift, owner)
  if (there.hash === leaf.hash) {
    if (isLeaf(there) && there.key === leaf.key) return leaf
    const others = (isLeaf(there) ? [there] : there.leaves).filter((other) => other.key !== leaf.key)
    return { hash: leaf.hash, leaves: [...others, leaf] }
  }
  const branch = emptyBranch<Value>(owner)
  branch.slots.push(there)
  branch.bitmap = 1 << ((there.hash >>> shift) & MASK)
  return inserted(branch, leaf, shift, owner)
}

/** The branch without the key; undefined when nothing is left. */
function removed<Value>(
  branch: Branch<Value>,
  hash: number,
  key: string,
  shift: number,
  owner: object,
): Branch<Value> | undefined {
  const bit = 1 << ((hash >>> shift) & MASK)
  const index = countBits(branch.bitmap & (bit - 1))
  const target = owned(branch, owner)
  const there = at(target.slots, index)
  const rest = without(there, hash, key, shift + BITS, owner)
  if (rest !== undefined) {
    target.slots[index] = rest
    return target
  }
  target.slots.splice(index, 1)
  target.bitmap &= ~bit
  return target.slots.length === 0 ? undefined : target
}

function without<Value>(
  node: Node<Value>,
  hash: number,
  key: string,
  shift: number,
  owner: object,
): Node<Value> | undefined {
  if (isLeaf(node)) return undefined
  if (!isBranch(node)) {
    const leaves = node.leaves.filter((leaf) => leaf.key !== key)
    return leaves.length === 1 ? leaves[0] : { hash, leaves }
  }
  const rest = removed(node, hash, key, shift, owner)
  const only = rest?.slots.length === 1 ? rest.slots[0] : undefined
  return only !== undefined && !isBranch(only) ? only : rest
}

function owned<Value>(branch: Branch<Value>, owner: object): Branch<Value> {
  return branch.owner === owner ? branch : { owner, bitmap: branch.bitmap, slots: [...branch.slots] }
}

/** With a stack of its own: generators within generators would pay for every level. */
function* entries<Value>(root: Node<Value>): Generator<readonly [string, Value]> {
  const stack: Node<Value>[] = [root]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isBranch(node)) stack.push(...node.slots)
    else if (isLeaf(node)) yield [node.key, node.value]
    else for (const { key, value } of node.leaves) yield [key, value]
  }
}

function countBits(bits: number): number {
  let value = bits - ((bits >>> 1) & 0x55555555)
  value = (value & 0x33333333) + ((value >>> 2) & 0x33333333)
  return (((value + (value >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}
