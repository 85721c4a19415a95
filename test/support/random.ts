/** Pseudo-random numbers that a seed repeats (mulberry32). */
export interface Random {
  /** From 0 to below 1. */
  chance(): number
  /** From 0 to below the limit. */
  below(limit: number): number
  pick<Item>(items: readonly Item[]): Item
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { chance: next, below, pick: (items) => items[below(items.length)] as never }
}
