import { at } from './at.js'

const MAX_SUGGESTIONS = 3
/** Beyond this many names the search costs more than it helps. */
const MAX_CANDIDATES = 20_000
/** Of a word so short two other letters make another word. */
const SHORT = 3
/** Comparisons letter by letter, of which each costs the product of two lengths. */
const MAX_CELLS = 500_000

/** The names most like a mistyped one, best first: for "did you mean". */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const lowered = wanted.toLowerCase().slice(0, 200)
  const limit = lowered.length <= SHORT ? 1 : Math.max(2, Math.floor(lowered.length / 3))
  let cells = 0
  const compare = (name: string): number => {
    cells += lowered.length * name.length
    return cells > MAX_CELLS ? limit + 1 : editDistance(lowered, name)
  }
  return names
    .slice(0, MAX_CANDIDATES)
    .map((name) => ({ name, distance: likeness(lowered, name.toLowerCase(), limit, compare) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name)
}

/** A sentence to append to a message, empty when nothing is near. */
export function didYouMean(suggestions: readonly string[]): string {
  if (suggestions.length === 0) return ''
  return `. Did you mean ${suggestions.map((name) => JSON.stringify(name)).join(' or ')}?`
}

function likeness(wanted: string, name: string, limit: number, compare: (name: string) => number): number {
  if (wanted === '') return limit + 1
  const last = name.split('.').at(-1)
  if (last === wanted || (wanted.length > 2 && name.includes(wanted))) return 1
  if (Math.abs(wanted.length - name.length) > limit) return limit + 1
  return compare(name)
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1
      let best = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + cost)
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, at(beforeLast, column - 2) + 1)
      }
      current.push(best)
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}
