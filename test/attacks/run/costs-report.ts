import { titleOf } from '../../support/costs/cost-cases.js'
import type { Measured, SlowCall } from '../../support/costs/measure-group.js'
import type { CostsPlan } from './costs-plan.js'

const MOST_LISTED = 400

/** What became of calls; those that are in no count were not reached in the time. */
export interface CostsReport {
  /** With a value of their own. */
  measured: number
  /** The same call with the same value as another one: their own size is refused, and the next that is not was measured. */
  same: number
  /** Refused at every size; what it takes to refuse them was measured. */
  refused: number
  readonly slow: SlowCall[]
}

export function emptyReport(): CostsReport {
  return { measured: 0, same: 0, refused: 0, slow: [] }
}

/** Adds what became of a group. */
export function addGroup(report: CostsReport, { sizes, slow }: Measured): void {
  const admitted = sizes.filter((size) => size > 0)
  const measured = new Set(admitted).size
  report.measured += measured
  report.same += admitted.length - measured
  report.refused += sizes.length - admitted.length
  report.slow.push(...slow)
}

export function addReport(to: CostsReport, { measured, same, refused, slow }: CostsReport): void {
  to.measured += measured
  to.same += same
  to.refused += refused
  to.slow.push(...slow)
}

/** What a run prints at its end, and its exit code: 1 if a call was slow again when it was measured alone, or was not reached. */
export function verdictOf(
  { all, bound, minutes, seed }: Pick<CostsPlan, 'all' | 'bound' | 'minutes' | 'seed'>,
  { measured, same, refused, slow: suspects }: CostsReport,
  slow: readonly SlowCall[],
): { readonly lines: readonly string[]; readonly code: number } {
  const worst = [...slow].sort((a, b) => b.ms - a.ms).slice(0, MOST_LISTED)
  const long = slow.filter(({ ms, pace = 1 }) => ms > bound * pace)
  const missing = all - measured - same - refused
  const lines = [
    ...worst.map(
      ({ ms, call, pace = 1 }) =>
        `${ms.toFixed(0).padStart(6)} ms, measured again alone when usual work took ${pace.toFixed(1)} times as long, with ${titleOf(call)}`,
    ),
    ...(missing === 0 ? [] : [`NOT ALL: ${missing} of ${all} calls were not reached in ${minutes} minutes`]),
    `${all} calls, seed ${seed}: ${measured} measured, ${same} the same with the same value as another one, ${refused} refused at every size`,
    `${suspects.length} seemed to take more than ${bound} ms; measured again alone, after all others: ${slow.length} over ${bound} ms, ${long.length} of them over what ${bound} ms on a quiet machine are here`,
  ]
  return { lines, code: long.length === 0 && missing === 0 ? 0 : 1 }
}
