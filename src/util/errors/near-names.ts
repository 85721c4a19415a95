import { at } from '../at.js'

const MAX_SUGGESTIONS = 3
/** Beyond this many names the search costs more than it helps. */
const MAX_CANDIDATES = 10_000
/** Of a word so short two other letters make another word. */
const SHORT = 3
/** Of a mistyped name, more is not looked at. */
const MAX_LENGTH = 200
/** Longer names are suggested to nobody. */
const LONGEST_NAME = 1_000
/** Comparisons letter by letter, of which each costs the product of two lengths. */
const MAX_CELLS = 150_000

/** The names most like a mistyped one, best first: for "did you mean". */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const lowered = wanted.toLowerCase().slice(0, MAX_LENGTH)
  const limit = lowered.length <= SHORT ? 1 : Math.max(2, Math.floor(lowered.length / 3))
  let cells = 0
  const compare = (name: string): number => {
    const [one, other] = whereDifferent(lowered, name)
    cells += lowered.length - one.length + one.length * other.length
    return cells > MAX_CELLS ? limit + 1 : editDistance(one, other)
  }
  const best: Near[] = []
  for (const name of names.slice(0, MAX_CANDIDATES)) {
    if (name.length > LONGEST_NAME) continue
    const distance = likeness(lowered, name.toLowerCase(), limit, compare)
    if (distance <= limit) keepBest(best, { name, distance })
  }
  return best.map(({ name }) => name)
}

/** Two words without what they begin and end with alike: that changes no distance. */
function whereDifferent(one: string, other: string): readonly [string, string] {
  const least = Math.min(one.length, other.length)
  let start = 0
  while (start < least && one.charCodeAt(start) === other.charCodeAt(start)) start += 1
  let end = 0
  while (
    end < least - start &&
    one.charCodeAt(one.length - 1 - end) === other.charCodeAt(other.length - 1 - end)
  )
    end += 1
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)]
}

interface Near {
  readonly name: string
  readonly distance: number
}

/** Of thousands of names only the few best are put in order. */
function keepBest(best: Near[], near: Near): void {
  const index = best.findIndex((other) => isNearer(near, other))
  if (index >= 0) best.splice(index, 0, near)
  else if (best.length < MAX_SUGGESTIONS) best.push(near)
  if (best.length > MAX_SUGGESTIONS) best.pop()
}

function isNearer(one: Near, other: Near): boolean {
  return one.distance < other.distance || (one.distance === other.distance && one.name < other.name)
}

/** A sentence to append to a message, empty when nothing is near. */
export function didYouMean(suggestions: readonly string[]): string {
  if (suggestions.length === 0) return ''
  return `. Did you mean ${suggestions.map((name) => JSON.stringify(name)).join(' or ')}?`
}

function likeness(wanted: string, name: string, limit: number, compare: (name: string) => number): number {
  if (wanted === '') return limit + 1
  const last = name.slice(name.lastIndexOf('.') + 1)
  if (last === wanted || (wanted.length > 2 && name.includes(wanted))) return 1
  if (Math.abs(wanted.length - name.length) > limit) return limit + 1
  return compare(name)
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  // Arrays of numbers of one size are read and written without a look at what they hold.
  let beforeLast = new Uint32Array(b.length + 1)
  let last = new Uint32Array(b.length + 1).map((_, column) => column)
  let current = new Uint32Array(b.length + 1)
  for (let row = 1; row <= a.length; row += 1) {
    current[0] = row
    const letter = a.charCodeAt(row - 1)
    for (let column = 1; column <= b.length; column += 1) {
      const cost = letter === b.charCodeAt(column - 1) ? 0 : 1
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + cost,
      )
      if (
        row > 1 &&
        column > 1 &&
        letter === b.charCodeAt(column - 2) &&
        a.charCodeAt(row - 2) === b.charCodeAt(column - 1)
      ) {
        best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1)
      }
      current[column] = best
    }
    const free = beforeLast
    beforeLast = last
    last = current
    current = free
  }
  return at(last, b.length)
}
