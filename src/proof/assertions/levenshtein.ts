import { at } from '../../util/at.js'

/** How many UTF-16 units have to be inserted, deleted or replaced to make one text of the other (Levenshtein, 1965). */
export function levenshtein(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1
      const best = Math.min(at(above, column) + 1, at(current, column - 1) + 1, at(above, column - 1) + cost)
      current.push(best)
    }
    above = current
  }
  return at(above, other.length)
}
