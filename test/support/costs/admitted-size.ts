/** Sizes that are tried below the one that is asked for: each is about a twentieth more than the one before. */
const LADDER = sizesUpTo(4_000_000, 1.05)
/** How far below a size that is refused the search begins where nothing is known, in steps of the ladder. */
const FIRST_STEPS = 5

/** The largest size that is admitted, and the smallest that is known to be refused. */
export interface Admitted {
  /** 0 where no size is admitted. */
  readonly size: number
  /** Infinity where the largest size that was asked for is admitted. */
  readonly refused: number
}

/**
 * Finds the largest size up to `most` that is admitted, within a twentieth, as long as every size below an admitted one
 * is admitted. The search begins at `guess`, such as what was found for a call with arguments that cost the same.
 */
export async function largestAdmitted(
  most: number,
  isAdmitted: (size: number) => Promise<boolean>,
  guess?: number,
): Promise<Admitted> {
  if (await isAdmitted(most)) return { size: most, refused: Number.POSITIVE_INFINITY }
  const above = indexAbove(most - 1)
  const at = guess === undefined ? above - FIRST_STEPS : indexAbove(guess) - 1
  const [low, high] = await bracket(Math.min(Math.max(at, 0), above - 1), above, isAdmitted)
  return bisect(low, high, most, isAdmitted)
}

type Tried = (size: number) => Promise<boolean>

/** Steps away from a place, each twice as long as the one before, until one is admitted and another one is not: places of the ladder, or its ends. */
async function bracket(at: number, above: number, isAdmitted: Tried): Promise<readonly [number, number]> {
  if (at < 0) return [-1, above]
  let step = 1
  if (await isAdmitted(sizeAt(at))) {
    let low = at
    while (low + step < above && (await isAdmitted(sizeAt(low + step)))) {
      low += step
      step *= 2
    }
    return [low, Math.min(low + step, above)]
  }
  let high = at
  while (high - step >= 0 && !(await isAdmitted(sizeAt(high - step)))) {
    high -= step
    step *= 2
  }
  return [Math.max(high - step, -1), high]
}

/** `high` is refused, or is above the ladder's part below `most`, which is refused. */
async function bisect(low: number, high: number, most: number, isAdmitted: Tried): Promise<Admitted> {
  let [admitted, refused] = [low, high]
  while (refused - admitted > 1) {
    const middle = (admitted + refused) >> 1
    if (await isAdmitted(sizeAt(middle))) admitted = middle
    else refused = middle
  }
  return { size: admitted < 0 ? 0 : sizeAt(admitted), refused: Math.min(most, sizeAt(refused)) }
}

function sizeAt(index: number): number {
  return LADDER[index] ?? Number.POSITIVE_INFINITY
}

/** How many sizes of the ladder there are up to this one. */
function indexAbove(size: number): number {
  let [low, high] = [0, LADDER.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sizeAt(middle) <= size) low = middle + 1
    else high = middle
  }
  return low
}

function sizesUpTo(most: number, growth: number): readonly number[] {
  const sizes: number[] = []
  for (let size = 1; size <= most; size = Math.max(size + 1, Math.floor(size * growth))) sizes.push(size)
  return sizes
}
