/** A small seeded generator (mulberry32) with the choices that a grammar needs. */
export function createRandom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)],
    /** Picks a name of `{ name: weight }`. */
    weighted(weights) {
      const entries = Object.entries(weights)
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      return entries[entries.length - 1][0]
    },
    times: (count, make) => Array.from({ length: count }, (_, index) => make(index)),
  }
}

/** The seed of one case: any case of a run can be made again alone. */
export function caseSeed(seed, index) {
  return (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0
}
