import { at } from '../util/at.js'
import type { Slicer } from '../util/slices/pause.js'
import type { Sliced } from '../util/slices/sliced.js'
import { hashOf } from './hash-of.js'
import type { SnapshotMap } from './snapshot.js'
import { type IdHistory, SortedIds, withTouched } from './sorted-ids.js'

/**
 * A map of which every version stays valid: a change copies the few nodes on its path and shares the rest.
 * It is a hash trie of 8-way branches over buckets of keys and values, since a million entries should be few objects;
 * while one is being built, what belongs to the build is edited in place.
 */
type Node<Value> = Branch<Value> | Bucket<Value>

class Branch<Value> {
  readonly owner: object
  readonly slots: Node<Value>[]

  constructor(owner: object, slots: Node<Value>[]) {
    this.owner = owner
    this.slots = slots
  }
}

/** A leaf: parallel arrays of hashes, keys and values. Only its owner's draft edits it in place. */
class Bucket<Value> {
  readonly owner: object
  hashes: number[]
  keys: string[]
  values: Value[]

  constructor(owner: object, hashes: number[], keys: string[], values: Value[]) {
    this.owner = owner
    this.hashes = hashes
    this.keys = keys
    this.values = values
  }
}

interface Entry<Value> {
  readonly hash: number
  readonly key: string
  readonly value: Value
}

const NOBODY = {}
const BITS = 3
const WAYS = 1 << BITS
/** A bucket of more keys becomes a branch, unless their hashes have no more bits. */
const MAX_KEYS = 48
const LAST_SHIFT = 30
/** A branch of no more keys becomes a bucket. */
const FEW_KEYS = 4

/** An immutable map; `edit` makes the next version. */
export class PersistentMap<Value> implements SnapshotMap<Value> {
  readonly size: number
  readonly #root: Node<Value>
  readonly #ids: SortedIds

  constructor(root?: Node<Value>, size = 0, history?: IdHistory) {
    this.#root = root ?? new Bucket(NOBODY, [], [], [])
    this.size = size
    this.#ids = new SortedIds(this, history)
  }

  get(key: string): Value | undefined {
    return find(this.#root, key)
  }

  has(key: string): boolean {
    return isIn(this.#root, key)
  }

  ids(): readonly string[] {
    return this.#ids.all()
  }

  prepareIds(slicer: Slicer): Promise<void> | undefined {
    return this.#ids.prepare(slicer)
  }

  *[Symbol.iterator](): Iterator<readonly [string, Value]> {
    yield* entries(this.#root)
  }

  /**
   * Gives back the room that lists keep when they grow in place, which is as much again: worth it after many additions. What
   * the map says stays the same, and drafts may be open meanwhile.
   */
  *trim(): Sliced<void> {
    for (const bucket of buckets(this.#root)) {
      bucket.hashes = bucket.hashes.slice()
      bucket.keys = bucket.keys.slice()
      bucket.values = bucket.values.slice()
      yield
    }
  }

  /** A draft of the next version; this one is not affected. */
  edit(): MapDraft<Value> {
    return new MapDraft(this, this.#root, this.size, this.#ids.history)
  }
}

/** The next version of a map while it is being written. */
export class MapDraft<Value> {
  readonly #before: PersistentMap<Value>
  #owner = {}
  #history: IdHistory | undefined
  #root: Node<Value>
  #size: number
  #changed = false

  constructor(before: PersistentMap<Value>, root: Node<Value>, size: number, history: IdHistory | undefined) {
    this.#before = before
    this.#root = root
    this.#size = size
    this.#history = history
  }

  get size(): number {
    return this.#size
  }

  get(key: string): Value | undefined {
    return find(this.#root, key)
  }

  set(key: string, value: Value): void {
    const hash = hashOf(key)
    const bucket = bucketOf(this.#root, hash)
    const index = placeIn(bucket, hash, key)
    if (index >= 0 && bucket.values[index] === value) return
    this.#changed = true
    if (index < 0) this.#count(key, 1)
    const entry = { hash, key, value }
    if (bucket.owner === this.#owner && bucket.keys.length < MAX_KEYS) {
      write(bucket, index, entry)
      return
    }
    const put = (before: Bucket<Value>, shift: number) => withEntry(before, index, entry, shift, this.#owner)
    this.#root = changed(this.#root, hash, this.#owner, put)
  }

  delete(key: string): void {
    const hash = hashOf(key)
    if (!isIn(this.#root, key)) return
    const take = (bucket: Bucket<Value>) => without(bucket, placeIn(bucket, hash, key), this.#owner)
    this.#root = changed(this.#root, hash, this.#owner, take)
    this.#changed = true
    this.#count(key, -1)
  }

  /** The new version, or the old one when nothing changed. */
  commit(): PersistentMap<Value> {
    if (!this.#changed) return this.#before
    // What is committed is nobody's: who writes on, writes beside it.
    this.#owner = {}
    return new PersistentMap(this.#root, this.#size, this.#history)
  }

  #count(key: string, difference: number): void {
    this.#size += difference
    if (this.#history !== undefined) this.#history = withTouched(this.#history, key)
  }
}

function find<Value>(root: Node<Value>, key: string): Value | undefined {
  const hash = hashOf(key)
  const bucket = bucketOf(root, hash)
  const index = placeIn(bucket, hash, key)
  return index < 0 ? undefined : bucket.values[index]
}

function isIn(root: Node<unknown>, key: string): boolean {
  const hash = hashOf(key)
  return placeIn(bucketOf(root, hash), hash, key) >= 0
}

/** Where a key is in its bucket; negative for one that is not there. */
function placeIn({ hashes, keys }: Bucket<unknown>, hash: number, key: string): number {
  let index = hashes.indexOf(hash)
  while (index >= 0 && keys[index] !== key) index = hashes.indexOf(hash, index + 1)
  return index
}

/** Where keys with this hash are, if they are anywhere. */
function bucketOf<Value>(root: Node<Value>, hash: number): Bucket<Value> {
  let node = root
  for (let shift = 0; node instanceof Branch; shift += BITS) node = at(node.slots, slotOf(hash, shift))
  return node
}

function slotOf(hash: number, shift: number): number {
  return (hash >>> shift) & (WAYS - 1)
}

/** The node with another bucket for this hash. */
function changed<Value>(
  node: Node<Value>,
  hash: number,
  owner: object,
  change: (bucket: Bucket<Value>, shift: number) => Node<Value>,
  shift = 0,
): Node<Value> {
  if (node instanceof Bucket) return change(node, shift)
  const branch = node.owner === owner ? node : new Branch(owner, node.slots.slice())
  const slot = slotOf(hash, shift)
  const after = changed(at(branch.slots, slot), hash, owner, change, shift + BITS)
  branch.slots[slot] = after
  return after instanceof Bucket && after.keys.length <= FEW_KEYS ? joined(branch) : branch
}

/** Another bucket, with lists of just the length that they need: those that grow in place keep room for more. */
function withEntry<Value>(
  { hashes, keys, values }: Bucket<Value>,
  index: number,
  { hash, key, value }: Entry<Value>,
  shift: number,
  owner: object,
): Node<Value> {
  if (index >= 0) return new Bucket(owner, hashes.slice(), keys.slice(), values.with(index, value))
  const grown = new Bucket(owner, hashes.concat([hash]), keys.concat([key]), values.concat([value]))
  return keys.length < MAX_KEYS || shift > LAST_SHIFT ? grown : split(grown, shift, owner)
}

/** In place: the bucket belongs to the build. */
function write<Value>(
  { hashes, keys, values }: Bucket<Value>,
  index: number,
  { hash, key, value }: Entry<Value>,
): void {
  const place = index < 0 ? keys.length : index
  hashes[place] = hash
  keys[place] = key
  values[place] = value
}

function split<Value>(bucket: Bucket<Value>, shift: number, owner: object): Branch<Value> {
  const slots = Array.from({ length: WAYS }, (_, slot) =>
    chosen(bucket, owner, (index) => slotOf(at(bucket.hashes, index), shift) === slot),
  )
  return new Branch<Value>(owner, slots)
}

function without<Value>(bucket: Bucket<Value>, place: number, owner: object): Bucket<Value> {
  return chosen(bucket, owner, (index) => index !== place)
}

/** A copy of the bucket with the chosen places only, in lists without spare capacity. */
function chosen<Value>(
  { hashes, keys, values }: Bucket<Value>,
  owner: object,
  isChosen: (index: number) => boolean,
): Bucket<Value> {
  const among = (_: unknown, index: number) => isChosen(index)
  return new Bucket(
    owner,
    hashes.filter(among).slice(),
    keys.filter(among).slice(),
    values.filter(among).slice(),
  )
}

/** One bucket for a branch with few keys. */
function joined<Value>(branch: Branch<Value>): Node<Value> {
  const buckets: Bucket<Value>[] = []
  let count = 0
  for (const node of branch.slots) {
    if (node instanceof Branch) return branch
    count += node.keys.length
    // Most have more than that, and each change comes by here.
    if (count > FEW_KEYS) return branch
    buckets.push(node)
  }
  return new Bucket(
    branch.owner,
    buckets.flatMap(({ hashes }) => hashes),
    buckets.flatMap(({ keys }) => keys),
    buckets.flatMap(({ values }) => values),
  )
}

function* entries<Value>(root: Node<Value>): Generator<readonly [string, Value]> {
  for (const { keys, values } of buckets(root))
    for (const [index, value] of values.entries()) yield [at(keys, index), value]
}

/** With a stack of its own: generators within generators would pay for every level. */
function* buckets<Value>(root: Node<Value>): Generator<Bucket<Value>> {
  const stack: Node<Value>[] = [root]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node instanceof Branch) stack.push(...node.slots)
    else yield node
  }
}
