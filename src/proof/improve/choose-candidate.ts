import type { Score } from './candidate.js'

/** A candidate, and how it did. */
export interface Scored {
  readonly train: Pick<Score, 'passed' | 'tokens'>
}

/** A candidate that was tried with what it never saw, too. */
export interface TriedOut extends Scored {
  readonly heldOut: Pick<Score, 'passed'>
}

/** The Pareto front: no other candidate passes more tests with fewer tokens. Of equal candidates, the first. */
export function paretoFront<Each extends Scored>(all: readonly Each[]): readonly Each[] {
  return all.filter(
    (each, index) =>
      !all.some((other, place) => beats(other, each) || (place < index && isEqual(other, each))),
  )
}

function beats({ train: one }: Scored, { train: other }: Scored): boolean {
  const isAsGood = one.passed >= other.passed && one.tokens <= other.tokens
  return isAsGood && (one.passed > other.passed || one.tokens < other.tokens)
}

function isEqual({ train: one }: Scored, { train: other }: Scored): boolean {
  return one.passed === other.passed && one.tokens === other.tokens
}

/**
 * The candidate that is better than what there is: it passes no fewer tests of either part, and more of one, or as many
 * with fewer tokens. Of several the one that passes most held-out tests, then most others, then has the fewest tokens.
 */
export function betterThan<Each extends TriedOut>(
  now: TriedOut,
  candidates: readonly Each[],
): Each | undefined {
  return candidates
    .filter((each) => isBetter(each, now))
    .sort(
      (one, other) =>
        other.heldOut.passed - one.heldOut.passed ||
        other.train.passed - one.train.passed ||
        one.train.tokens - other.train.tokens,
    )[0]
}

function isBetter(each: TriedOut, now: TriedOut): boolean {
  const gains = [each.train.passed - now.train.passed, each.heldOut.passed - now.heldOut.passed]
  if (gains.some((gain) => gain < 0)) return false
  // A text that fails everything does not gain from being short.
  return gains.some((gain) => gain > 0) || (now.train.passed > 0 && each.train.tokens < now.train.tokens)
}
