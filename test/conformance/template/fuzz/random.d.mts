export interface Random {
  next(): number
  below(limit: number): number
  chance(probability: number): boolean
  pick<Item>(list: readonly Item[]): Item
  weighted(weights: Readonly<Record<string, number>>): string
  times<Item>(count: number, make: (index: number) => Item): Item[]
}

export function createRandom(seed: number): Random
export function caseSeed(seed: number, index: number): number
