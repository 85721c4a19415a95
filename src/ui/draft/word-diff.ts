/** A stretch that both texts have, or only one of them. */
export interface Change {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

const WORDS = /\s+|[\p{L}\p{N}_]+|./gsu
/** Texts that differ in more words than this are shown as wholly other. */
const MAX_CHANGES = 600

/** What has to change in words to get from one text to the other: the shortest way (Myers, 1986). */
export function wordDiff(before: string, after: string): readonly Change[] {
  return joined(changesOf(before.match(WORDS) ?? [], after.match(WORDS) ?? []))
}

/** What has to change in pieces of any kind, such as lines, to get from one list to the other. */
export function changesOf(one: readonly string[], other: readonly string[]): readonly Change[] {
  const head = commonHead(one, other)
  const tail = commonTail(one, other, head)
  const changed = shortest(one.slice(head, one.length - tail), other.slice(head, other.length - tail))
  return [...one.slice(0, head).map(same), ...changed, ...one.slice(one.length - tail).map(same)]
}

function same(text: string): Change {
  return { kind: 'same', text }
}

function commonHead(one: readonly string[], other: readonly string[]): number {
  let count = 0
  while (count < one.length && count < other.length && one[count] === other[count]) count += 1
  return count
}

function commonTail(one: readonly string[], other: readonly string[], head: number): number {
  let count = 0
  const most = Math.min(one.length, other.length) - head
  while (count < most && one[one.length - 1 - count] === other[other.length - 1 - count]) count += 1
  return count
}

/** The furthest point of each diagonal for every number of changes. */
function shortest(one: readonly string[], other: readonly string[]): readonly Change[] {
  const most = Math.min(one.length + other.length, MAX_CHANGES)
  const reached = new Map([[1, 0]])
  const steps: ReadonlyMap<number, number>[] = []
  const at = (diagonal: number) => reached.get(diagonal) ?? -1
  for (let count = 0; count <= most; count += 1) {
    steps.push(new Map(reached))
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      const isDown = diagonal === -count || (diagonal !== count && at(diagonal - 1) < at(diagonal + 1))
      let x = isDown ? at(diagonal + 1) : at(diagonal - 1) + 1
      while (x < one.length && x - diagonal < other.length && one[x] === other[x - diagonal]) x += 1
      reached.set(diagonal, x)
      if (x >= one.length && x - diagonal >= other.length) return wayBack(one, other, steps)
    }
  }
  return [
    ...one.map((text): Change => ({ kind: 'removed', text })),
    ...other.map((text): Change => ({ kind: 'added', text })),
  ]
}

function wayBack(
  one: readonly string[],
  other: readonly string[],
  steps: readonly ReadonlyMap<number, number>[],
): readonly Change[] {
  const changes: Change[] = []
  let [x, y] = [one.length, other.length]
  for (let count = steps.length - 1; count >= 0; count -= 1) {
    const at = (diagonal: number) => steps[count]?.get(diagonal) ?? -1
    const diagonal = x - y
    const isDown = diagonal === -count || (diagonal !== count && at(diagonal - 1) < at(diagonal + 1))
    const startX = at(isDown ? diagonal + 1 : diagonal - 1)
    const startY = startX - (isDown ? diagonal + 1 : diagonal - 1)
    while (x > startX && y > startY && x > 0 && y > 0) {
      x -= 1
      y -= 1
      changes.push(same(one[x] ?? ''))
    }
    if (count === 0) break
    if (isDown) changes.push({ kind: 'added', text: other[--y] ?? '' })
    else changes.push({ kind: 'removed', text: one[--x] ?? '' })
  }
  return changes.reverse()
}

/** Neighbours of one kind are one change. */
function joined(changes: readonly Change[]): readonly Change[] {
  const result: Change[] = []
  for (const change of changes) {
    const last = result.at(-1)
    if (change.text === '') continue
    if (last?.kind === change.kind) result[result.length - 1] = { ...last, text: last.text + change.text }
    else result.push(change)
  }
  return result
}
