const MAX_SUGGESTIONS = 3

/** Names that are nearly the given one, nearest first. */
export function nearNames(name: string, names: readonly string[]): readonly string[] {
  const limit = Math.max(1, Math.floor(name.length / 3))
  return names
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((left, right) => left.distance - right.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => candidate)
}

/** How many letters must be added, removed or changed. */
function editDistance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > left.length) return left.length + right.length
  let previous = Array.from({ length: right.length + 1 }, (_, i) => i)
  for (let i = 1; i <= left.length; i++) {
    const row = [i]
    for (let j = 1; j <= right.length; j++) {
      const change = (previous[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1)
      row.push(Math.min(change, (previous[j] as number) + 1, (row[j - 1] as number) + 1))
    }
    previous = row
  }
  return previous[right.length] as number
}
