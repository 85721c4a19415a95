import { Fifo } from './fifo.js'

/** Queues that are served in turns, one item of each: who queues much does not make others wait for all of it. */
export class RoundRobin<Item> {
  /** Of whom something waits, whose turn is next first. */
  readonly #queues = new Map<string, Fifo<Item>>()
  #size = 0

  /** How many wait. */
  get size(): number {
    return this.#size
  }

  /** Of how many something waits. */
  get queues(): number {
    return this.#queues.size
  }

  /** The one that is taken next; there must be one. @throws RangeError if nobody waits */
  get first(): Item {
    return this.#next()[1].first
  }

  /** What waits in one queue, the longest first; undefined for nothing. */
  of(key: string): Pick<Fifo<Item>, 'size' | 'first'> | undefined {
    return this.#queues.get(key)
  }

  push(key: string, item: Item): void {
    const queue = this.#queues.get(key) ?? new Fifo<Item>()
    queue.push(item)
    this.#queues.set(key, queue)
    this.#size += 1
  }

  /** Takes the one whose turn it is. @throws RangeError if nobody waits */
  take(): Item {
    const [key, queue] = this.#next()
    const item = queue.take()
    this.#size -= 1
    this.#queues.delete(key)
    if (queue.size > 0) this.#queues.set(key, queue)
    return item
  }

  #next(): readonly [string, Fifo<Item>] {
    for (const entry of this.#queues) return entry
    throw new RangeError('nobody waits')
  }
}
